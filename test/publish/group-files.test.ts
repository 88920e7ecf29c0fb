import { expect, it } from 'vitest'
import type { Grouping } from '../../src/model/publish-config.ts'
import { groupFiles } from '../../src/publish/group-files.ts'

const base = [
  '.stackmason-tree',
  'stacks/platform/docker-lab-1-34-v1/class.yaml',
  'handoff/kustomization.yaml',
  'handoff/platform/kustomization.yaml',
  'handoff/platform/stacks/unit.yaml',
  ...['a/one', 'a/two', 'b/three'].flatMap((cluster) => [
    `clusters/${cluster}/cluster/cluster.yaml`,
    `handoff/${cluster}/unit.yaml`,
  ]),
  'handoff/a/kustomization.yaml',
  'handoff/b/kustomization.yaml',
]

interface Case {
  readonly name: string
  readonly grouping: Grouping
  /** Paths; `+` before what is added, `-` before what is removed. */
  readonly files: readonly string[]
  readonly holds?: Readonly<Record<string, string>>
  /** Releases that clusters name, before and after. */
  readonly names?: Readonly<Record<string, { readonly before?: string; readonly after?: string }>>
  readonly groups: Readonly<Record<string, readonly string[]>>
  readonly held?: Readonly<Record<string, string>>
}

const changes = { '+': 'added', '-': 'removed' } as const
const v2 = '+stacks/platform/docker-lab-1-34-v2/class.yaml'
const noV1 = '-stacks/platform/docker-lab-1-34-v1/class.yaml'
const [one, two, three] = ['a/one', 'a/two', 'b/three'].map((name) => `clusters/${name}/cluster/cluster.yaml`)
const newFour = ['+clusters/a/four/cluster/cluster.yaml', '+handoff/a/four/unit.yaml', 'handoff/a/kustomization.yaml']
const tag = { v1: 'docker-lab-1-34-v1', v2: 'docker-lab-1-34-v2' }

