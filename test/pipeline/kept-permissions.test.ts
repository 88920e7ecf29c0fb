import { expect, test } from 'vitest'
import { itemsAt, textAt } from '../../src/model/field.ts'
import { copyExample, handoffs } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cluster, HandoffFleet, options, preparedFleet } from './handoff-fleet.ts'

const project = (namespace: string): string => `rendered/handoff/appproject-${namespace}.management.yaml`

const role = (name: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: ${name}}\nrules: []\n`
const note = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes, namespace: audit}\ndata: {}\n'
const ofStack = 'providers/docker/demo/cluster-class/templates/more.yaml'
const beside = (name: string): string => `---\n${role(`${name}-audit`)}---\n${note.replace('notes', name)}`
const batch = 'clusters/team-b/batch/cluster.yaml'

/** What an AppProject permits: cluster-scoped kinds, then namespaces. */
function permits(fleet: HandoffFleet, namespace: string): readonly string[] {
  const object = fleet.object(project(namespace))
  const names = (list: string, field: string): string =>
    itemsAt(object, 'spec', list)
      .map((entry) => textAt(entry, field))
      .join(' ')
  return [names('clusterResourceWhitelist', 'kind'), names('destinations', 'namespace')]
}

/**
 * A fleet for Argo CD with a stack and two clusters, one alone in its namespace, that have a cluster-scoped object and
 * one of another namespace.
 */
function fleetWithMore(): Promise<HandoffFleet> {
  return preparedFleet('more', async () => {
    const fleet = new HandoffFleet(await tempFolder())
    copyExample(fleet, { handoff: [handoffs.argocd] })
    fleet.git('init', '-q', '--template=')
    fleet.write(ofStack, `${role('stack-audit')}---\n${note.replace('notes', 'stack')}`)
    fleet.write(cluster, `${fleet.read(cluster)}${beside('web')}`)
    fleet.write(batch, `${fleet.read(batch)}${beside('batch')}`)
    await fleet.render()
    fleet.commit()
    return fleet
  })
}

const leavers: Readonly<Record<string, readonly [leave: (fleet: HandoffFleet) => void, namespace: string]>> = {
  'of a stack': [(fleet) => fleet.remove(ofStack), 'platform'],
  'beside a Cluster': [(fleet) => fleet.edit(cluster, beside('web'), ''), 'team-a'],
}

test.each(Object.entries(leavers))(
  'an AppProject still permits what the last object of its kind, or of its namespace, needs to be pruned: %s',
  async (_, [leave, namespace]) => {
    const fleet = await fleetWithMore()
    const before = permits(fleet, namespace)
    expect(before).toEqual(['ClusterRole Namespace', `audit ${namespace}`])
    leave(fleet)
    const { changes } = await fleet.render()
    const left = Array.from(changes, ({ path }) => path)
    expect(left.some((path) => /clusterrole-.*audit/.test(path))).toBe(true)
    expect(left.some((path) => path.startsWith('handoff/'))).toBe(false)
    expect(permits(fleet, namespace)).toEqual(before)
    const same = async (given: Parameters<HandoffFleet['render']>[0]): Promise<unknown> => [
      ...(await fleet.render(given)).changes,
    ]
    expect(await same({ check: true })).toEqual([])
    fleet.commit()
    // nobody knows when Argo CD has pruned it
    for (const given of [{}, { check: true }, { base: 'HEAD~1' }, { check: true, base: 'HEAD~1' }])
      expect(await same(given)).toEqual([])
    expect(permits(fleet, namespace)).toEqual(before)
  },
)

test('an AppProject of a namespace with another cluster permits what a decommission has to delete at last', async () => {
  const fleet = await fleetWithMore()
  for (const step of ['{}', '{step: delete}', '{step: finish}', '{step: finish}']) {
    fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: ${step}}`))
    await fleet.render()
    fleet.commit()
    expect(permits(fleet, 'team-a')).toEqual(['ClusterRole Namespace', 'audit team-a'])
  }
  expect(fleet.has('rendered/handoff/team-a/web')).toBe(false)
})

