import { expect, test } from 'vitest'
import type { FoldedChange, FoldedObject, TreeChange } from '../../src/model/tree-change.ts'
import { formatFacts } from '../../src/report/tree-change/format-facts.ts'
import { createClusterNames } from '../../src/report/tree-change/name-clusters.ts'

const facts: TreeChange['facts'] = {
  clusters: { added: [], removed: [], changed: 1, unchanged: 0 },
  kubernetes: [],
  steps: [],
  addons: [],
  images: [],
  releases: [],
  variables: [],
  definitions: [],
  unread: [],
}

function removed(kind: string, name: string, undo: FoldedObject['undo'] = []): FoldedObject {
  return { change: 'removed', apiVersion: 'v1', kind, name, fields: [], risks: ['deletes'], undo, members: [] }
}

function group(addon: string, ...objects: readonly FoldedObject[]): FoldedChange {
  return { part: { kind: 'addon', addon, owner: 'cluster' }, clusters: [{ namespace: 'team', name: 'one' }], objects }
}

function effects(...groups: readonly FoldedChange[]): readonly string[] {
  return formatFacts({ facts, changes: [], groups }, { detail: 'short', name: createClusterNames('short') })
}

test('what a revert does not bring back comes first, however much else is deleted', () => {
  const many = Array.from({ length: 20 }, (_, index) => group(`a${String(index)}`, removed('ConfigMap', 'a')))
  const lines = effects(...many, group('last', removed('Namespace', 'prod', ['content-is-gone'])))
  expect(lines[1]).toBe(
    '  deletes  own addon last: Namespace prod on team/one; a revert does not bring back what was in it',
  )
  expect(lines.at(-1)).toBe('  … 12 more: 12 deletes (--all)')
})

test('among many objects those are named that a revert does not bring back', () => {
  const [, line] = effects(
    group('own', removed('ConfigMap', 'a'), removed('Namespace', 'prod', ['content-is-gone']), removed('Secret', 'b')),
  )
  expect(line).toBe(
    '  deletes  own addon own: Namespace prod, ConfigMap a, Secret b on team/one; a revert does not bring back what was in it',
  )
})

test('what is alike is one, so that nothing hides among it', () => {
  const guard = (kind: string, name: string, text: string): FoldedObject => ({
    ...removed(kind, name),
    change: 'changed',
    risks: ['lowers-guard'],
    reasons: [{ risk: 'lowers-guard', text }],
  })
  const many = Array.from({ length: 26 }, (_, index) => guard('NetworkPolicy', `n${String(index)}`, 'gone'))
  const [, line] = effects(
    group('cni', ...many, guard('ValidatingPolicy', 'images', 'validationActions Deny -> Audit')),
  )
  expect(line).toBe(
    '  lowers guard  own addon cni: ValidatingPolicy images (validationActions Deny -> Audit); 26 NetworkPolicy (gone): n0, n1, n2, … on team/one',
  )
})

test('many kinds are counted where they are too many, with how to see them', () => {
  const kinds = Array.from({ length: 12 }, (_, index) => removed(`Kind${String(index)}`, 'a'))
  const [, line] = effects(group('cni', ...kinds, removed('Namespace', 'prod', ['content-is-gone'])))
  expect(line).toBe(
    '  deletes  own addon cni: Namespace prod; Kind0 a; Kind1 a; Kind2 a; Kind3 a; Kind4 a; Kind5 a; Kind6 a; 5 more objects (--all) on team/one; a revert does not bring back what was in it',
  )
})

