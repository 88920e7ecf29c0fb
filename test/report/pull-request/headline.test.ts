import { describe, expect, test } from 'vitest'
import type { ClusterStep, StepPlan } from '../../../src/model/steps.ts'
import type { ChangeFacts, FoldedChange, TreeChange } from '../../../src/model/tree-change.ts'
import { formatHeadline, headlineParts } from '../../../src/report/pull-request/headline.ts'

const none: ChangeFacts = {
  clusters: { added: [], removed: [], changed: 0, unchanged: 0 },
  kubernetes: [],
  steps: [],
  addons: [],
  images: [],
  releases: [],
  variables: [],
  definitions: [],
  unread: [],
}

function names(count: number): readonly { readonly namespace: string; readonly name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ namespace: 'team', name: `c${String(index + 1)}` }))
}

function treeChange(facts: Partial<ChangeFacts>, groups: readonly FoldedChange[] = []): TreeChange {
  return { facts: { ...none, ...facts }, changes: [], groups }
}

function counts(changed: number, unchanged = 0): Pick<ChangeFacts, 'clusters'> {
  return { clusters: { ...none.clusters, changed, unchanged } }
}

function moved(before: string, after: string, count: number): FoldedChange {
  return {
    part: { kind: 'cluster' },
    clusters: names(count),
    objects: [
      {
        change: 'changed',
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        namespace: '<namespace>',
        name: '<cluster>',
        fields: [{ path: ['spec', 'topology', 'classRef', 'name'], before, after }],
        risks: ['rolls-nodes'],
        undo: [],
        members: [],
      },
    ],
  }
}

function step(name: string, due: Partial<ClusterStep>): StepPlan {
  return {
    cluster: { namespace: 'team', name },
    due: { action: 'addons', summary: '', before: [], ...due },
    then: [],
    content: 'rendered',
    clusterObject: 'held',
    classes: [],
    suspends: 'none',
  }
}

const gone = { cluster: { namespace: 'team', name: 'old' }, objects: 3, isDecommissioned: true, isKept: false }
const addon = { addon: 'cni', chart: 'cni', before: '1.0', after: '1.1' }
const image = { image: 'quay.io/a/web', before: '1', after: '2' }
const kubernetes = { before: 'v1.33.2', after: 'v1.34.1', step: 'minor' } as const
const tags = ['openstack-scs-1-34-v3', 'openstack-scs-1-34-v4'] as const

