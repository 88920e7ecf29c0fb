import { expect, test } from 'vitest'
import { planUnits } from '../../../src/handoff/units/plan-units.ts'
import type { HandoffCluster } from '../../../src/model/handoff.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { afterCommit, clusterOf, condition, type SampleTree } from './staged-cluster.ts'

interface Row {
  readonly name: string
  /** What is rendered: folders and their ConfigMaps. */
  readonly rendered: Readonly<Record<string, readonly string[]>>
  readonly over?: Partial<HandoffCluster>
  readonly committed: SampleTree
  /** Default: true. */
  readonly isApplied?: boolean
  /** The units, each with its objects; `!` for those that it lets go of. */
  readonly want: Readonly<Record<string, readonly string[]>>
  readonly says?: readonly string[]
}

const apart: Partial<HandoffCluster> = { addonUnits: 'perAddon' }
const changes = (what: string, unit: string): string =>
  `cluster team-a/web: ${what} will leave the unit ${unit} with the next commit; with this one the unit only orphans what it has applied`
const empties = (unit: string): string =>
  `cluster team-a/web: nothing is left of the unit ${unit}; with this commit it deletes what it has applied, and with the next one it goes`

const rows: readonly Row[] = [
  {
    name: 'nothing is committed: own addons apart',
    rendered: { 'addons/01-cni': ['a'], 'addons-own/door': ['b'] },
    committed: { folders: {} },
    want: { 'web-addons': ['a'], 'web-addons-own': ['b'] },
  },
  {
    name: 'one unit for each',
    rendered: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'], 'addons-own/01-door': ['c'] },
    over: apart,
    committed: { folders: {} },
    want: { 'web-addons-01-cni': ['a'], 'web-addons-02-csi': ['b'], 'web-addons-own-01-door': ['c'] },
  },
  {
    name: 'a tree of a version that had own addons among the others: they stay, with what is new of them',
    rendered: { 'addons/01-cni': ['a'], 'addons-own/door': ['b', 'new'] },
    committed: {
      together: { addons: ['01-cni', '05-door'] },
      folders: { 'addons/01-cni': ['a'], 'addons/05-door': ['b', 'gone'] },
    },
    want: { 'web-addons': ['a', 'b!', 'new!'] },
    says: [changes('door', 'web-addons')],
  },
  {
    name: 'the commit after it: they move',
    rendered: { 'addons/01-cni': ['a'], 'addons-own/door': ['b', 'newer'] },
    committed: {
      together: { addons: ['01-cni', '05-door'] },
      folders: { 'addons/01-cni': ['a'], 'addons/05-door': ['b!', 'new!'] },
    },
    want: { 'web-addons': ['a'], 'web-addons-own': ['b', 'newer'] },
  },
  {
    name: 'one object is let go of anyway, such as a CRD: it waits for the others',
    rendered: { 'addons/01-cni': ['a'], 'addons-own/door': ['b', 'crd'] },
    committed: {
      together: { addons: ['01-cni', '05-door'] },
      folders: { 'addons/01-cni': ['a'], 'addons/05-door': ['b', 'crd!'] },
    },
    want: { 'web-addons': ['a', 'b!', 'crd!'] },
    says: [changes('door', 'web-addons')],
  },
  {
    name: 'perAddon on: all units are new, the old ones go and leave everything behind',
    rendered: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'], 'addons-own/door': ['c'] },
    over: apart,
    committed: {
      together: { addons: ['01-cni', '02-csi'], 'addons-own': ['door'] },
      folders: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'], 'addons-own/door': ['c'] },
    },
    want: { 'web-addons-01-cni': ['a'], 'web-addons-02-csi': ['b'], 'web-addons-own-door': ['c'] },
  },
  {
    name: 'perAddon off: the same',
    rendered: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'], 'addons-own/door': ['c'] },
    committed: { folders: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'], 'addons-own/door': ['c'] } },
    want: { 'web-addons': ['a', 'b'], 'web-addons-own': ['c'] },
  },
  {
    name: 'an addon that gets a condition leaves the others',
    rendered: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'] },
    over: { release: clusterOf([{ addon: 'cni' }, { addon: 'csi', postCondition: condition('d.status.b') }]).release },
    committed: {
      together: { addons: ['01-cni', '02-csi'] },
      folders: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'] },
    },
    want: { 'web-addons': ['a', 'b!'] },
    says: [changes('csi', 'web-addons')],
  },
  {
    name: 'an object moves from one addon with a unit of its own to another, and numbers change',
    rendered: { 'addons/01-csi': ['a'], 'addons/02-ccm': ['b', 'moves'] },
    over: apart,
    committed: { folders: { 'addons/02-csi': ['a', 'moves'], 'addons/03-ccm': ['b'] } },
    want: { 'web-addons-01-csi': ['a', 'moves!'], 'web-addons-02-ccm': ['b'] },
    says: [changes('ConfigMap moves', 'web-addons-01-csi')],
  },
  {
    name: 'the commit after it',
    rendered: { 'addons/01-csi': ['a'], 'addons/02-ccm': ['b', 'moves'] },
    over: apart,
    committed: { folders: { 'addons/01-csi': ['a', 'moves!'], 'addons/02-ccm': ['b'] } },
    want: { 'web-addons-01-csi': ['a'], 'web-addons-02-ccm': ['b', 'moves'] },
  },
  {
    name: 'an addon of the release becomes an own one, whole, under another name',
    rendered: { 'addons/01-cni': ['a'], 'addons-own/ours': ['b', 'new'] },
    committed: {
      together: { addons: ['01-cni', '02-csi'] },
      folders: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b'] },
    },
    want: { 'web-addons': ['a', 'b!'], 'web-addons-own': ['new'] },
    says: [changes('ConfigMap b', 'web-addons')],
  },
  {
    name: 'the last own addon goes: its unit is emptied first, so that nothing of it stays in the cluster',
    rendered: { 'addons/01-cni': ['a'] },
    committed: {
      together: { addons: ['01-cni'], 'addons-own': ['door'] },
      folders: { 'addons/01-cni': ['a'], 'addons-own/door': ['b'] },
    },
    want: { 'web-addons': ['a'], 'web-addons-own (may delete)': ['stackmason-web-addons-own'] },
    says: [empties('web-addons-own')],
  },
  {
    name: 'and then the unit goes',
    rendered: { 'addons/01-cni': ['a'] },
    committed: {
      together: { addons: ['01-cni'], 'addons-own': ['stackmason-web-addons-own, namespace: kube-system.yaml'] },
      folders: { 'addons/01-cni': ['a'], 'addons-own': ['stackmason-web-addons-own, namespace: kube-system'] },
    },
    want: { 'web-addons': ['a'] },
  },
  {
    name: 'an addon with a unit of its own goes',
    rendered: { 'addons/01-cni': ['a'] },
    over: apart,
    committed: { folders: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b', 'c'] } },
    want: { 'web-addons-01-cni': ['a'], 'web-addons-02-csi (may delete)': ['stackmason-web-addons-02-csi'] },
    says: [empties('web-addons-02-csi')],
  },
  {
    name: 'every addon goes',
    rendered: {},
    committed: { together: { addons: ['01-cni'] }, folders: { 'addons/01-cni': ['a'] } },
    want: { 'web-addons (may delete)': ['stackmason-web-addons'] },
    says: [empties('web-addons')],
  },
  {
    name: 'an addon with a unit of its own goes, and an object of it to another: its unit goes at once and deletes nothing',
    rendered: { 'addons/01-cni': ['a', 'b'] },
    over: apart,
    committed: { folders: { 'addons/01-cni': ['a'], 'addons/02-csi': ['b', 'c'] } },
    want: { 'web-addons-01-cni': ['a', 'b'] },
    says: [
      'cluster team-a/web: ConfigMap c stays in the cluster, and nothing manages it any more: the unit web-addons-02-csi goes with this commit, and others take over only a part of what it has applied',
    ],
  },
  {
    name: 'the commit before a move does not count where it is not applied',
    rendered: { 'addons/01-csi': ['a'], 'addons/02-ccm': ['b', 'moves'] },
    over: apart,
    committed: { folders: { 'addons/01-csi': ['a', 'moves!'], 'addons/02-ccm': ['b'] } },
    isApplied: false,
    want: { 'web-addons-01-csi': ['a', 'moves!'], 'web-addons-02-ccm': ['b'] },
    says: [changes('ConfigMap moves', 'web-addons-01-csi')],
  },
  {
    name: 'nor does one that empties a unit',
    rendered: { 'addons/01-cni': ['a'] },
    committed: {
      together: { addons: ['01-cni'], 'addons-own': ['stackmason-web-addons-own, namespace: kube-system.yaml'] },
      folders: { 'addons/01-cni': ['a'], 'addons-own': ['stackmason-web-addons-own, namespace: kube-system'] },
    },
    isApplied: false,
    want: { 'web-addons': ['a'], 'web-addons-own (may delete)': ['stackmason-web-addons-own'] },
    says: [empties('web-addons-own')],
  },
]

test.each(rows)('units of addons: $name', ({ rendered, over, committed, isApplied, want, says = [] }) => {
  const addons = Object.entries(rendered).map(([path, names]): RenderedFolder => ({
    path: `clusters/team-a/web/${path}`,
    manifests: names.map((name) => manifestOf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`)),
  }))
  const cluster = afterCommit(clusterOf([], { ...over, addons }), committed, isApplied)
  const { units, findings } = planUnits([], [cluster], { tool: 'flux' })
  const found = units
    .slice(1)
    .map(({ name, manifests, orphans, mayDelete }) => [
      `${name}${mayDelete === undefined ? '' : ' (may delete)'}`,
      manifests.map(
        (manifest) => `${manifest.name}${orphans?.has(`/ConfigMap//${manifest.name}`) === true ? '!' : ''}`,
      ),
    ])
  expect(Object.fromEntries(found)).toEqual(want)
  expect(findings.map(({ message }) => message)).toEqual(says)
})
