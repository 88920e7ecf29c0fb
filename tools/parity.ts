/**
 * Compares the chart engine with goldens of a real helm, in one process:
 * `tsx tools/parity.ts GOLDEN_DIR [REGEX] [--diff] [--time]`. The cases lie in `charts/cases.json` of the shared data
 * (STACKMASON_SHARED, or ../shared); its `golden.sh` made GOLDEN_DIR. Cases that have no golden there, as of a run of
 * golden.sh with a REGEX, are counted, and fail the comparison unless the same REGEX leaves them out. Masked lines are not compared; cases whose output
 * is random are passed over when there is no mask (MASKS=0). For goldens made with other flags (EXTRA) or by helm 3
 * there are
 * --include-crds, --skip-tests, --no-hooks and --helm3.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { encodeUtf8 } from '../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { template, type TemplateOptions } from '../src/pipeline/commands/template.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { corpusFolder, corpusOptions, readCorpus, type CorpusCase } from './corpus.ts'

const shared = resolve(process.env['STACKMASON_SHARED'] ?? '../shared')
const charts = corpusFolder(shared)
const switches = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')))
const [golden = '', pattern = ''] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const ports = createNodePorts()

function optionsOf(entry: CorpusCase): TemplateOptions {
  const options = corpusOptions(entry)
  return {
    ...options,
    cwd: charts,
    includeCrds: options.includeCrds === true || switches.has('--include-crds'),
    skipTests: switches.has('--skip-tests'),
    noHooks: switches.has('--no-hooks'),
    helmVersion: switches.has('--helm3') ? 3 : 4,
  }
}

async function run(entry: CorpusCase): Promise<string | StackmasonError> {
  try {
    return Buffer.from(encodeUtf8((await template(optionsOf(entry), ports)).output)).toString('latin1')
  } catch (error) {
    if (error instanceof StackmasonError) return error
    throw new Error(entry.name, { cause: error })
  }
}

function masked(text: string, mask: ReadonlySet<number>): string {
  if (mask.size === 0) return text
  return text
    .split('\n')
    .map((line, index) => (mask.has(index + 1) ? '#' : line))
    .join('\n')
}

function firstDifference(want: string, got: string): string {
  const wanted = want.split('\n')
  const found = got.split('\n')
  const at = wanted.findIndex((line, index) => line !== found[index])
  const line = at === -1 ? wanted.length : at
  const source = wanted.slice(0, line + 1).findLast((text) => text.startsWith('# Source: '))
  return `line ${line + 1} ${source ?? ''}\n    - ${wanted[line]?.slice(0, 200)}\n    + ${found[line]?.slice(0, 200)}`
}

function documents(text: string): string {
  return text
    .split(/^---$/m)
    .map((document) => document.trim())
    .sort()
    .join('\n---\n')
}

let equal = 0
let compared = 0
const without: string[] = []
const causes = new Map<string, number>()
const times: [number, string][] = []
for (const entry of readCorpus(shared)) {
  if (!new RegExp(pattern).test(entry.name)) continue
  // golden.sh writes it last
  const statusFile = join(golden, `${entry.name}.rc`)
  if (!existsSync(statusFile)) {
    without.push(entry.name)
    continue
  }
  const maskFile = join(golden, `${entry.name}.mask`)
  const mask = new Set(
    existsSync(maskFile) ? readFileSync(maskFile, 'utf8').split('\n').filter(Boolean).map(Number) : [],
  )
  if (entry.nondeterministic === true && mask.size === 0) continue
  compared++
  const wantedStatus = Number(readFileSync(statusFile, 'utf8'))
  const start = performance.now()
  let result: string | StackmasonError
  try {
    result = await run(entry)
  } catch (error) {
    console.log(`CRASH ${entry.name}:`, error instanceof Error ? error.cause : error)
    continue
  }
  times.push([performance.now() - start, entry.name])
  if (result instanceof StackmasonError) {
    if (wantedStatus !== 0) {
      equal++
      continue
    }
    const [first] = result.diagnostics
    const cause = `${first?.code}: ${first?.message.slice(0, 200)}`
    causes.set(cause, (causes.get(cause) ?? 0) + 1)
    console.log(`ERROR ${entry.name}: ${cause} ${first?.at?.source.name ?? first?.file ?? ''}`)
    if (switches.has('--diff'))
      console.log(first?.trace?.map(({ what, at }) => `    ${what} ${at?.source.name}`).join('\n'))
    continue
  }
  if (wantedStatus !== 0) {
    console.log(
      `ACCEPTED ${entry.name}: helm says ${readFileSync(join(golden, `${entry.name}.err`), 'utf8').slice(0, 200)}`,
    )
    continue
  }
  const want = masked(readFileSync(join(golden, `${entry.name}.yaml`), 'latin1'), mask)
  const got = masked(result, mask)
  if (want === got) {
    equal++
    continue
  }
  const order = documents(want) === documents(got) ? ' (order)' : ''
  console.log(`DIFFERS ${entry.name}${order}: ${firstDifference(want, got)}`)
  if (switches.has('--diff')) writeFileSync(join(golden, `${entry.name}.ours`), result, 'latin1')
}
if (switches.has('--time')) {
  for (const [time, name] of times.sort(([a], [b]) => b - a).slice(0, 15)) console.log(`${time.toFixed(0)} ms ${name}`)
  console.log(`${times.reduce((sum, [time]) => sum + time, 0).toFixed(0)} ms in all`)
}
for (const [cause, count] of [...causes].sort(([, a], [, b]) => b - a).slice(0, 20)) console.log(`${count} × ${cause}`)
if (without.length > 0)
  console.log(
    `${without.length} without a golden in ${golden || 'GOLDEN_DIR'}, such as ${without[0]}: make them with golden.sh, or give the REGEX that it was given`,
  )
console.log(`${equal} of ${compared} equal`)
process.exitCode = equal === compared && compared > 0 && without.length === 0 ? 0 : 1
