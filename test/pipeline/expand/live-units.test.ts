import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Manifest } from '../../../src/model/manifest.ts'
import { expandFleet, type TakeFolders } from '../../../src/pipeline/expand/expand-fleet.ts'
import { openFleet } from '../../../src/pipeline/fleet/open-fleet.ts'
import { serializeApart } from '../../../src/write/serialize-folder.ts'
import { openTreeCheck } from '../../../src/write/write-tree.ts'
import { exampleFleet, handoffs } from '../../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const CLUSTERS = 24
/** Those whose files are compared while the next is rendered, the one that is rendered, and what the machine still holds. */
const AT_ONCE = 8

async function manyClusters(): Promise<FleetFolder> {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/web'], handoff: [handoffs.flux] })
  for (let index = 1; index < CLUSTERS; index++) {
    const copy = `clusters/team-a/web-${String(index)}`
    fleet.copy(fleet.path('clusters/team-a/web'), copy)
    fleet.edit(`${copy}/cluster.yaml`, 'name: web\n', `name: web-${String(index)}\n`)
  }
  return fleet
}

/** The most units of which something was in memory at once, while a fleet is expanded and its files are compared. */
async function mostAlive(keep: (manifest: Manifest) => void): Promise<number> {
  const fleet = await manyClusters()
  const { folder, ports } = fleet
  const opened = await openFleet({ start: folder }, ports)
  const owner = { name: 'test', file: '../stackmason.yaml' }
  const tree = openTreeCheck(
    { output: fleet.path('rendered'), owner, allowEmpty: false, overwriteEdited: false },
    ports,
  )
  const units: WeakRef<Manifest>[] = []
  let most = 0
  const take: TakeFolders = async ({ folders }) => {
    for (const { manifests } of folders)
      for (const manifest of manifests.filter(({ kind }) => kind === 'Cluster')) {
        keep(manifest)
        units.push(new WeakRef(manifest))
      }
    await tree.add(folders.map((folder) => serializeApart(folder, ports.crypto)))
    // what was looked at stays until the machine's turn
    await setImmediate()
    collectGarbage()
    most = Math.max(most, units.filter((unit) => unit.deref() !== undefined).length)
    await setImmediate()
  }
  const options = {
    selection: { clusters: [], stacks: [] },
    revision: { from: 'commit' },
    network: 'offline',
  } as const
  await expandFleet(opened, options, { ports, take })
  await tree.end([''])
  expect(units).toHaveLength(CLUSTERS)
  return most
}

test('a unit is forgotten when its files are compared', async () => {
  expect(await mostAlive(() => undefined)).toBeLessThan(AT_ONCE)
})

test('a unit that somebody keeps is seen', async () => {
  const kept: Manifest[] = []
  expect(await mostAlive((manifest) => kept.push(manifest))).toBe(CLUSTERS)
})
