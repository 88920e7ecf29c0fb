import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Damage, damageKinds, DamagedFleet, lifeStates, seededNumbers } from '../tools/fleets/damaged-file.ts'

/** Each way of damage. */
const ways = damageKinds.flatMap((kind) => (['on disk', 'committed'] as const).map((is) => ({ kind, is })))

/**
 * Damages every file of the tree, in every committed state of a cluster's life, in every way, on disk and in a commit:
 * `npx tsx bench/damaged-file.ts [TRIES] [SEED]`, with TRIES so many of each state. Prints what a render does then that
 * it must not.
 */
async function main([tries = '', seed = '1']: readonly string[]): Promise<void> {
  const next = seededNumbers(Number(seed))
  let done = 0
  let failures = 0
  for (const tool of ['flux', 'argocd'] as const) {
    const folder = await mkdtemp(join(tmpdir(), 'stackmason-damaged-'))
    const fleet = await DamagedFleet.open(folder, tool)
    for (const state of lifeStates) {
      const all = fleet.files(state).flatMap((file) => ways.map((way): Damage => ({ ...way, file })))
      const chosen =
        tries === ''
          ? all
          : Array.from({ length: Number(tries) }, () => all[next(all.length)]).filter((one) => one !== undefined)
      for (const damage of chosen) {
        done++
        const wrong = await tell(fleet, state, damage)
        if (wrong.length > 0) failures++
        for (const line of wrong) console.log(`${tool}, ${state}: ${damage.kind} ${damage.file} ${damage.is}: ${line}`)
      }
    }
    await rm(folder, { recursive: true })
  }
  console.log(`${String(done)} damages, ${String(failures)} with a failure`)
  process.exitCode = failures === 0 ? 0 : 1
}

async function tell(fleet: DamagedFleet, state: string, damage: Damage): Promise<readonly string[]> {
  try {
    return await fleet.try(state, damage)
  } catch (error) {
    return [`crashes: ${String(error)}`]
  }
}

await main(process.argv.slice(2))