describe('a title says', () => {
  test.each<[string, TreeChange, readonly StepPlan[], string]>([
    [
      'a release',
      treeChange(counts(38, 2), [moved(...tags, 38)]),
      [],
      'openstack-scs 1.34 v3 → v4 on 38 of 40 clusters',
    ],
    [
      'a release of another minor, and no version of Kubernetes twice',
      treeChange({ ...counts(3), kubernetes: [{ ...kubernetes, clusters: names(3) }] }, [
        moved('openstack-scs-1-33-v2', 'openstack-scs-1-34-v4', 3),
      ]),
      [],
      'openstack-scs 1.33 v2 → 1.34 v4 on all 3 clusters',
    ],
    [
      'another stack',
      treeChange(counts(1), [moved('docker-a-1-34-v1', 'docker-b-1-34-v0-sha.1', 1)]),
      [],
      'docker-a 1.34 v1 → docker-b 1.34 v0-sha-1 on team/c1',
    ],
    [
      'a class that is of no release',
      treeChange(counts(1, 1), [moved('mine', 'yours', 1)]),
      [],
      'mine → yours on team/c1',
    ],
    [
      'the first of two steps',
      treeChange({ ...counts(2, 1), addons: [{ ...addon, clusters: names(2) }] }),
      [step('c1', { className: tags[0], addons: tags[1] }), step('c2', { className: tags[0], addons: tags[1] })],
      'openstack-scs 1.34 v3 → v4, addons first, on 2 of 3 clusters',
    ],
    [
      'the second of two steps',
      treeChange(counts(2, 1), [moved(...tags, 2)]),
      [step('c1', { action: 'class' }), step('c2', { action: 'class' })],
      'openstack-scs 1.34 v3 → v4, then the class, on 2 of 3 clusters',
    ],
    [
      'a version of Kubernetes',
      treeChange({ ...counts(2, 1), kubernetes: [{ ...kubernetes, clusters: names(2) }] }),
      [],
      'Kubernetes v1.33.2 → v1.34.1 on 2 of 3 clusters',
    ],
    [
      'addons of the same clusters together',
      treeChange({
        ...counts(2),
        addons: ['csi', 'cni'].map((name) => ({ ...addon, addon: name, clusters: names(2) })),
      }),
      [],
      'csi 1.0 → 1.1, cni 1.0 → 1.1 on all 2 clusters',
    ],
    [
      'how many addons',
      treeChange({
        ...counts(2),
        addons: ['a', 'b', 'c', 'd'].map((name) => ({ ...addon, addon: name, clusters: names(2) })),
      }),
      [],
      '4 addons on all 2 clusters',
    ],
    [
      'who is deleted first, shortened for what follows',
      treeChange({
        clusters: { added: [], removed: [gone], changed: 38, unchanged: 2 },
        addons: [{ ...addon, addon: 'cilium-agent', clusters: names(38) }],
      }),
      [],
      'deletes team/old; cilium-agent 1.0 → 1.1 on 38 of 40 clusters',
    ],
    [
      'how much more there is',
      treeChange({
        clusters: {
          added: [{ cluster: { namespace: 'team', name: 'new' }, objects: 1 }],
          removed: [],
          changed: 5,
          unchanged: 35,
        },
        kubernetes: [{ ...kubernetes, clusters: names(3) }],
        addons: [
          { ...addon, addon: 'cilium-agent', clusters: names(2) },
          { ...addon, addon: 'csi', clusters: names(1) },
        ],
      }),
      [],
      'Kubernetes v1.33.2 → v1.34.1 on 3 of 41 clusters (+3 more)',
    ],
    [
      'many that go or come',
      treeChange({
        clusters: {
          added: [{ cluster: { namespace: 'team', name: 'new' }, objects: 1 }],
          removed: [gone, gone, { ...gone, isKept: true }],
          changed: 0,
          unchanged: 1,
        },
      }),
      [],
      'deletes 2 clusters; new cluster team/new; leaves behind team/old',
    ],
    [
      'a release that nobody uses yet, or any more',
      treeChange({
        releases: [
          { namespace: 'team', after: tags[1], isBeforeKept: true, clusters: [] },
          { namespace: 'team', before: tags[0], isBeforeKept: false, clusters: [] },
        ],
      }),
      [],
      'openstack-scs 1.34 v4 is new; openstack-scs 1.34 v3 is gone',
    ],
    ['an image', treeChange({ ...counts(1), images: [{ ...image, clusters: names(1) }] }), [], 'web 1 → 2 on team/c1'],
    [
      'how many images',
      treeChange({ ...counts(1), images: [image, image].map((one) => ({ ...one, clusters: names(1) })) }),
      [],
      '2 images',
    ],
    [
      'the part that changes',
      treeChange(counts(2, 1), [
        { part: { kind: 'addon', addon: 'dns', owner: 'cluster' }, clusters: names(2), objects: [] },
      ]),
      [],
      'changes own addon dns on 2 of 3 clusters',
    ],
    ['at least how many objects', treeChange(counts(2)), [], 'changes 0 objects on all 2 clusters'],
    ['no `all` of one', treeChange(counts(1)), [], 'changes 0 objects on 1 cluster'],
    [
      'which cluster, where it is one',
      {
        ...treeChange(counts(1), [
          { ...moved('', '', 1), objects: [] },
          { ...moved('', '', 1), objects: [] },
        ]),
      },
      [],
      'changes 0 objects on team/c1',
    ],
    ['the same without a cluster', treeChange({}), [], 'changes 0 objects'],
  ])('%s', (_, change, steps, title) => {
    expect(formatHeadline(headlineParts(change, steps), 64)).toBe(title)
  })
})

test('a part that never fits is cut', () => {
  expect(formatHeadline([{ forms: ['a long sentence'] }, { forms: ['b'] }], 8)).toBe('a long…')
})
