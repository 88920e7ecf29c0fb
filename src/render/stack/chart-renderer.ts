import { formatGoJson } from '../../codec/json/go-json.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import type { Crypto, Deadline } from '../../model/ports.ts'
import { createTokenTable, tokenPattern, type RuntimeAssumption, type TokenTable } from '../../model/token.ts'
import type { Dict } from '../../model/value.ts'
import type { ApiQuery } from '../chart/capabilities.ts'
import { renderChart } from '../chart/render-chart.ts'
import { sampleText } from '../chart/sample-tokens.ts'
import type { Chunk } from '../engine/engine.ts'
import type { ValuesLayer } from '../explain/values-place.ts'
import { createDocumentReader, type DocumentReader } from './document-reader.ts'
import { replaceTokens } from './locate-tokens.ts'
import { locateValue } from './locate-value.ts'
import { parseManifests } from './parse-manifests.ts'
import { Recent } from './recent.ts'
import { resolveTokens } from './resolve-tokens.ts'
import { decidingFields } from './runtime-values.ts'
import { locateInFile } from './template-line.ts'
import { type ApiTrial, findLeftOut, withMissedApis } from './undeclared-apis.ts'

/** One chart render: everything that its objects depend on. */
export interface ChartRun {
  readonly chart: Chart
  /** Merged values of overwrite.yaml and the fleet. */
  readonly values: Dict
  /** The table of the tokens in `values`, if there are some. */
  readonly tokens?: TokenTable
  readonly release: { readonly name: string; readonly namespace: string }
  /** With `v`; absent = Helm's default, as CSO renders the class. */
  readonly kubeVersion?: string
  /** Beside those that Helm knows. Absent: nobody can declare any, as for classes, and nobody is told of what the chart misses. */
  readonly apiVersions?: readonly string[]
  readonly includeCrds: boolean
  readonly helmVersion: 3 | 4
  /** Where `values` come from, nearest first. */
  readonly layers?: readonly ValuesLayer[]
  /** For messages and the heads of files: release tag or path, and the unit's name. */
  readonly from: string
  readonly unit: string
}

/** What a run gave; shared by every caller with equal inputs, so never change it. */
export interface ChartObjects {
  readonly manifests: readonly Manifest[]
  readonly findings: readonly Diagnostic[]
  /** What the templates took for granted about values of the running cluster. */
  readonly assumptions: readonly RuntimeAssumption[]
  /** What its templates wanted to know of API versions, each question once. */
  readonly apiQueries: readonly ApiQuery[]
}

/** Renders charts to objects; equal inputs are rendered once. `runs` counts what was really rendered. */
export interface ChartRenderer {
  readonly render: (run: ChartRun) => ChartObjects
  readonly runs: () => number
  /** What wrote the document of a manifest; undefined without traces, and for files that are no templates. */
  readonly traceOf: (origin: ManifestOrigin) => DocumentTrace | undefined
}

/** A document as Helm prints it, with what wrote it. */
export interface DocumentTrace {
  readonly text: string
  /** The pieces of the whole rendered template. */
  readonly chunks: readonly Chunk[]
  /** Where the document starts in them. */
  readonly offset: number
  /** The values files that had a say, nearest first. */
  readonly layers: readonly ValuesLayer[]
}

/** What a renderer is made of. */
export interface ChartRendererOptions {
  /** Milliseconds from some fixed start, for the time limit only. */
  readonly elapsed: () => number
  readonly deadline: Deadline
  /** Whether origins are kept for `traceOf`. */
  readonly trace?: boolean
  /** `off`: nothing is taken from an earlier render, as if each were the first; for measuring and doubting. Default `on`. */
  readonly reuse?: 'on' | 'off'
}

/** Runs of a chart that are remembered; most differ by little, and share what does not. */
const RUNS = 128

/** Makes a renderer whose memory lasts as long as it does. */
export function createChartRenderer(crypto: Crypto, options: ChartRendererOptions): ChartRenderer {
  const known = new Map<Chart, Recent<ChartObjects>>()
  const traces = new Map<ManifestOrigin, DocumentTrace>()
  const isReusing = options.reuse !== 'off'
  const shared = createDocumentReader()
  let runs = 0
  return {
    runs: () => runs,
    traceOf: (origin) => traces.get(origin),
    render(given) {
      const tokens = createTokenTable()
      const run = { ...given, values: importTokens(given.values, given.tokens, tokens) }
      if (!isReusing) {
        runs++
        return renderObjects(run, { ...options, crypto, traces, tokens, documents: createDocumentReader() })
      }
      const key = [
        run.from,
        run.unit,
        run.release.name,
        run.release.namespace,
        run.kubeVersion ?? '',
        JSON.stringify(run.apiVersions ?? null),
        run.helmVersion,
        run.includeCrds,
        formatGoJson(run.values),
        JSON.stringify(tokens.specs),
      ].join('\n')
      const ofChart = known.get(run.chart) ?? new Recent<ChartObjects>(RUNS)
      known.set(run.chart, ofChart)
      const before = ofChart.get(key)
      if (before !== undefined) return before
      runs++
      const objects = renderObjects(run, { ...options, crypto, traces, tokens, documents: shared })
      ofChart.set(key, objects)
      return objects
    },
  }
}

interface RenderContext extends ChartRendererOptions {
  readonly crypto: Crypto
  readonly traces: Map<ManifestOrigin, DocumentTrace>
  /** Holds the tokens of the run's values. */
  readonly tokens: TokenTable
  readonly documents: DocumentReader
}

