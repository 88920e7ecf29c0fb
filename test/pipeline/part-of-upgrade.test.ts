import { expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import { explain } from '../../src/pipeline/commands/explain.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { labFleet } from '../../tools/fleets/lab-fleet.ts'
import { makeRolloutFleet, writeCluster } from '../../tools/fleets/rollout-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from '../cli/run-cli.ts'
import { options } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const object = 'rendered/clusters/team/one/cluster/cluster-one.yaml'
const addon = 'rendered/clusters/team/one/addons/01-web/configmap-web.yaml'

/** A fleet with a cluster that is to go from 1.34 to 1.36, with what is between them on offer. */
async function upgraded(): Promise<FleetFolder> {
  const fleet = labFleet(await tempFolder(), [])
  const releases = ['1-34-v1', '1-35-v1', '1-36-v1']
  makeRolloutFleet(fleet, { releases, clusters: [{ name: 'one', release: '1-34-v1' }] })
  await fleet.render()
  fleet.commit()
  writeCluster(fleet, { name: 'one', release: '1-36-v1' })
  return fleet
}

/** The class of the rendered cluster, and what its files are said to come from. */
async function stateOf(fleet: FleetFolder): Promise<readonly string[]> {
  const files = await Promise.all(
    [object, addon].map((file) => explain({ start: fleet.folder, file: fleet.path(file) }, fleet.ports)),
  )
  const cluster = parseGoYaml(fleet.read(object))
  return [textAt(cluster, 'spec', 'topology', 'class'), ...files.map(({ from }) => from)]
}

const source = 'clusters/team/one/cluster.yaml'
const steps = [
  ['docker-lab-1-34-v1', source, 'docker-lab-1-35-v1'],
  ['docker-lab-1-35-v1', source, 'docker-lab-1-35-v1'],
  ['docker-lab-1-35-v1', source, 'docker-lab-1-36-v1'],
  ['docker-lab-1-36-v1', source, 'docker-lab-1-36-v1'],
]
const committed = [object, addon].map((file) => file.replace('rendered/', ''))

test('a cluster that is upgraded over several minors is explained in every step, frozen too', async () => {
  const fleet = await upgraded()
  const found: (readonly string[])[] = []
  const frozen: (readonly string[])[] = []
  for (let step = 0; step < steps.length; step++) {
    await fleet.render()
    fleet.commit()
    found.push(await stateOf(fleet))
    fleet.write('clusters/team/one/options.yaml', options('{freeze: true}'))
    frozen.push(await stateOf(fleet))
    fleet.remove('clusters/team/one/options.yaml')
  }
  expect(found).toEqual(steps)
  expect(frozen).toEqual(steps.map(([className]) => [className, ...committed]))
})

const tags = ['docker-lab-1-34-v1', 'docker-lab-1-35-v1', 'docker-lab-1-36-v1'] as const
const [first, second, third] = tags

test.each([
  {
    name: 'before the first step',
    commits: 0,
    report: { release: first, wanted: third, kubernetesVersion: 'v1.34.1', newer: {} },
    facts: [`release ${first} on team/one`, `wanted ${third} for team/one`],
    next: `addons of ${second}; the Cluster stays at ${first}`,
    users: ['team/one (in the tree)', '-', 'team/one (wanted)'],
    inTree: ['all', '', ''],
  },
  {
    name: 'with addons that are ahead',
    commits: 1,
    report: { release: first, addonsRelease: second, wanted: third, kubernetesVersion: 'v1.34.1', newer: {} },
    facts: [`release ${first} with the addons of ${second} on team/one`, `wanted ${third} for team/one`],
    next: `class ${second} and the version that it is made for, one of v1.35`,
    users: ['team/one (in the tree)', 'team/one (addons in the tree)', 'team/one (wanted)'],
    inTree: ['cluster', 'addons', ''],
  },
  {
    name: 'at the release in between',
    commits: 2,
    report: { release: second, wanted: third, kubernetesVersion: 'v1.35.1', newer: {} },
    facts: [`release ${second} on team/one`, `wanted ${third} for team/one`],
    next: `addons of ${third}; the Cluster stays at ${second}`,
    users: ['-', 'team/one (in the tree)', 'team/one (wanted)'],
    inTree: ['', 'all', ''],
  },
  {
    name: 'before the last step',
    commits: 3,
    report: { release: second, addonsRelease: third, wanted: third, kubernetesVersion: 'v1.35.1', newer: {} },
    facts: [`release ${second} with the addons of ${third} on team/one`, `wanted ${third} for team/one`],
    next: `class ${third}, version v1.36.1`,
    users: ['-', 'team/one (in the tree)', 'team/one (wanted, addons in the tree)'],
    inTree: ['', 'cluster', 'addons'],
  },
  {
    name: 'at the end',
    commits: 4,
    report: { release: third, kubernetesVersion: 'v1.36.1', newer: {} },
    facts: [`release ${third} on team/one`],
    next: undefined,
    users: ['-', '-', 'team/one'],
    inTree: ['', '', 'all'],
  },
])('report and list say what the tree has, and what is wanted: $name', async ({ commits, next, ...want }) => {
  const fleet = await upgraded()
  for (let step = 0; step < commits; step++) {
    await fleet.render()
    fleet.commit()
  }
  const run = async (...words: readonly string[]): Promise<string> =>
    (await runCli([...words], { cwd: fleet.folder })).stdout
  const { clusters } = JSON.parse(await run('report', '-q', '-o', 'json')) as { clusters: readonly object[] }
  const common = { cluster: { namespace: 'team', name: 'one' }, stack: 'docker-lab' }
  expect(clusters).toEqual([
    { ...common, addons: expect.anything(), images: 0, ...want.report, ...(next !== undefined && { step: next }) },
  ])
  const facts = (await run('report', '-q', '-o', 'text')).split('\n').map((line) => line.trim().replace(/ {2,}/, ' '))
  expect(facts.filter((line) => /^(?:release|wanted|later Kubernetes) /.test(line))).toEqual(want.facts)
  expect(facts.filter((line) => line.startsWith('next render '))).toEqual(
    next === undefined ? [] : [`next render ${next}: team/one`],
  )
  const rows = (await run('list')).trim().split('\n').slice(1)
  expect(rows.map((row) => row.split(/ {2,}/).at(-1))).toEqual(want.users)
  const { releases } = JSON.parse(await run('list', '-o', 'json')) as {
    releases: readonly { usedBy: readonly string[]; inTree: readonly { cluster: string; holds: string }[] }[]
  }
  expect(releases.map(({ usedBy }) => usedBy)).toEqual([[], [], ['team/one']])
  expect(releases.map(({ inTree }) => inTree.map(({ holds }) => holds).join())).toEqual(want.inTree)
})

test('such a cluster rendered alone takes the same steps', async () => {
  const fleet = await upgraded()
  const found: (readonly string[])[] = []
  for (let step = 0; step < steps.length; step++) {
    await fleet.render({ clusters: ['one'] })
    fleet.commit()
    found.push(await stateOf(fleet))
  }
  expect(found).toEqual(steps)
})

test('between two steps its class does not change to another namespace, though that has the stack', async () => {
  const fleet = labFleet(await tempFolder(), [])
  const releases = ['1-34-v1', '1-35-v1']
  const clusters = ['team', 'other'].map((namespace) => ({ name: 'one', namespace, release: '1-34-v1' }))
  makeRolloutFleet(fleet, { releases, clusters })
  await fleet.render()
  fleet.commit()
  writeCluster(fleet, { name: 'one', release: '1-35-v1' })
  await fleet.render()
  fleet.commit()
  fleet.edit(source, '  topology:', '  topology:\n    classNamespace: other')
  const refused = [
    'UPGRADE_CHANGES_STACK clusters/team/one/cluster.yaml:11:12 team/one names class docker-lab-1-35-v1 in namespace other, but its Cluster stays at docker-lab-1-34-v1 ' +
      'in namespace team for now, whose stack would leave the tree | Put namespace team back, of the class and of its ClusterStack, and change it when the Cluster has no step under way.',
  ]
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual(refused)
  expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual(refused)
})
