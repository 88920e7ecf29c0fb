/**
 * Kills the real program with SIGKILL at random moments while it publishes, then publishes once more: the change is there,
 * once, and nothing is left of the killed run: the clone is as it was, with all refs and their past. `--from='git push'`
 * kills at that step of the program and later ones only; after `--seconds` no round begins.
 *
 *   npx tsx bench/publish-kills.ts [--form=branch|fleet|cluster] [--from=STEP] [--seconds=N] [rounds] [seed]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killPublishers } from '../tools/fleets/publish-trial.ts'
import { trialWords } from './support/trial-words.ts'

const { form, from, numbers, seconds } = trialWords()
const [most = 50, seed = 1] = numbers
const root = mkdtempSync(join(tmpdir(), 'stackmason-kills-'))
const started = performance.now()
const options = { root, rounds: most, seed, form, seconds, ...(from !== undefined && { from }) }
const { faults, ends, rounds } = await killPublishers(options)
rmSync(root, { recursive: true, force: true })
console.log(`${String(rounds)} rounds, seed ${String(seed)}, ${form}:`)
for (const [end, times] of Object.entries(ends)) console.log(`  ${end}: ${String(times)}`)
console.log(`${String(faults.length)} faults, ${((performance.now() - started) / 1000).toFixed(0)} s`)
for (const fault of faults) console.log(`  ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