test('an AppProject goes with its last unit, and a later one permits nothing of before', async () => {
  const fleet = await fleetWithMore()
  expect(permits(fleet, 'team-b')).toEqual(['ClusterRole Namespace', 'audit team-b'])
  fleet.remove('clusters/team-b')
  await fleet.render()
  fleet.commit()
  expect(fleet.has(project('team-b'))).toBe(false)
  fleet.git('checkout', '-q', 'HEAD~1', '--', 'clusters/team-b')
  fleet.edit(batch, beside('batch'), '')
  await fleet.render()
  expect(permits(fleet, 'team-b')).toEqual(['Namespace', 'team-b'])
})

test('what a person takes from a committed AppProject is not permitted any more, but what is there is', async () => {
  const fleet = await fleetWithMore()
  fleet.edit(cluster, beside('web'), '')
  await fleet.render()
  fleet.commit()
  fleet.edit(project('team-a'), / *- group: rbac\S+\n *kind: ClusterRole\n/, '')
  // what lies on disk is no commit
  expect(await fleet.render({ check: true }).then(({ changes }) => Array.from(changes, ({ path }) => path))).toEqual([
    'handoff/appproject-team-a.management.yaml',
  ])
  fleet.edit(project('platform'), / *- group: rbac\S+\n *kind: ClusterRole\n/, '')
  fleet.commit()
  expect(await fleet.render({ check: true, base: 'HEAD~1' }).then(({ changes }) => changes.length)).toBe(2)
  await fleet.render({ overwriteEdited: true })
  expect([permits(fleet, 'team-a'), permits(fleet, 'platform')]).toEqual([
    ['Namespace', 'audit team-a'],
    ['ClusterRole Namespace', 'audit platform'],
  ])
})

test('what a person adds to a committed AppProject is found by the base only', async () => {
  const fleet = await fleetWithMore()
  fleet.edit(project('team-a'), /^( *)- group: rbac/m, '$1- group: ""\n$1  kind: Node\n$1- group: rbac')
  fleet.commit()
  const changes = async (base?: string): Promise<unknown> =>
    Array.from((await fleet.render({ check: true, ...(base !== undefined && { base }) })).changes, ({ path }) => path)
  expect(await changes()).toEqual([])
  expect(await changes('HEAD~1')).toEqual(['handoff/appproject-team-a.management.yaml'])
})

const unreadable: Readonly<Record<string, (fleet: HandoffFleet) => void>> = {
  'no YAML': (fleet) => fleet.write(project('team-a'), 'a: b: c\n'),
  'a list': (fleet) => fleet.write(project('team-a'), '- a\n'),
  'no lists': (fleet) => fleet.write(project('team-a'), 'kind: AppProject\nmetadata: {name: team-a.management}\n'),
  patterns: (fleet) =>
    fleet.write(
      project('team-a'),
      'kind: AppProject\nmetadata: {name: team-a.management}\nspec:\n' +
        "  destinations: [{server: 'https://kubernetes.default.svc', namespace: '*'}, {name: team-a.web, namespace: x}]\n" +
        "  clusterResourceWhitelist: [{group: '*', kind: '*'}, {group: '', kind: Node, name: a}]\n",
    ),
}

test.each(Object.entries(unreadable))(
  'a committed AppProject that tells nothing is written anew: %s',
  async (_, damage) => {
    const fleet = await fleetWithMore()
    damage(fleet)
    fleet.commit()
    await fleet.render({ overwriteEdited: true })
    expect(permits(fleet, 'team-a')).toEqual(['ClusterRole Namespace', 'audit team-a'])
  },
)

test('without a commit what lies on disk may have been applied', async () => {
  const fleet = await fleetWithMore()
  fleet.git('rm', '-rq', '--cached', 'rendered')
  fleet.git('commit', '-qm', 'no tree')
  fleet.edit(cluster, beside('web'), '')
  await fleet.render()
  expect(permits(fleet, 'team-a')).toEqual(['ClusterRole Namespace', 'audit team-a'])
})
