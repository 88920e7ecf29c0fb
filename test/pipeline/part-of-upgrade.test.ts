import { expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import { explain } from '../../src/pipeline/commands/explain.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { labFleet } from '../../tools/fleets/lab-fleet.ts'
import { makeRolloutFleet, writeCluster } from '../../tools/fleets/rollout-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { options } from './handoff-fleet.ts'

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
