import { expect, it, onTestFinished } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import { update } from '../../src/pipeline/commands/update.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { copyExample } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { answerReleases, clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { problemsOf } from './remote-fleet.ts'

/** A fleet on a machine that names no folder for a cache. */
async function fleetWithoutCache(): Promise<FleetFolder> {
  return new FleetFolder(await tempFolder(), { ...createNodePorts(), environment: { get: () => undefined } })
}

it('renders, checks and locks what lies in folders', async () => {
  const fleet = await fleetWithoutCache()
  copyExample(fleet, { clusters: ['team-a/web'] })
  const updated = await update(
    { start: fleet.folder, stacks: [], releases: [], prune: false, dryRun: false },
    fleet.ports,
  )
  expect(updated.findings).toEqual([])
  expect((await fleet.render()).clusters).toBe(1)
  const checked = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
  expect(checked.findings.filter(({ severity }) => severity === 'error')).toEqual([])
})

it('says what to name where a release has to be fetched', async () => {
  const fleet = await fleetWithoutCache()
  const offered = new Map([['docker-demo-1-34-v1', releaseFiles('v1')]])
  const server = await startWebServer(({ path }) => answerReleases(path, offered))
  onTestFinished(server.close)
  fleet.change({
    'stackmason.yaml': fleetYaml(server.url),
    'stacks/demo.yaml': stackYaml('versions: [v1]'),
    'clusters/team-a/web/cluster.yaml': clusterYaml('v1'),
  })
  const updating = update({ start: fleet.folder, stacks: [], releases: [], prune: false, dryRun: false }, fleet.ports)
  expect(await problemsOf(updating, fleet.folder)).toEqual([
    'CACHE_FAILED - there is no home folder to keep the cache in | Set STACKMASON_CACHE to the absolute path of a folder.',
  ])
})
