/**
 * Publishers at once on one repository, while authors push to the same branch: every change arrives, once; after `--seconds` no round begins.
 *
 *   npx tsx bench/publish-races.ts [--form=branch|fleet|cluster] [--seconds=N] [publishers] [rounds] [seed]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { racePublishers } from '../tools/fleets/publish-trial.ts'
import { trialWords } from './support/trial-words.ts'

const { form, numbers, seconds } = trialWords()
const [publishers = 10, most = 20, seed = 1] = numbers
const root = mkdtempSync(join(tmpdir(), 'stackmason-races-'))
const started = performance.now()
const { faults, ends, rounds } = await racePublishers({ root, publishers, rounds: most, seed, form, seconds })
rmSync(root, { recursive: true, force: true })
console.log(`${String(publishers)} publishers, ${String(rounds)} rounds, seed ${String(seed)}, ${form}:`)
for (const [end, times] of Object.entries(ends)) console.log(`  ${end}: ${String(times)}`)
console.log(`${String(faults.length)} faults, ${((performance.now() - started) / 1000).toFixed(0)} s`)
for (const fault of faults) console.log(`  ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
