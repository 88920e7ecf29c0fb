import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { type Deadline, DeadlineError } from '../../model/ports.ts'
import type { Dict } from '../../model/value.ts'
import type { Engine } from '../engine/engine.ts'
import { chartMilliseconds } from '../engine/limits.ts'
import { createCapabilities, kubeVersionOf, type CapabilitiesOptions } from './capabilities.ts'
import type { ChartNode } from './chart-node.ts'
import { checkSchemas, type LocateValue } from './check-schemas.ts'
import { coalesceValues, createCopyBudget } from './coalesce.ts'
import { sortByKind } from './kind-order.ts'
import { isCompatible, processDependencies } from './process-dependencies.ts'
import { readDocuments, type ReadOptions, type RenderedDocument } from './read-documents.ts'
import { sampleTokens } from './sample-tokens.ts'
import { renderTemplates, type ExecutionOptions } from './render-templates.ts'
import { collectTemplates, type ReleaseOptions } from './template-data.ts'

/** Everything that a render depends on beside the chart. */
export interface ChartRenderOptions
  extends Omit<ExecutionOptions, 'generate' | 'onEngine'>, Pick<ReadOptions, 'parse'> {
  readonly release: ReleaseOptions
  /** The values that users supplied, already merged; not changed. */
  readonly values: Dict
  /** `v1.32.5` or `1.32.5`; absent = that Helm's default. */
  readonly kubeVersion?: string | undefined
  readonly apiVersions?: readonly string[] | undefined
  readonly onApiQuery?: CapabilitiesOptions['onApiQuery']
  readonly includeCrds: boolean
  readonly hooks: 'all' | 'none'
  readonly skipTests: boolean
  readonly skipSchemaValidation: boolean
  /** Where values are written, for problems with them. */
  readonly locate?: LocateValue
  /**
   * The mode of generators of random text: give tokens for what is generated later, or draw previews that follow from
   * release and chart.
   */
  readonly generate: 'token' | 'seeded'
  /** Gives templates other maps for the coalesced values, which note who reads them. */
  readonly watch?: ((values: Dict) => Dict) | undefined
  /** Ends what takes too long and is not counted. Absent: nothing does. */
  readonly deadline?: Deadline
}

/** A file of crds/. */
interface RenderedCrds {
  readonly path: string
  /** Where it lies. */
  readonly file: string
  readonly text: string
}

/** The output of a chart, in Helm's order. */
export interface RenderedChart {
  /** Files of crds/, untouched; empty unless asked for. */
  readonly crds: readonly RenderedCrds[]
  readonly manifests: readonly RenderedDocument[]
  readonly hooks: readonly RenderedDocument[]
}

/**
 * Renders a chart as `helm template` does, without a cluster. Pure: equal arguments give equal results.
 * @throws StackmasonError CHART_NOT_INSTALLABLE, CHART_DEPENDENCY_MISSING, CHART_KUBE_VERSION, CHART_VALUES_INVALID,
 * CHART_VALUES_SCHEMA, CHART_OUTPUT_INVALID, CHART_FLAG_UNSUPPORTED, TEMPLATE_*
 */
export function renderChart(chart: Chart, options: ChartRenderOptions): RenderedChart {
  const { deadline } = options
  if (deadline === undefined) return renderWhole(chart, options)
  let engine: Pick<Engine, 'stopped'> | undefined
  const onEngine = (started: Pick<Engine, 'stopped'>): void => {
    engine = started
  }
  try {
    return deadline.within(chartMilliseconds, () => renderWhole(chart, { ...options, onEngine }))
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    throw engine?.stopped(chartMilliseconds) ?? new StackmasonError(stoppedOutside(chart), { cause: error })
  }
}

/** Stopped in what is no template: values, schemas, documents. */
function stoppedOutside({ metadata, origin }: Chart): Diagnostic {
  return {
    code: 'TEMPLATE_LIMIT_TIME',
    severity: 'error',
    message: `the chart ${metadata.name} was stopped: its values, schemas and documents took more than ${chartMilliseconds} ms`,
    file: origin,
    hint: 'Look for a values.schema.json or values that are far larger than they need be.',
  }
}

/**
 * True if the schemas of a chart and its dependencies allow the values. @throws StackmasonError CHART_VALUES_INVALID
 */
export function allowsValues(
  chart: Chart,
  values: Dict,
  { helmVersion, tokens }: Pick<ExecutionOptions, 'helmVersion' | 'tokens'>,
): boolean {
  if (!hasSchema(chart)) return true
  const budget = createCopyBudget()
  const root = processDependencies(chart, values, { helmVersion, budget })
  const coalesced = coalesceValues(root, values, { nulls: 'coalesce', helmVersion, budget })
  return checkSchemas(root, sampleTokens(coalesced, tokens)).length === 0
}

function hasSchema({ schema, dependencies }: Chart): boolean {
  return schema !== undefined || dependencies.some(hasSchema)
}

function renderWhole(chart: Chart, options: ChartRenderOptions & Pick<ExecutionOptions, 'onEngine'>): RenderedChart {
  const { helmVersion } = options
  checkInstallable(chart)
  const budget = createCopyBudget()
  const root = processDependencies(chart, options.values, { helmVersion, budget })
  const values = coalesceValues(root, options.values, { nulls: 'coalesce', helmVersion, budget })
  if (!options.skipSchemaValidation) refuse(checkSchemas(root, sampleTokens(values, options.tokens), options.locate))
  const capabilities: CapabilitiesOptions = {
    kubeVersion: options.kubeVersion,
    apiVersions: options.apiVersions ?? [],
    helmVersion,
    onApiQuery: options.onApiQuery,
  }
  checkKubeVersion(chart, capabilities)
  const templates = collectTemplates(root, options.watch?.(values) ?? values, {
    helmVersion,
    capabilities: createCapabilities(capabilities),
    release: options.release,
  })
  const generate = options.generate === 'token' ? options.generate : { seed: seedOf(chart, options.release) }
  const files = renderTemplates(templates, { ...options, generate })
  const { manifests, hooks } = readDocuments(files, options)
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
function collectCrds(node: ChartNode, path: string): readonly RenderedCrds[] {
  const own = node.chart.crds
    .filter((file) => /\.(ya?ml|json)$/i.test(file.path))
    .map((file) => ({
      path: `${path}/${file.path}`,
      file: `${node.chart.origin}/${file.path}`,
      text: decodeUtf8(file.bytes),
    }))
  return [...own, ...node.dependencies.flatMap((child) => collectCrds(child, `${path}/charts/${child.name}`))]
}

/** The seed of previews: it follows from the release and the chart, not from the values. */
function seedOf({ metadata }: Chart, { name, namespace }: ReleaseOptions): string {
  return JSON.stringify([name, namespace, metadata.name, metadata.version])
}
