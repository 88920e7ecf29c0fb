/**
 * Renders real charts one after another with values that differ in a few words, from a memory and each alone; see
 * bench/README.md.
 *   tsx bench/sibling-charts.ts [TRIES] [SEED] [REGEX]        (default 6 for each case, seed 1, all charts)
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseValues } from '../src/codec/parse-values.ts'
import type { Chart } from '../src/model/chart.ts'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { copyValue, fieldAt, withField } from '../src/model/field.ts'
import { Dict, type Value } from '../src/model/value.ts'
import { mergeValues } from '../src/render/chart/merge-values.ts'
import { applySet } from '../src/render/chart/parse-set.ts'
import { readChart } from '../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { corpusFolder, corpusOptions, readCorpus, type CorpusCase } from '../tools/corpus.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { outcomeOf, rendererOf, runOf } from '../tools/sibling-renders.ts'

const shared = sharedFolder()
if (shared === undefined) throw new Error('needs the shared data')
const [tries = 6, seed = 1] = process.argv.slice(2, 4).map(Number)
const pattern = new RegExp(process.argv[4] ?? '')
const folder = corpusFolder(shared)
const ports = createNodePorts()
const words = [
  'cluster-001',
  'cluster-2',
  'cluster-017.clusters.example.com',
  '10.244.0.0/16',
  '6f1c2b1e-3f4a-4c5d-8e9f-0a1b2c3d4e5f',
  'kube',
  'prod-1',
  'a-name-that-is-as-long-as-labels-may-be-and-not-longer-by-one',
  'Gp3_x/y',
]

let state = seed
function draw(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[draw(items.length)]
  if (item === undefined) throw new Error('nothing to draw from')
  return item
}

const counts = { cases: 0, tries: 0, renders: 0, shared: 0, decided: 0, failing: 0, different: 0 }
for (const entry of readCorpus(shared)) {
  if (!pattern.test(entry.name)) continue
  const input = await inputOf(entry)
  if (input === undefined) continue
  counts.cases++
  tryCase(entry, input)
}
process.stdout.write(`${JSON.stringify(counts)}\n`)
process.exitCode = counts.different === 0 ? 0 : 1

interface Input {
  readonly chart: Chart
  readonly values: Dict
  readonly paths: readonly (readonly string[])[]
  /** Words that its templates hold: those that they compare values with are among them. */
  readonly literals: readonly string[]
}

async function inputOf(entry: CorpusCase): Promise<Input | undefined> {
  try {
    const chart = await readChart(resolve(folder, entry.chart), ports)
    let values = new Dict()
    for (const file of entry.valuesFiles) values = mergeValues(values, valuesIn(file))
    for (const expression of entry.set ?? []) applySet(values, expression, 'typed')
    const paths = [...new Set([...textPaths(chart.values), ...textPaths(values)].map((path) => JSON.stringify(path)))]
    return {
      chart,
      values,
      paths: paths.map((path): readonly string[] => JSON.parse(path)),
      literals: literalsOf(chart),
    }
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

function valuesIn(file: string): Dict {
  return parseValues(readFileSync(join(folder, file), 'utf8'))
}

function textPaths(values: Dict, above: readonly string[] = []): readonly (readonly string[])[] {
  return [...values].flatMap(([key, value]) => {
    const path = [...above, key]
    return value instanceof Dict ? textPaths(value, path) : typeof value === 'string' ? [path] : []
  })
}

function literalsOf(chart: Chart): readonly string[] {
  const own = chart.templates.flatMap(({ text }) =>
    [...text.matchAll(/"([A-Za-z0-9][\w./-]*)"/g)].flatMap(([, word = '']) => word),
  )
  return [...new Set([...own, ...chart.dependencies.flatMap(literalsOf)])]
}

function tryCase(entry: CorpusCase, { chart, values, paths, literals }: Input): void {
  if (paths.length === 0) return
  const options = corpusOptions(entry)
  for (let round = 0; round < tries; round++) {
    const chosen = Array.from({ length: 1 + draw(3) }, () => pick(paths))
    const all = [words, words, words, [...literals, 'true', '1e3'], words].map((from) =>
      chosen.reduce((made, path) => place(made, path, pick(from)), copyOf(values)),
    )
    const reusing = rendererOf('on')
    let failing = 0
    for (const given of all) {
      const run = (): ReturnType<typeof runOf> =>
        runOf(chart, copyOf(given), {
          release: { name: entry.release, namespace: entry.namespace },
          ...(options.kubeVersion !== undefined && { kubeVersion: options.kubeVersion }),
          ...(options.apiVersions !== undefined && { apiVersions: options.apiVersions }),
        })
      const alone = outcomeOf(rendererOf('off'), run())
      if (Array.isArray(alone)) failing++
      if (!isDeepStrictEqual(outcomeOf(reusing, run()), alone)) {
        counts.different++
        process.stdout.write(`${entry.name}: differs with ${JSON.stringify(chosen)}\n`)
      }
    }
    counts.tries++
    counts.renders += all.length
    if (failing === all.length) counts.failing++
    else if (reusing.runs() < all.length) counts.shared++
    else counts.decided++
  }
}

function place(values: Dict, path: readonly string[], word: string): Dict {
  // a value that is in the way is no map in the chart's defaults either
  const isFree = path.slice(0, -1).every((_, at) => {
    const above = fieldAt(values, ...path.slice(0, at + 1))
    return above === undefined || above instanceof Dict
  })
  return isFree ? withField(values, path, word) : values
}

function copyOf(values: Dict): Dict {
  const copy: Value = copyValue(values)
  return copy instanceof Dict ? copy : new Dict()
}
