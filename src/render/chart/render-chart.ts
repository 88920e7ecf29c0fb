import { YamlError } from '../../codec/go-yaml-parse.ts'
import { compareBytes } from '../../codec/text-order.ts'
import { decodeUtf8 } from '../../codec/utf8.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import type { TokenTable } from '../../model/token.ts'
import { Dict } from '../../model/value.ts'
import {
  chunkText,
  createEngine,
  removeNoValue,
  type Chunk,
  type Engine,
  type ParsedTemplate,
} from '../engine/engine.ts'
import { defaultLimits, type Limits } from '../engine/limits.ts'
import { chartFunctions } from '../functions/registry.ts'
import { trimSpace } from '../functions/strings.ts'
import { createCapabilities, kubeVersionOf, type CapabilitiesOptions } from './capabilities.ts'
import type { ChartNode } from './chart-node.ts'
import { ChartValues } from './chart-values.ts'
import { checkSchemas } from './check-schemas.ts'
import { coalesceValues, createCopyBudget, type HelmVersion } from './coalesce.ts'
import { sortByKind } from './kind-order.ts'
import { HeadError, parseManifestHead, type ManifestHead } from './manifest-head.ts'
import { isCompatible, processDependencies } from './process-dependencies.ts'
import { splitManifests, type DocumentText } from './split-manifests.ts'
import { collectTemplates, isPartial, type ChartTemplate, type ReleaseOptions } from './template-data.ts'

/** Everything that a render depends on beside the chart. */
export interface ChartRenderOptions {
  readonly release: ReleaseOptions
  /** What users supplied, already merged; not changed. */
  readonly values: Dict
  /** `v1.32.5` or `1.32.5`; absent = that Helm's default. */
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly helmVersion: HelmVersion
  readonly includeCrds: boolean
  readonly hooks: 'all' | 'none'
  readonly skipTests: boolean
  readonly skipSchemaValidation: boolean
  /** What generators of random text do: give tokens for what is generated later, or draw previews that follow from release and chart. */
  readonly generate: 'token' | 'seeded'
  readonly limits?: Limits
  readonly crypto: Crypto
  readonly tokens: TokenTable
  readonly onFinding: (finding: Diagnostic) => void
  readonly elapsed?: () => number
  /** Whether documents keep what wrote them. */
  readonly trace?: boolean
}

/** A document as Helm prints it. `path` is the template's, with the chart's name in front. */
export interface RenderedDocument extends Omit<ManifestHead, 'annotations'> {
  readonly path: string
  readonly text: string
  /** Set for hooks. */
  readonly hookEvents?: readonly string[]
  /** The pieces of its whole file and where it starts in them; kept by a traced render only. */
  readonly trace?: { readonly chunks: readonly Chunk[]; readonly offset: number }
}

/** What a chart renders to, in Helm's output order. */
export interface RenderedChart {
  /** Files of crds/, untouched; empty unless asked for. */
  readonly crds: readonly { readonly path: string; readonly text: string }[]
  readonly manifests: readonly RenderedDocument[]
  readonly hooks: readonly RenderedDocument[]
}

/**
 * Renders a chart as `helm template` does, without a cluster. Pure: equal arguments give equal results.
 * @throws StackmasonError CHART_NOT_INSTALLABLE, CHART_DEPENDENCY_MISSING, CHART_KUBE_VERSION, CHART_VALUES_INVALID, CHART_VALUES_SCHEMA,
 * CHART_OUTPUT_INVALID, CHART_FLAG_UNSUPPORTED, TEMPLATE_*
 */
export function renderChart(chart: Chart, options: ChartRenderOptions): RenderedChart {
  const { helmVersion } = options
  checkInstallable(chart)
  const budget = createCopyBudget()
  const root = processDependencies(chart, options.values, { helmVersion, budget })
  const values = coalesceValues(root, options.values, { nulls: 'coalesce', helmVersion, budget })
  if (!options.skipSchemaValidation) refuse(checkSchemas(root, values))
  const capabilities: CapabilitiesOptions = {
    kubeVersion: options.kubeVersion,
    apiVersions: options.apiVersions ?? [],
    helmVersion,
  }
  checkKubeVersion(chart, capabilities)
  const templates = collectTemplates(root, values, {
    helmVersion,
    capabilities: createCapabilities(capabilities),
    release: options.release,
  })
  const files = renderTemplates(templates, chart, options)
  const { manifests, hooks } = readDocuments(files, options.trace === true ? 'traced' : 'plain')
  const shown = hooks.filter(({ hookEvents }) => !(options.skipTests && hookEvents?.includes('test')))
  return {
    crds: options.includeCrds ? collectCrds(root, root.name) : [],
    manifests: sortByKind(manifests, helmVersion),
    hooks: options.hooks === 'all' ? sortByKind(shown, helmVersion) : [],
  }
}

function checkInstallable(chart: Chart): void {
  const { metadata, origin } = chart
  if (metadata.type !== '' && metadata.type !== 'application')
    throw new StackmasonError({
      code: 'CHART_NOT_INSTALLABLE',
      severity: 'error',
      message: `${metadata.type} charts are not installable`,
      file: origin,
    })
  const present = new Set(chart.dependencies.map((dependency) => dependency.metadata.name))
  const missing = metadata.dependencies.map(({ name }) => name).filter((name) => !present.has(name))
  if (missing.length > 0)
    throw new StackmasonError({
      code: 'CHART_DEPENDENCY_MISSING',
      severity: 'error',
      message: `found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`,
      file: origin,
    })
}