test('of many objects that go, those are named first that hold data or run', () => {
  const kinds = ['CSIDriver', 'ConfigMap', 'CronJob', 'Deployment', 'Job', 'Lease', 'Role', 'Secret', 'Service', 'Zone']
  const own = [...kinds, 'StatefulSet'].map((kind) => removed(kind, 'a'))
  const custom = { ...removed('Database', 'a'), apiVersion: 'db.example.com/v1' }
  const line = ([, text]: readonly string[]): string | undefined => text
  expect(line(effects(group('db', ...own, custom)))).toBe(
    '  deletes  own addon db: StatefulSet a; Deployment a; Database a; CSIDriver a; ConfigMap a; CronJob a; Job a; Lease a; 4 more objects (--all) on team/one',
  )
  const few = [removed('ConfigMap', 'a'), removed('StatefulSet', 'a'), custom]
  expect(line(effects(group('db', ...few)))).toBe(
    '  deletes  own addon db: StatefulSet a, Database a, ConfigMap a on team/one',
  )
  const moving = few.map((object) => ({ ...object, risks: ['moves-unit' as const] }))
  expect(line(effects(group('db', ...moving)))).toBe(
    '  moves unit  own addon db: StatefulSet a and 2 more objects on team/one',
  )
})

/** A Cluster that some clusters change, in a group of its own. */
function clusterGroup(
  names: readonly string[],
  fields: Readonly<Record<string, readonly [string, string]>>,
  undo: FoldedObject['undo'] = [],
): FoldedChange {
  const object: FoldedObject = {
    change: 'changed',
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    namespace: 'team',
    name: '<cluster>',
    fields: Object.entries(fields).map(([path, [before, after]]) => ({ path: path.split('.'), before, after })),
    risks: ['rolls-nodes'],
    undo,
    members: [],
  }
  return { part: { kind: 'cluster' }, clusters: names.map((name) => ({ namespace: 'team', name })), objects: [object] }
}

test('an upgrade is one line, whatever else differs in its Clusters, and without its templates', () => {
  const move = {
    'spec.topology.classRef.name': ['openstack-scs-1-34-v3', 'openstack-scs-1-34-v4'],
    'spec.topology.version': ['v1.34.1', 'v1.34.4'],
  } as const
  const template: FoldedObject = {
    ...removed('OpenStackMachineTemplate', 'a'),
    change: 'changed',
    risks: ['rolls-nodes'],
  }
  const release = (tag: string): FoldedChange => ({
    part: { kind: 'stack', namespace: 'team', tag, before: 'openstack-scs-1-34-v3' },
    clusters: [],
    objects: [template],
  })
  const lines = effects(
    clusterGroup(['b', 'c'], move, ['kubernetes-version']),
    clusterGroup(['a'], { ...move, 'spec.topology.controlPlane.replicas': ['1', '3'] }, ['kubernetes-version']),
    release('openstack-scs-1-34-v4'),
    release('openstack-scs-1-34-v5'),
  )
  expect(lines).toEqual([
    'Effects',
    '  rolls nodes  openstack-scs 1.34 v3 -> v4 (Kubernetes v1.34.1 -> v1.34.4) on 3 clusters: team/{a,b,c}; a revert does not lower the version',
    '  rolls nodes  of clusters that move, by release openstack-scs-1-34-v3 -> openstack-scs-1-34-v5 in team: OpenStackMachineTemplate a',
  ])
})

test('a way back is undone by a revert', () => {
  const back = clusterGroup(['a'], {
    'spec.topology.classRef.name': ['openstack-scs-1-34-v1', 'openstack-scs-1-33-v1'],
    'spec.topology.version': ['v1.34.1', 'v1.33.2'],
  })
  expect(effects(back)).toEqual([
    'Effects',
    '  rolls nodes  openstack-scs 1.34 v1 -> 1.33 v1 (Kubernetes v1.34.1 -> v1.33.2) on team/a',
  ])
})

test('what rolls nodes for the same reason is one line, and another reason another', () => {
  const flavor = clusterGroup(['a'], { 'spec.topology.variables.flavor': ['x', 'y'] })
  const [object] = flavor.objects
  if (object === undefined) throw new Error('the group has an object')
  const endpoint = { ...object, reasons: [{ risk: 'rolls-nodes' as const, text: 'variable network' }] }
  expect(
    effects(flavor, { ...flavor, clusters: [{ namespace: 'team', name: 'd' }] }, { ...flavor, objects: [endpoint] }),
  ).toEqual(['Effects', '  rolls nodes  Cluster team/{a,d}', '  rolls nodes  Cluster team/a (variable network)'])
})
