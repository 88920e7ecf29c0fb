/**
 * Renders random templates with the engine and with Helm's own, and prints where output or error text differ, most
 * frequent function first: `tsx tools/fuzz.ts ORACLE [--rows N] [--seed N] [--all]`. ORACLE is the program in
 * tools/oracle. Rows that two runs of it render differently (orders that Go leaves open) are not compared.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { decodeUtf8, encodeUtf8 } from '../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { createTokenTable } from '../src/model/token.ts'
import { dict } from '../src/model/value.ts'
import { createCapabilities } from '../src/render/chart/capabilities.ts'
import { ChartValues } from '../src/render/chart/chart-values.ts'
import { createChartNode } from '../src/render/chart/chart-node.ts'
import { collectTemplates } from '../src/render/chart/template-data.ts'
import { parseValues } from '../src/codec/parse-values.ts'
import { chunkText, createEngine, removeNoValue } from '../src/render/engine/engine.ts'
import { formatHelmError } from '../src/render/engine/format-error.ts'
import { defaultLimits } from '../src/render/engine/limits.ts'
import { TemplateError } from '../src/render/engine/template-error.ts'
import { chartFunctions } from '../src/render/functions/registry.ts'
import { buildChart } from '../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { createTemplateSource } from './random-template.ts'
import { values } from './template-words.ts'

interface Outcome {
  readonly output?: string
  readonly error?: string
}

interface Difference {
  readonly kind: 'status' | 'output' | 'error' | 'position' | 'crash'
  readonly template: string
  readonly want: Outcome
  readonly got: Outcome
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
  },
})
const [oracle = ''] = positionals
const ports = createNodePorts()

/** Some templates make Helm itself hang, overflow its stack or eat all memory: they have no answer. */
function askOracle(templates: readonly string[]): readonly (Outcome | undefined)[] {
  const outcomes: (Outcome | undefined)[] = []
  while (outcomes.length < templates.length) {
    const batch = templates.slice(outcomes.length, outcomes.length + 1000)
    const input = [values, ...batch].map((line) => JSON.stringify(line)).join('\n')
    const command = `ulimit -v 8000000; exec "${oracle}" 2>/dev/null`
    const { stdout } = spawnSync('sh', ['-c', command], {
      input,
      maxBuffer: 2 ** 29,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
      timeout: 60_000,
    })
    const lines = stdout
      .slice(0, stdout.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
    outcomes.push(...lines.map(readOutcome))
    if (lines.length < batch.length) outcomes.push(undefined)
  }
  return outcomes
}

function readOutcome(line: string): Outcome {
  const text = (base64: string): string => decodeUtf8(Buffer.from(base64, 'base64'))
  const { output, error }: { readonly output: string | null; readonly error?: string } = JSON.parse(line)
  return error === undefined ? { output: text(output ?? '') } : { error: text(error) }
}

const file = (path: string, text: string): { path: string; bytes: Uint8Array } => ({ path, bytes: encodeUtf8(text) })
const chart = buildChart(
  [
    file('Chart.yaml', 'apiVersion: v2\nname: c\nversion: 1.2.3\n'),
    file('values.yaml', JSON.stringify(values)),
    file('a.txt', 'one\ntwo\n'),
    file('d/b.txt', 'b'),
    file('templates/t', ''),
  ],
  'c',
  ports,
)
const node = createChartNode(chart)

function render(text: string): Outcome {
  try {
    const [place] = collectTemplates(node, parseValues(JSON.stringify(values)), {
      helmVersion: 4,
      capabilities: createCapabilities({ kubeVersion: undefined, apiVersions: [], helmVersion: 4 }),
      release: { name: 'rel', namespace: 'ns', isUpgrade: false, revision: 1 },
    })
    if (place === undefined) throw new Error('the chart has no template')
    const engine = createEngine({
      functions: chartFunctions,
      lateBound: true,
      limits: defaultLimits,
      crypto: ports.crypto,
      tokens: createTokenTable(),
      generate: { seed: 'fuzz' },
      onFinding: () => {},
    })
    const set = engine.createSet([engine.parse({ name: place.path, text })])
    const about = dict([
      ['Name', place.path],
      ['BasePath', place.basePath],
    ])
    place.data.set('Template', new ChartValues(about, 4))
    return { output: chunkText(removeNoValue(engine.execute(set, place.path, place.data))) }
  } catch (error) {
    if (error instanceof TemplateError) return { error: formatHelmError(error) }
    if (error instanceof StackmasonError) return { error: `${error.diagnostics[0]?.code}: ${error.message}` }
    return { error: `CRASH ${error instanceof Error ? error.stack : String(error)}` }
  }
}

/** The part of an error that says what is wrong, without where. */
function reason(error: string): string {
  return error.replaceAll(/\(?c\/templates\/t:\d+(:\d+)?\)?/g, '@').replaceAll(/at <.*?>: ?\n?/gs, '')
}

function differenceOf(want: Outcome, got: Outcome): Difference['kind'] | undefined {
  if (got.error?.startsWith('CRASH') === true) return 'crash'
  if ((want.error === undefined) !== (got.error === undefined)) return 'status'
  if (want.error === undefined || got.error === undefined) return want.output === got.output ? undefined : 'output'
  if (want.error === got.error) return undefined
  return reason(want.error) === reason(got.error) ? 'position' : 'error'
}

/** The functions that a template calls, for counting. */
function functionsOf(template: string): readonly string[] {
  const names = template.slice(template.indexOf('"n" nil }}')).match(/[a-zA-Z_0-9]+/g) ?? []
  return [...new Set(names)].filter((name) => chartFunctions.has(name))
}

function show({ output, error }: Outcome): string {
  return error === undefined ? JSON.stringify(output) : `error: ${JSON.stringify(error)}`
}

const source = createTemplateSource(Number(options.seed))
const templates = Array.from({ length: Number(options.rows) }, source.next)
const wanted = askOracle(templates)
const suspects = templates.flatMap((template, at) => {
  const want = wanted[at]
  if (want === undefined) return []
  const got = render(template)
  const kind = differenceOf(want, got)
  return kind === undefined ? [] : [{ kind, template, want, got }]
})
const again = askOracle(suspects.flatMap(({ template }) => Array.from({ length: 6 }, () => template)))
const differences = suspects.filter(({ want }, at) =>
  again.slice(at * 6, at * 6 + 6).every((other) => other?.output === want.output && other?.error === want.error),
)
const counts = new Map<string, number>()
for (const { template, kind } of differences)
  for (const name of functionsOf(template)) counts.set(`${kind} ${name}`, (counts.get(`${kind} ${name}`) ?? 0) + 1)
for (const { kind, template, want, got } of options.all ? differences : differences.slice(0, 40)) {
  const short = template.slice(template.indexOf('"n" nil }}') + '"n" nil }}'.length)
  console.log(`${kind}: ${short}\n  - ${show(want).slice(0, 500)}\n  + ${show(got).slice(0, 500)}`)
}
for (const [what, count] of [...counts].sort(([, a], [, b]) => b - a).slice(0, 25)) console.log(`${count} × ${what}`)
const failed = wanted.filter((outcome) => outcome?.error !== undefined).length
const unanswered = wanted.filter((outcome) => outcome === undefined).length
console.log(
  `${templates.length} templates (${failed} fail in Helm, ${unanswered} end it), ${suspects.length - differences.length} differ from run to run, ${differences.length} differ`,
)
process.exitCode = differences.length === 0 ? 0 : 1
