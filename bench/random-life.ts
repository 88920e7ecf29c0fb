import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { RandomFleet, steps } from '../tools/fleets/random-fleet.ts'
import { findDifference } from '../tools/fleets/random-life.ts'

/**
 * Random lives of a fleet, with each tool and none: `npx tsx bench/random-life.ts [LIVES] [STEPS] [SEED]` (default 10,
 * 30, 1). At every step a check has to pass exactly when there is nothing to write; prints the first step at which that
 * is not so.
 */
async function main([lives = '10', length = '30', seed = '1']: readonly string[]): Promise<void> {
  const bounds = { minLength: Number(length), maxLength: Number(length) }
  let differences = 0
  for (const tool of ['flux', 'argocd', 'none'] as const) {
    for (const life of fc.sample(fc.array(steps, bounds), { numRuns: Number(lives), seed: Number(seed) })) {
      const folder = await mkdtemp(join(tmpdir(), 'stackmason-life-'))
      const difference = await findDifference(await RandomFleet.open(folder, tool), life)
      if (difference !== undefined) console.log(`${tool}: ${difference}`)
      differences += difference === undefined ? 0 : 1
      await rm(folder, { recursive: true })
    }
  }
  console.log(`${lives} lives of ${length} steps for each tool, ${String(differences)} with a difference`)
  process.exitCode = differences === 0 ? 0 : 1
}

await main(process.argv.slice(2))
