import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { formatGoJson } from '../../codec/json/go-json.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import type { Crypto, Deadline } from '../../model/ports.ts'
import { createTokenTable, tokenPattern, type TokenTable } from '../../model/token.ts'
import type { Dict, Value } from '../../model/value.ts'
import type { ApiQuery } from '../chart/capabilities.ts'
import { allowsValues, renderChart } from '../chart/render-chart.ts'
import { sampleText } from '../chart/sample-tokens.ts'
import { type DocumentTraces, traceFile } from '../explain/document-trace.ts'
import { createLocator } from '../explain/locator.ts'
import { type TracedObject, tracedObjects } from '../explain/traced-objects.ts'
import type { ValuesLayer } from '../explain/values-place.ts'
import type { WatchedValues } from '../explain/watch-values.ts'
import { locateInFile } from '../explain/template-places.ts'
import type { ChartObjects } from './chart-objects.ts'
import { createDocumentReader, type DocumentReader } from './document-reader.ts'
import { replaceTokens } from './locate-tokens.ts'
import { locateValue } from './locate-value.ts'
import { parseManifests } from './parse-manifests.ts'
import { createParameterNotes, createParametricChart } from './parametric-chart.ts'
import type { ParameterNotes, ParametricChart, PlainRender } from './parametric-chart.ts'
import { NotParametricError } from './parameter-text.ts'
import { matchParameters, withParameters } from './parameter-values.ts'
import { Recent } from './recent.ts'
import { resolveTokens, type Samples } from './resolve-tokens.ts'
import { decidingFields } from './runtime-values.ts'
import { createSiblings, type Lesson } from './sibling-runs.ts'
import { type ApiTrial, findSkipped, withMissedApis } from './undeclared-apis.ts'

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
  /**
   * Beside those that Helm knows. Absent: nobody can declare any, as for classes, and nobody is told of what the chart
   * misses.
   */
  readonly apiVersions?: readonly string[]
  readonly includeCrds: boolean
  readonly helmVersion: 3 | 4
  /** Where `values` come from, nearest first. */
  readonly layers?: readonly ValuesLayer[]
  /** For messages and the heads of files: release tag or path, and the unit's name. */
  readonly from: string
  readonly unit: string
}

/** Renders charts to objects; equal inputs are rendered once. */
export interface ChartRenderer {
  readonly render: (run: ChartRun) => ChartObjects
  /** How many were really rendered; depends on what came before. */
  readonly runs: () => number
  /** Hashes of those that were asked for since this was asked before: equal ones are one render, in any thread. */
  readonly takeRuns: () => readonly string[]
  /** Does work, and returns the hashes of the renders that it asks for. */
  readonly runsDuring: (work: () => void) => readonly string[]
  /** Renders once more, notes what wrote each document, and judges none. */
  readonly trace: (run: ChartRun, traces: DocumentTraces) => readonly Manifest[]
  /** Renders once more, only to note how templates read the values. */
  readonly watch: (run: ChartRun, watch: WatchedValues['watch']) => void
}

/** The options of a renderer. */
export interface ChartRendererOptions {
  /** Milliseconds from some fixed start, for the time limit only. */
  readonly elapsed: () => number
  readonly deadline: Deadline
  /**
   * `off`: nothing is taken from an earlier render, as if each were the first; for measuring and doubting. Default
   * `on`.
   */
  readonly reuse?: 'on' | 'off'
}

/** Runs of a chart that are remembered; most differ by little, and share what does not. */
const RUNS = 128

interface KnownRun {
  readonly hash: string
  readonly objects: ChartObjects
}

function hashOf({ metadata, origin }: Chart, key: string, crypto: Crypto): string {
  const text = [metadata.name, metadata.version, origin, key].join('\n')
  return crypto.sha256Hex(encodeUtf8(text)).slice(0, HASH_DIGITS)
}

/** More than a fleet has renders by far. */
const HASH_DIGITS = 24