function checkKubeVersion(chart: Chart, capabilities: CapabilitiesOptions): void {
  const { kubeVersion: range } = chart.metadata
  const { version, normalized } = kubeVersionOf(capabilities)
  if (range === '' || isCompatible(range, normalized)) return
  throw new StackmasonError({
    code: 'CHART_KUBE_VERSION',
    severity: 'error',
    message: `chart requires kubeVersion: ${range} which is incompatible with Kubernetes ${version}`,
    file: chart.origin,
  })
}

function refuse(problems: readonly Diagnostic[]): void {
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** Files of crds/ that can be manifests, the chart's own first. */
function collectCrds(node: ChartNode, path: string): { readonly path: string; readonly text: string }[] {
  const own = node.chart.crds
    .filter((file) => /\.(ya?ml|json)$/i.test(file.path))
    .map((file) => ({ path: `${path}/${file.path}`, text: decodeUtf8(file.bytes) }))
  return [...own, ...node.dependencies.flatMap((child) => collectCrds(child, `${path}/charts/${child.name}`))]
}

/** A rendered template. */
interface RenderedFile {
  readonly path: string
  readonly chunks: readonly Chunk[]
}

/** Parses all, then executes all but partials, deepest path first and Z before A (Helm pkg/engine, sortTemplates reversed). */
function renderTemplates(
  templates: readonly ChartTemplate[],
  chart: Chart,
  options: ChartRenderOptions,
): readonly RenderedFile[] {
  const { crypto, tokens, release, generate, onFinding, elapsed, trace, helmVersion, limits = defaultLimits } = options
  const engine = createEngine({
    functions: chartFunctions,
    lateBound: true,
    limits,
    crypto,
    tokens,
    generate: generate === 'token' ? generate : { seed: seedOf(chart, release) },
    onFinding,
    elapsed,
    trace,
  })
  const ordered = templates.toSorted((a, b) => depthOf(b.path) - depthOf(a.path) || compareBytes(b.path, a.path))
  const set = engine.createSet(ordered.map((template) => parse(engine, template)))
  return ordered
    .filter(({ path }) => !isPartial(path))
    .map(({ path, data, basePath }) => {
      const about = new Dict()
      about.set('Name', path)
      about.set('BasePath', basePath)
      data.set('Template', new ChartValues(about, helmVersion))
      return { path, chunks: removeNoValue(engine.execute(set, path, data)) }
    })
}

/** What previews depend on: the release and the chart, not the values. */
function seedOf({ metadata }: Chart, { name, namespace }: ReleaseOptions): string {
  return JSON.stringify([name, namespace, metadata.name, metadata.version])
}

function depthOf(path: string): number {
  return path.split('/').length
}

/** Parsed templates by the file they come from and the name that it has in a tree; charts are immutable, so they last as long as their chart. */
const parsed = new WeakMap<Source, Map<string, ParsedTemplate>>()

function parse(engine: Engine, { source, path }: ChartTemplate): ParsedTemplate {
  const byPath = parsed.get(source) ?? new Map<string, ParsedTemplate>()
  parsed.set(source, byPath)
  const known = byPath.get(path)
  if (known !== undefined) return known
  const template = engine.parse({ name: path, text: source.text })
  byPath.set(path, template)
  return template
}

const hookEvents: ReadonlySet<string> = new Set([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
  'test-success',
])

interface Documents {
  readonly manifests: readonly RenderedDocument[]
  readonly hooks: readonly RenderedDocument[]
}

/** Documents in the order of their paths; notes are no manifests, and a hook that Helm does not know is dropped. */
function readDocuments(files: readonly RenderedFile[], mode: 'traced' | 'plain'): Documents {
  const manifests: RenderedDocument[] = []
  const hooks: RenderedDocument[] = []
  for (const file of files.toSorted((a, b) => compareBytes(a.path, b.path))) {
    if (file.path.endsWith('NOTES.txt')) continue
    const text = chunkText(file.chunks)
    if (trimSpace(text) === '') continue
    for (const part of splitManifests(text)) {
      const { annotations, ...head } = readHead(part, file)
      const trace = mode === 'traced' ? { trace: { chunks: file.chunks, offset: part.offset } } : {}
      const document: RenderedDocument = { path: file.path, text: part.text, ...head, ...trace }
      const hook = annotations.get('helm.sh/hook')
      if (hook === undefined) {
        manifests.push(document)
        continue
      }
      const events = hook.split(',').map((event) => trimSpace(event).toLowerCase())
      if (!events.every((event) => hookEvents.has(event))) continue
      hooks.push({ ...document, hookEvents: events.map((event) => (event === 'test-success' ? 'test' : event)) })
    }
  }
  return { manifests, hooks }
}

function readHead({ text, offset }: DocumentText, file: RenderedFile): ManifestHead {
  try {
    return parseManifestHead(text)
  } catch (cause) {
    if (!(cause instanceof YamlError || cause instanceof HeadError)) throw cause
    const at = originAt(file.chunks, offset + (cause instanceof YamlError ? cause.offset : 0))
    throw new StackmasonError(
      {
        code: 'CHART_OUTPUT_INVALID',
        severity: 'error',
        message: `YAML parse error on ${file.path}: ${cause.message}`,
        ...(at === undefined ? { file: file.path } : { at }),
      },
      { cause },
    )
  }
}

/** The place in a template that wrote the character at `offset`. */
function originAt(chunks: readonly Chunk[], offset: number): Diagnostic['at'] {
  let start = 0
  for (const { text, origin } of chunks) {
    const end = start + text.length
    if (offset < end && origin !== undefined) {
      const { source } = origin
      // Text of a template stands there as it was written; what an action wrote does not.
      const at = source.text.startsWith(text, origin.offset) ? origin.offset + offset - start : origin.offset
      return { source, start: at, end: at }
    }
    start = end
  }
  return undefined
}