/** Renders, and says what became of API versions that the chart looked for in vain. */
function renderObjects(run: ChartRun, context: RenderContext): ChartObjects {
  const missed = new Set<string>()
  let readsAll = false
  const onApiQuery = (query: ApiQuery): void => {
    if (query === 'all') readsAll = true
    else missed.add(query.missing)
  }
  const trial = (): ApiTrial => ({
    missed: run.apiVersions === undefined ? [] : [...missed],
    chart: run.chart.metadata.name,
    render(added) {
      const tokens = createTokenTable()
      const values = importTokens(run.values, context.tokens, tokens)
      const more = { ...run, values, apiVersions: [...(run.apiVersions ?? []), ...added] }
      return renderOnce(more, { ...context, trace: false, tokens }, () => undefined).manifests
    },
  })
  try {
    const objects = renderOnce(run, context, onApiQuery)
    const leftOut = findLeftOut(objects.manifests, trial())
    const apiQueries = [...[...missed].map((missing): ApiQuery => ({ missing })), ...(readsAll ? ['all' as const] : [])]
    return { ...objects, findings: [...objects.findings, ...leftOut], apiQueries }
  } catch (error) {
    if (!(error instanceof StackmasonError) || missed.size === 0) throw error
    throw new StackmasonError(withMissedApis(error.diagnostics, trial()), { cause: error })
  }
}

function renderOnce(
  run: ChartRun,
  context: RenderContext,
  onApiQuery: (query: ApiQuery) => void,
): Omit<ChartObjects, 'apiQueries'> {
  const { crypto, elapsed, deadline, trace = false, traces, documents, tokens } = context
  const findings: Diagnostic[] = []
  const layers = [...(run.layers ?? []), ...chartLayers(run.chart, [])]
  const rendered = renderChart(run.chart, {
    locate: (path) => locateValue(path, layers),
    release: { ...run.release, isUpgrade: false, revision: 1 },
    values: run.values,
    ...(run.kubeVersion === undefined ? {} : { kubeVersion: run.kubeVersion }),
    ...(run.apiVersions === undefined ? {} : { apiVersions: run.apiVersions }),
    onApiQuery,
    helmVersion: run.helmVersion,
    includeCrds: run.includeCrds,
    hooks: 'all',
    skipTests: false,
    skipSchemaValidation: false,
    generate: 'token',
    crypto,
    tokens,
    onFinding: (finding) => findings.push(finding),
    elapsed,
    deadline,
    trace,
    parse: documents.parse,
  })
  const originOf = ({ path, file }: { readonly path: string; readonly file: string }): ManifestOrigin => ({
    from: run.from,
    unit: run.unit,
    template: path,
    path: file,
  })
  const crds = rendered.crds.flatMap((file) =>
    documents.manifests(file.text, originOf(file), locateInFile({ name: file.path, text: file.text, path: file.file })),
  )
  const samples = new Map<Manifest, Manifest>()
  const manifests = [...rendered.manifests, ...rendered.hooks].flatMap((document) => {
    const { text, trace: written, locate } = document
    const origin = originOf(document)
    const found =
      written === undefined
        ? documents.manifests(text, origin, locate)
        : parseManifests(text, origin, { parse: documents.parse, locate })
    if (written !== undefined) traces.set(origin, { ...written, text, layers })
    const shown = hasNumbers(text, tokens) ? parseManifests(sampleText(text, tokens), origin, documents) : []
    for (const [index, manifest] of found.entries()) {
      const sample = shown[index]
      if (sample !== undefined) samples.set(manifest, sample)
    }
    return found
  })
  const resolved = resolveTokens([...crds, ...manifests], { tokens, crypto, samples })
  refuseDeciding(tokens)
  return {
    manifests: resolved.manifests,
    findings: [...findings, ...resolved.findings],
    assumptions: tokens.assumptions,
  }
}

function refuseDeciding(tokens: TokenTable): void {
  const problems = decidingFields(tokens)
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** Whether a text holds numbers that are only known later: then it takes a sample to tell them from texts. */
function hasNumbers(text: string, tokens: TokenTable): boolean {
  if (tokens.specs.length === 0) return false
  return (text.match(tokenPattern()) ?? []).some((token) => {
    const type = tokens.get(token)?.type
    return type === 'port' || type === 'integer'
  })
}

/** Returns values with tokens of `to` instead of those of `from`, numbered by where they stand: equal values give equal texts. */
function importTokens(values: Dict, from: TokenTable | undefined, to: TokenTable): Dict {
  if (from === undefined || from.specs.length === 0) return values
  const importText = (text: string): string =>
    text.replace(tokenPattern(), (token) => {
      const spec = from.get(token)
      if (spec === undefined) throw new Error('a token of another table')
      return to.add(spec.kind === 'derived' ? { ...spec, input: importText(spec.input) } : spec, from.originOf(token))
    })
  return replaceTokens(values, importText)
}

/** values.yaml of a chart and then of its dependencies: a parent's values win over its children's. */
function chartLayers(chart: Chart, prefix: readonly string[]): readonly ValuesLayer[] {
  const own = chart.valuesFile === undefined ? [] : [{ ...chart.valuesFile, values: chart.values, prefix }]
  const children = chart.dependencies.flatMap((child) => {
    const declared = chart.metadata.dependencies.filter(({ name }) => name === child.metadata.name)
    const keys =
      declared.length === 0 ? [child.metadata.name] : declared.map(({ name, alias }) => (alias === '' ? name : alias))
    return keys.flatMap((key) => chartLayers(child, [...prefix, key]))
  })
  return [...own, ...children]
}