/** Makes a renderer whose memory lasts as long as it does. */
export function createChartRenderer(crypto: Crypto, options: ChartRendererOptions): ChartRenderer {
  const known = new Map<Chart, Recent<KnownRun>>()
  const isReusing = options.reuse !== 'off'
  const shared = createDocumentReader()
  const siblings = createSiblings()
  let runs = 0
  let asked = new Set<string>()

  const renderPlain = (run: ChartRun, tokens: TokenTable): PlainRender => {
    runs++
    let share = 0
    const onShare = (used: number): void => {
      share = Math.max(share, used)
    }
    const objects = renderObjects(run, { ...options, crypto, tokens, documents: shared, onShare })
    return { values: run.values, objects, share }
  }

  const learn = (run: ChartRun, given: TokenTable, to: Lesson): ParametricChart | undefined => {
    const tokens = createTokenTable()
    const pattern = withParameters(importTokens(to.plain.values, given, tokens), to.paths, tokens)
    const values = matchParameters(pattern, to.plain.values, tokens) ?? []
    const notes = createParameterNotes(values, crypto)
    const documents = createDocumentReader()
    const parse = (text: string): Value => {
      const value = documents.parse(text)
      notes.checkHead(value, tokens)
      return value
    }
    const watched = { parse, manifests: documents.manifests }
    runs++
    try {
      const context = { ...options, crypto, tokens, documents: watched, parameters: notes }
      const objects = renderObjects({ ...run, values: pattern }, context)
      const isAllowed = (of: Dict): boolean =>
        allowsValues(run.chart, of, { tokens: given, helmVersion: run.helmVersion })
      return createParametricChart(to.plain, { pattern, tokens, objects, notes }, { crypto, isAllowed })
    } catch (error) {
      if (error instanceof StackmasonError || error instanceof NotParametricError) return undefined
      throw error
    }
  }
  return {
    runs: () => runs,
    takeRuns: () => {
      const taken = [...asked]
      asked = new Set()
      return taken
    },
    runsDuring: (work) => {
      const others = asked
      const own = new Set<string>()
      asked = own
      try {
        work()
      } finally {
        asked = others
        for (const hash of own) asked.add(hash)
      }
      return [...own]
    },
    trace: (given, traces) => {
      const tokens = createTokenTable()
      const run = { ...given, values: importTokens(given.values, given.tokens, tokens) }
      const context = { ...options, crypto, traces, tokens, documents: createDocumentReader() }
      return readObjects(run, context, () => undefined).manifests
    },
    watch: (given, watch) => {
      const tokens = createTokenTable()
      const run = { ...given, values: importTokens(given.values, given.tokens, tokens) }
      readObjects(run, { ...options, crypto, watch, tokens, documents: createDocumentReader() }, () => undefined)
    },
    render(given) {
      const tokens = createTokenTable()
      const run = { ...given, values: importTokens(given.values, given.tokens, tokens) }
      if (!isReusing) {
        asked.add(String(runs++))
        return renderObjects(run, { ...options, crypto, tokens, documents: createDocumentReader() })
      }
      const group = [
        run.from,
        run.unit,
        run.release.name,
        run.release.namespace,
        run.kubeVersion ?? '',
        JSON.stringify(run.apiVersions ?? null),
        run.helmVersion,
        run.includeCrds,
        JSON.stringify(tokens.specs),
      ].join('\n')
      const key = `${group}\n${formatGoJson(run.values)}`
      const ofChart = known.get(run.chart) ?? new Recent<KnownRun>(RUNS)
      known.set(run.chart, ofChart)
      const before = ofChart.get(key)
      const hash = before?.hash ?? hashOf(run.chart, key, crypto)
      asked.add(hash)
      if (before !== undefined) return before.objects
      const ofGroup = siblings(run.chart, group)
      const objects =
        ofGroup.fill(run.values, (lesson) => learn(run, tokens, lesson)) ??
        ofGroup.add(renderPlain(run, tokens)).objects
      ofChart.set(key, { hash, objects })
      return objects
    },
  }
}

/**
 * Renders a chart once more for what wrote its objects; none when it does not render. @throws what is no problem of the
 * input
 */
export function traceChart(run: ChartRun, charts: Pick<ChartRenderer, 'trace'>): readonly TracedObject[] {
  const traces: DocumentTraces = new Map()
  return tracedObjects(traces, () => charts.trace(run, traces))
}