const cases: readonly Case[] = [
  { name: 'nothing', grouping: 'cluster', files: [], groups: {} },
  {
    name: 'one for all',
    grouping: 'fleet',
    files: [one!, v2],
    groups: { fleet: [one!, v2.slice(1)] },
  },
  {
    name: 'clusters that only change',
    grouping: 'cluster',
    files: [one!, 'handoff/a/one/unit.yaml', two!, three!],
    groups: {
      'cluster/a/one': [one!, 'handoff/a/one/unit.yaml'],
      'cluster/a/two': [two!],
      'cluster/b/three': [three!],
    },
  },
  {
    name: 'namespaces that only change',
    grouping: 'namespace',
    files: [one!, two!, three!],
    groups: { 'namespace/a': [one!, two!], 'namespace/b': [three!] },
  },
  {
    name: 'whose tree it is goes with each',
    grouping: 'namespace',
    files: ['.stackmason-tree', one!, three!],
    groups: { 'namespace/a': [one!, '.stackmason-tree'], 'namespace/b': [three!, '.stackmason-tree'] },
  },
  { name: 'whose tree it is alone is nothing', grouping: 'cluster', files: ['.stackmason-tree'], groups: {} },
  {
    name: 'a new cluster goes with the list that names it',
    grouping: 'cluster',
    files: [...newFour, one!],
    groups: {
      shared: newFour
        .map((path) => path.replace('+', ''))
        .sort()
        .reverse(),
      'cluster/a/one': [one!],
    },
  },
  {
    name: 'a new cluster is of its namespace',
    grouping: 'namespace',
    files: [...newFour, one!, three!],
    groups: {
      'namespace/a': ['handoff/a/kustomization.yaml', ...newFour.slice(0, 2).map((path) => path.slice(1)), one!],
      'namespace/b': [three!],
    },
  },
  {
    name: 'a new namespace changes the list of all',
    grouping: 'namespace',
    files: [
      'handoff/kustomization.yaml',
      '+handoff/c/kustomization.yaml',
      '+handoff/c/x/unit.yaml',
      '+clusters/c/x/cluster/c.yaml',
      one!,
    ],
    groups: {
      shared: [
        'handoff/kustomization.yaml',
        'handoff/c/kustomization.yaml',
        'handoff/c/x/unit.yaml',
        'clusters/c/x/cluster/c.yaml',
      ],
      'namespace/a': [one!],
    },
  },
  {
    name: 'a new cluster without a GitOps tool is in no list',
    grouping: 'cluster',
    files: ['+clusters/a/four/cluster/cluster.yaml'],
    groups: { 'cluster/a/four': ['clusters/a/four/cluster/cluster.yaml'] },
  },
  {
    name: 'who needs a new release waits for it',
    grouping: 'cluster',
    files: [v2, 'handoff/platform/stacks/unit.yaml', one!, two!],
    names: { 'a/one': { before: tag.v1, after: tag.v2 } },
    groups: { shared: [v2.slice(1), 'handoff/platform/stacks/unit.yaml'], 'cluster/a/two': [two!] },
    held: { 'cluster/a/one': 'shared has to be merged first: it brings a release that this needs' },
  },
  {
    name: 'a release goes with the last who leaves it',
    grouping: 'cluster',
    files: [v2, noV1, one!, three!],
    names: { 'a/one': { before: tag.v1, after: tag.v2 } },
    groups: { shared: [v2.slice(1), noV1.slice(1), one!], 'cluster/b/three': [three!] },
  },
  {
    name: 'a cluster on hold is left out of what is for all',
    grouping: 'fleet',
    files: [one!, two!],
    holds: { 'a/one': 'database' },
    groups: { fleet: [two!] },
    held: { 'cluster/a/one': 'on hold: database' },
  },
  {
    name: 'a hold of who does not change says nothing',
    grouping: 'cluster',
    files: [two!],
    holds: { 'a/one': 'database' },
    groups: { 'cluster/a/two': [two!] },
  },
  {
    name: 'who needs a release that goes holds it',
    grouping: 'cluster',
    files: [v2, noV1, one!, three!],
    holds: { 'a/one': 'database' },
    names: { 'a/one': { before: tag.v1, after: tag.v2 }, 'b/three': { after: tag.v2 } },
    groups: {},
    held: {
      shared: 'it comes or goes together with cluster a/one, which is on hold',
      'cluster/a/one': 'on hold: database',
      'cluster/b/three': 'shared has to be merged first: it brings a release that this needs',
    },
  },
  {
    name: "the object that applies a cluster's folder is the cluster's",
    grouping: 'cluster',
    files: ['handoff/a/application-a.one.handoff.yaml', 'handoff/a/application-a.nobody.handoff.yaml'],
    groups: {
      'cluster/a/one': ['handoff/a/application-a.one.handoff.yaml'],
      shared: ['handoff/a/application-a.nobody.handoff.yaml'],
    },
  },
]

it.each(cases)('$name', ({ grouping, files, holds = {}, names = {}, groups, held = {} }) => {
  const found = groupFiles({
    base,
    grouping,
    files: files.map((file) => {
      const change = file.startsWith('+') ? changes['+'] : file.startsWith('-') ? changes['-'] : 'changed'
      return { path: file.replace(/^[+-]/, ''), change }
    }),
    holds: new Map(Object.entries(holds)),
    namesOf: (cluster) => ({
      before: new Set([names[cluster]?.before ?? []].flat()),
      after: new Set([names[cluster]?.after ?? []].flat()),
    }),
  })
  const sorted = (paths: Iterable<string>): readonly string[] => [...paths].sort()
  expect(Object.fromEntries(found.groups.map(({ group, part }) => [group, sorted(part)]))).toEqual(
    Object.fromEntries(Object.entries(groups).map(([group, paths]) => [group, sorted(paths)])),
  )
  expect(Object.fromEntries(found.held.map(({ group, reason }) => [group, reason]))).toEqual(held)
  const all = found.groups.flatMap(({ part }) => [...part]).filter((path) => path !== '.stackmason-tree')
  expect(new Set(all).size).toBe(all.length)
})
