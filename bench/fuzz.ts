/**
 * Random templates and values against the chart engine: `npm run fuzz [SECONDS] [SEED]` (default 600, 1). Prints what
 * it saw; exit 1 after a fault.
 */
import { fuzzRender } from '../tools/fuzz-render.ts'

const [seconds = '600', seed = '1'] = process.argv.slice(2)
const { cases, rendered, refused, longest, faults } = fuzzRender({ seconds: Number(seconds), seed: Number(seed) })
for (const fault of faults.slice(0, 20)) process.stdout.write(`${JSON.stringify(fault)}\n`)
process.stdout.write(
  `${cases} cases in ${seconds} s: ${rendered} rendered, ${refused} refused, longest ${longest.toFixed(0)} ms, ${faults.length} faults\n`,
)
process.exitCode = faults.length === 0 ? 0 : 1