interface RenderContext extends ChartRendererOptions {
  readonly crypto: Crypto
  /** Where to keep what wrote each document; absent: nowhere. */
  readonly traces?: DocumentTraces | undefined
  /** Notes how values are read; absent: nobody asks. */
  readonly watch?: WatchedValues['watch']
  /** Holds the tokens of the run's values. */
  readonly tokens: TokenTable
  /** Set for a render that stands for many. */
  readonly parameters?: ParameterNotes
  readonly onShare?: (share: number) => void
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
  const renderWith = (added: readonly string[], traces?: DocumentTraces): readonly Manifest[] => {
    const tokens = createTokenTable()
    const values = importTokens(run.values, context.tokens, tokens)
    const more = { ...run, values, apiVersions: [...(run.apiVersions ?? []), ...added] }
    const inner = { ...context, tokens, traces: traces ?? context.traces }
    try {
      return renderOnce(more, inner, () => undefined).manifests
    } catch (error) {
      // whether it fails may depend on parameters
      if (context.parameters === undefined || !(error instanceof StackmasonError)) throw error
      throw new NotParametricError('a render that fails')
    }
  }
  const trial = (): ApiTrial => ({
    missed: run.apiVersions === undefined ? [] : [...missed],
    chart: run.chart.metadata.name,
    render: renderWith,
    locate(added, manifest) {
      const traces: DocumentTraces = new Map()
      const traced = (): readonly TracedObject[] => tracedObjects(traces, () => renderWith(added, traces))
      const { at } = createLocator({ patches: [], traced }).locate(manifest, ['kind'])
      return at && { at }
    },
  })
  try {
    const objects = renderOnce(run, context, onApiQuery)
    const skipped = findSkipped(objects.manifests, trial())
    const apiQueries = [...[...missed].map((missing): ApiQuery => ({ missing })), ...(readsAll ? ['all' as const] : [])]
    return { ...objects, findings: [...objects.findings, ...skipped], apiQueries }
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
  const { crypto, tokens } = context
  const { findings, ...read } = readObjects(run, context, onApiQuery)
  const { manifests, samples } = context.parameters?.settle(read, tokens) ?? read
  const resolved = resolveTokens(manifests, { tokens, crypto, samples })
  refuseDeciding(tokens)
  return {
    manifests: resolved.manifests,
    findings: [...findings, ...resolved.findings],
    assumptions: tokens.assumptions,
  }
}

/** The objects of a chart with tokens for what is known later. */
interface ReadObjects {
  readonly manifests: readonly Manifest[]
  readonly samples: Samples
  readonly findings: readonly Diagnostic[]
}

function readObjects(run: ChartRun, context: RenderContext, onApiQuery: (query: ApiQuery) => void): ReadObjects {
  const { crypto, elapsed, deadline, traces, watch, documents, tokens } = context
  const findings: Diagnostic[] = []
  const layers = [...(run.layers ?? []), ...chartLayers(run.chart, [])]
  const rendered = renderChart(run.chart, {
    locate: (path) => locateValue(path, layers),
    release: { ...run.release, isUpgrade: false, revision: 1 },
    values: run.values,
    kubeVersion: run.kubeVersion,
    apiVersions: run.apiVersions,
    onApiQuery,
    helmVersion: run.helmVersion,
    includeCrds: run.includeCrds,
    hooks: 'all',
    skipTests: false,
    skipSchemaValidation: context.parameters !== undefined,
    onShare: context.onShare,
    generate: 'token',
    crypto,
    tokens,
    onFinding: (finding) => findings.push(finding),
    elapsed,
    deadline,
    trace: traces !== undefined,
    watch,
    parse: documents.parse,
  })
  const originOf = ({ path, file, index = 0 }: OriginFile): ManifestOrigin => ({
    from: run.from,
    unit: run.unit,
    template: path,
    path: file,
    ...(index > 0 && { document: index }),
  })
  const crds = rendered.crds.flatMap((file) => {
    const source = { name: file.path, text: file.text, path: file.file }
    const origin = originOf(file)
    traces?.set(origin, traceFile(source))
    const locate = locateInFile(source)
    return traces === undefined
      ? documents.manifests(file.text, origin, locate)
      : parseManifests(file.text, origin, { parse: documents.parse, locate })
  })
  const samples = new Map<Manifest, Manifest>()
  const manifests = [...rendered.manifests, ...rendered.hooks].flatMap((document) => {
    const { text, trace: written, locate } = document
    const origin = originOf(document)
    const found =
      written === undefined
        ? documents.manifests(text, origin, locate)
        : parseManifests(text, origin, { parse: documents.parse, locate })
    if (written !== undefined) traces?.set(origin, { ...written, text, layers })
    const shown = hasNumbers(text, tokens) ? parseManifests(sampleText(text, tokens), origin, documents) : []
    for (const [index, manifest] of found.entries()) {
      const sample = shown[index]
      if (sample !== undefined) samples.set(manifest, sample)
    }
    return found
  })
  return { manifests: [...crds, ...manifests], samples, findings }
}

interface OriginFile {
  readonly path: string
  readonly file: string
  readonly index?: number
}

function refuseDeciding(tokens: TokenTable): void {
  const problems = decidingFields(tokens)
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** True if a text holds numbers that are only known later: then it takes a sample to tell them from texts. */
function hasNumbers(text: string, tokens: TokenTable): boolean {
  if (tokens.specs.length === 0) return false
  return (text.match(tokenPattern()) ?? []).some((token) => {
    const type = tokens.get(token)?.type
    return type === 'port' || type === 'integer'
  })
}

/**
 * Returns values with tokens of `to` instead of those of `from`, numbered by where they stand: equal values give equal
 * texts.
 */
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
export function chartLayers(chart: Chart, prefix: readonly string[]): readonly ValuesLayer[] {
  const { valuesFile: source, values } = chart
  const own: readonly ValuesLayer[] =
    source === undefined ? [] : [{ source, form: 'yaml', values, prefix, isOfFleet: false }]
  const children = chart.dependencies.flatMap((child) => {
    const declared = chart.metadata.dependencies.filter(({ name }) => name === child.metadata.name)
    const keys =
      declared.length === 0 ? [child.metadata.name] : declared.map(({ name, alias }) => (alias === '' ? name : alias))
    return keys.flatMap((key) => chartLayers(child, [...prefix, key]))
  })
  return [...own, ...children]
}
