import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { runCli } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fates, fleetOf, plantedPorts, soundFates } from './expand/fated-fleet.ts'

interface Outcome {
  /** The status, the report, and what was said meanwhile. */
  readonly told: readonly unknown[]
  readonly tree: Readonly<Record<string, string>>
}

async function outcomeOf(fleet: FleetFolder, words: readonly string[]): Promise<Outcome> {
  if (fleet.has('rendered') && !words.includes('--check')) fleet.remove('rendered')
  const options = { cwd: fleet.folder, ports: plantedPorts }
  const { status, stdout, stderr } = await runCli(['render', ...words, '--no-cache', '-q', '-o', 'json'], options)
  const tree = Object.fromEntries(fleet.filesBelow('rendered').map((path) => [path, fleet.read(`rendered/${path}`)]))
  return { told: [status, stdout.replace(/"milliseconds": \d+/, ''), stderr], tree }
}

/** Renders the shards of a fleet one after the other; returns what each said. */
async function renderShards(
  fleet: FleetFolder,
  { of, into, words = [] }: { readonly of: number; readonly into: string; readonly words?: readonly string[] },
): Promise<readonly string[]> {
  const said: string[] = []
  for (let index = 1; index <= of; index++) {
    const shard = ['--shard', `${String(index)}/${String(of)}`, '--shard-folder', into]
    const options = { cwd: fleet.folder, ports: plantedPorts }
    const { stdout } = await runCli(['render', ...shard, '--threads', '0', ...words, '-q', '-o', 'json'], options)
    said.push(stdout)
  }
  return said
}

describe('a fleet that is joined is the one that is rendered', () => {
  test('in every file, finding, step and status', { timeout: 600_000 }, async () => {
    const fleets = fc.record({
      tool: fc.constantFrom('flux' as const, 'argocd' as const, undefined),
      clusters: fc.oneof(
        fc.array(fc.constantFrom(...soundFates), { minLength: 1, maxLength: 8 }),
        fc.array(fc.constantFrom(...Object.keys(fates)), { minLength: 1, maxLength: 8 }),
      ),
    })
    const withheld: unknown[] = []
    await fc.assert(
      fc.asyncProperty(fleets, async ({ tool, clusters }) => {
        const fleet = await fleetOf(tool, clusters)
        const plain = await outcomeOf(fleet, [])
        if (fleet.has('rendered')) fleet.remove('rendered')
        for (const of of [1, 2, 3, 4, 5]) {
          const into = join(await tempFolder(), 'shards')
          for (const said of await renderShards(fleet, { of, into })) withheld.push(JSON.parse(said).shard.withheld)
          expect(await outcomeOf(fleet, ['--join', into])).toEqual(plain)
          if (fleet.has('rendered')) fleet.remove('rendered')
          rmSync(into, { recursive: true })
        }
      }),
      { numRuns: 5, seed: 15 },
    )
    expect(new Set(withheld)).toEqual(new Set([0]))
  })
})
