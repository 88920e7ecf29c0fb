import { dirName } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { Chart } from '../../model/chart.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import {
  advise,
  StackmasonError,
  withSubject,
  workOn,
  type Diagnostic,
  type FindingSubject,
} from '../../model/diagnostic.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Cluster, Patch } from '../../model/fleet.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { oncePerManifest } from '../../model/once-per-manifest.ts'
import type { Crypto } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { Source } from '../../model/source.ts'
import { createTokenTable, type RuntimeAssumption, type TokenTable } from '../../model/token.ts'
import { addonFolder, clusterFolder } from '../../model/tree-path.ts'
import { Dict } from '../../model/value.ts'
import { mergeValues } from '../chart/merge-values.ts'
import { type AddonPlan, planAddons, type PlannedAddon } from './addon-plan.ts'
import type { ChartObjects } from './chart-objects.ts'
import { chartLayers, type ChartRenderer, type ChartRun } from './chart-renderer.ts'
import { defaultClassVariables } from './class-variables.ts'
import { refuseDuplicates } from './duplicates.ts'
import { findAutoscaled } from './find-autoscaled.ts'
import { findBadNames } from './find-bad-names.ts'
import { findRefusedFields } from './find-refused-fields.ts'
import { isSecretNamed } from './named-secrets.ts'
import { addNamespaces, type AddonFolder } from './namespaces.ts'
import { dependsOn, offeredApis } from './offered-apis.ts'
import { toManifest } from './parse-manifests.ts'
import { type JudgeCluster, judgePatched } from './judge-patched.ts'
import { clusterOrigin, CLUSTER_UNIT, locateInCluster, ownManifest } from './locate-in-cluster.ts'
import { patchCluster, patchedOrAsIs, patchManifest } from './patch-manifest.ts'
import type { Finisher } from './create-finisher.ts'
import type { LocateInClass, StackOptions } from './render-class.ts'
import type { LocatedCluster } from '../explain/cluster-place.ts'
import { type DocumentTraces, traceFile } from '../explain/document-trace.ts'
import { locateFinding, locating } from '../explain/locate-findings.ts'
import { createLocator, type Locator } from '../explain/locator.ts'
import type { PlaceMemory } from '../explain/place-memory.ts'
import { createTraceMemory, type TraceMemory } from '../explain/trace-memory.ts'
import { type TracedObject, tracedObjects } from '../explain/traced-objects.ts'
import { valuesCascade } from '../explain/values-cascade.ts'
import type { ValuesLayer } from '../explain/values-place.ts'
import { watchValues, type WatchedValues } from '../explain/watch-values.ts'
import { renderRuntimeValues, type RuntimeFields, type RuntimeReads } from './runtime-values.ts'
import { createScopeLookup } from './scope.ts'
import { renderTemplateFolder } from './template-folder.ts'

const ADDON_NAMESPACE = 'kube-system'

/** The options that every cluster of a run shares. */
export interface ClusterOptions extends StackOptions {
  readonly charts: ChartRenderer
  readonly finish: Finisher
  readonly crypto: Crypto
  /** Default: refuse. */
  readonly runtimeFields?: RuntimeFields
  /** Shared by the clusters of a run; default: one of its own. */
  readonly traceMemory?: TraceMemory
  /** Shared by the clusters of a run; absent: each place is looked up. */
  readonly placeMemory?: PlaceMemory
  /** Knows the class of the cluster. */
  readonly locateInClass?: LocateInClass
  /** Judges Clusters as those of cluster.yaml are; absent: patches may bring any values. */
  readonly judgeCluster?: JudgeCluster
}

/** The inputs of a cluster's objects. */
export interface ClusterInputs {
  readonly cluster: Cluster
  readonly release: Release
  readonly clusterClass?: Dict
  /** The Cluster as the engine has it. */
  readonly committed?: Dict
  /** Charts and template folders that addons.yaml names, by absolute path. */
  readonly ownCharts: ReadonlyMap<string, Chart>
  readonly ownTemplates: ReadonlyMap<string, readonly Source[]>
}

/** A cluster's folders, and which patches and values files were of use. */
export interface RenderedCluster {
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
  /** The assumptions of its templates about values of the running cluster. */
  readonly assumptions: readonly RuntimeAssumption[]
  readonly usedPatches: readonly Patch[]
  readonly usedValues: readonly Source[]
  /** How the addons of its release read fields of the running cluster. */
  readonly runtimeReads: RuntimeReads
  /** Names of its addons. */
  readonly addons: readonly string[]
  /** Addons that folders above switch off, and that its release does not have. */
  readonly absentAddons: readonly string[]
  /** Addons of its release that assume nothing, and of which their charts say nothing, by name. */
  readonly plain: ReadonlyMap<string, PlainAddon>
  readonly locator: Locator
}

/** An addon that its values and its chart decide on alone. */
export interface PlainAddon {
  readonly folder: RenderedFolder
  /** Hashes of its renders. */
  readonly charts: readonly string[]
}

/**
 * Renders everything of one cluster: the Cluster with what lies beside it, then each addon; then namespaces, labels and
 * patches. Addons are rendered as CSO does: release `cluster-addon` in kube-system, CRDs in, the release's exact
 * Kubernetes version; values of the chart < overwrite.yaml < the fleet's, nearest folder last.
 * @throws StackmasonError with the diagnostics of every addon that fails
 */
export function renderCluster(inputs: ClusterInputs, options: ClusterOptions): RenderedCluster {
  const plan = planAddons(inputs.cluster, inputs.release)
  const seen: { offered: readonly string[] } = { offered: [] }
  const locator = createClusterLocator(plan.addons, inputs, { options, seen })
  return locating(locator, () => {
    const rendered = renderPlan(plan, inputs, { options, seen })
    return { ...rendered, findings: rendered.findings.map((finding) => locateFinding(finding, locator)), locator }
  })
}

/**
 * Renders one plain addon of a release as {@link renderCluster} does, without the rest of the cluster; undefined where
 * it is none, or where anything is to be said about it.
 */
export function renderPlainAddon(name: string, inputs: ClusterInputs, options: ClusterOptions): PlainAddon | undefined {
  const { cluster, release } = inputs
  try {
    const planned = planAddons(cluster, release).addons.filter((addon) => addon.name === name)
    const { rendered, problems } = renderPass(planned, inputs, { options, offered: [] })
    const [addon, ...others] = rendered
    if (addon === undefined || others.length + problems.length > 0 || !isPlain(addon, cluster)) return undefined
    const scopes = createScopeLookup(
      addon.manifests.map(({ object }) => object),
      options.scopes,
    )
    const finished = finishAddon(addon, { cluster, options, scopes })
    refuseDuplicates(finished.manifests)
    const [folder] = patchFolders([finished], cluster).folders
    if (folder === undefined || findWrong(folder).length > 0) return undefined
    return { folder, charts: addon.charts }
  } catch (error) {
    // whoever renders all of the cluster says what is wrong
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

/** How a cluster is rendered, and the API versions of CRDs that its charts saw in the last pass. */
interface ClusterPass {
  readonly options: ClusterOptions
  readonly seen: { offered: readonly string[] }
}

function renderPlan(plan: AddonPlan, inputs: ClusterInputs, run: ClusterPass): Omit<RenderedCluster, 'locator'> {
  const { cluster } = inputs
  const { options } = run
  const { rendered, problems, assumptions, runtimeReads, ...pass } = renderAddons(plan.addons, inputs, run)
  if (problems.length > 0) throw new StackmasonError(problems)
  const findings: Diagnostic[] = [...plan.findings, ...pass.findings]

  const addonScopes = createScopeLookup(
    rendered.flatMap(({ manifests }) => manifests.map((manifest) => manifest.object)),
    options.scopes,
  )
  const folders: RenderedFolder[] = [finishCluster(cluster, options)]
  const finishedAddons: AddonFolder[] = []
  for (const addon of rendered) {
    const { planned, about } = addon
    const folder = workOn(about, () => finishAddon(addon, { cluster, options, scopes: addonScopes }))
    finishedAddons.push({ planned, about, folder })
  }
  const completed = addNamespaces(finishedAddons)
  folders.push(...completed.folders)
  findings.push(...completed.findings)
  for (const [index, folder] of folders.entries())
    workOn(rendered[index - 1]?.about ?? {}, () => {
      refuseDuplicates(folder.manifests)
    })
  const patched = patchFolders(folders, cluster)
  const unknown = unknownSecrets(cluster, patched.folders)
  if (unknown.some(({ severity }) => severity === 'error')) throw new StackmasonError(unknown)
  findings.push(...unknown)
  const [before, after] = [folders, patched.folders].map((all) => all[0]?.manifests.find(isOf(cluster)))
  const judged = judgePatched(before, after, { cluster, judge: options.judgeCluster })
  findings.push(...judged.findings)
  const badNames = patched.folders.flatMap(({ manifests }, index) =>
    findWrong({ manifests }).map((finding) => withSubject(finding, rendered[index - 1]?.about ?? {})),
  )
  if (badNames.length + judged.problems.length > 0) throw new StackmasonError([...judged.problems, ...badNames])
  if (before !== undefined && after !== undefined) findings.push(...findAutoscaled(before, after, inputs))
  return {
    ...patched,
    findings,
    assumptions,
    runtimeReads,
    addons: plan.addons.map(({ name }) => name),
    absentAddons: plan.absent,
    plain: new Map(
      rendered.flatMap((addon, index) => {
        const folder = patched.folders[index + 1]
        return folder === undefined || !isPlain(addon, cluster)
          ? []
          : [[addon.planned.name, { folder, charts: addon.charts }]]
      }),
    ),
    usedValues: plan.addons.flatMap((planned) => (cluster.values.get(planned.name) ?? []).map((file) => file.source)),
  }
}

function isPlain({ planned, saysNothing }: RenderedAddon, { apiVersions }: Cluster): boolean {
  return planned.from === 'release' && saysNothing && apiVersions?.fromCrds !== true
}

interface FinishContext {
  readonly cluster: Cluster
  readonly options: Pick<ClusterOptions, 'finish' | 'instanceLabel'>
  readonly scopes: ReturnType<typeof createScopeLookup>
}

function finishAddon(
  { planned, manifests }: RenderedAddon,
  { cluster, options, scopes }: FinishContext,
): RenderedFolder {
  const isOwn = planned.from === 'fleet'
  const namespace = (isOwn ? planned.entry.namespace : undefined) ?? ADDON_NAMESPACE
  const instanceLabel = options.instanceLabel && !isOwn
  return {
    path: addonFolder(cluster, isOwn ? 'cluster' : 'release', planned.folder),
    manifests: options.finish(manifests, { namespace, scopeOf: scopes, instanceLabel }),
  }
}

const badNamesOf = oncePerManifest((manifest) => findBadNames([manifest]))
const refusedFieldsOf = oncePerManifest((manifest) => findRefusedFields([manifest]))

/** The problems of objects that no API server takes. */
function findWrong({ manifests }: Pick<RenderedFolder, 'manifests'>): readonly Diagnostic[] {
  return [...manifests.flatMap(badNamesOf), ...manifests.flatMap(refusedFieldsOf)]
}

/** Knows the objects of cluster.yaml, and renders an addon again when it is asked for one of its objects. */
function createClusterLocator(addons: readonly PlannedAddon[], inputs: ClusterInputs, run: ClusterPass): Locator {
  const { cluster, clusterClass } = inputs
  const { options, seen } = run
  const remember = options.traceMemory ?? createTraceMemory()
  const written = (): readonly TracedObject[] =>
    [cluster.document, ...cluster.beside].map((document) => ({
      manifest: toManifest(document.value, clusterOrigin(cluster)),
      trace: traceFile(cluster.source),
      written: { document, base: [] },
    }))
  const again = (): AddonContext => ({
    inputs,
    options,
    offered: seen.offered,
    clusterView: clusterView(inputs),
    onFinding: () => undefined,
    onAssumptions: () => undefined,
  })
  const addon = (planned: PlannedAddon): readonly TracedObject[] =>
    remember(planned, () => {
      const traces: DocumentTraces = new Map()
      return tracedObjects(traces, () => renderPlanned(planned, { ...again(), traces }))
    })
  // a variable that one cluster sets to the default of the class has another place than where it is not set
  let isClusterRead = false
  let own: ReturnType<LocatedCluster['read']> | undefined
  const locator = createLocator({
    patches: cluster.patches,
    readsOf(unit) {
      const planned = addons.find(({ name }) => name === unit)
      const { watch, reads } = watchValues()
      if (planned === undefined) return undefined
      try {
        renderPlanned(planned, { ...again(), watch })
      } catch (error) {
        if (error instanceof StackmasonError) return undefined
        throw error
      }
      return reads
    },
    cascadeOf: (unit) =>
      addons
        .filter(({ name }) => name === unit)
        .flatMap((planned) => {
          const chart = chartOf(planned, inputs)
          return valuesCascade(valuesOf(planned, again()).layers, chart === undefined ? [] : chartLayers(chart, []))
        }),
    traced(unit) {
      const [first, ...others] = addons.filter(({ name }) => name === unit)
      // what is remembered is given as it is: it is asked for once for each finding
      if (first !== undefined && others.length === 0 && unit !== CLUSTER_UNIT) return addon(first)
      return [
        ...(unit === CLUSTER_UNIT ? written() : []),
        ...[first, ...others].flatMap((one) => (one ? addon(one) : [])),
      ]
    },
    cluster: {
      read: () => {
        isClusterRead = true
        own ??= locateInCluster(cluster)
        return own
      },
      supplied(path) {
        isClusterRead = true
        return cluster.runtimeValues.get(path)
      },
      defaultOf(variable) {
        const path = ['spec', 'variables'] as const
        const declared = itemsAt(clusterClass ?? null, ...path)
        const index = declared.findIndex((item) => textAt(item, 'name') === variable)
        const field = ['schema', 'openAPIV3Schema', 'default'] as const
        const value = fieldAt(declared[index] ?? null, ...field)
        const at = value === undefined ? undefined : options.locateInClass?.([...path, index, ...field])
        return value === undefined || at === undefined ? undefined : { value, at }
      },
    },
  })
  const { placeMemory } = options
  if (placeMemory === undefined) return locator
  return {
    ...locator,
    locate: (manifest, path, part) => {
      const values = cluster.values.get(manifest.origin.unit) ?? []
      const files = [...values.map(({ source }) => source), ...cluster.patches]
      return placeMemory({ manifest, path, part, inputs: files }, () => {
        isClusterRead = false
        const place = locator.locate(manifest, path, part)
        return { place, of: isClusterRead ? 'one' : 'all' }
      })
    },
  }
}

/**
 * The Cluster object alone, as {@link renderCluster} renders it: what other clusters and stacks may depend on.
 * @throws StackmasonError OBJECT_*, PATCH_*
 */
export function renderClusterObject(
  cluster: Cluster,
  options: Pick<ClusterOptions, 'finish' | 'scopes'>,
): Manifest | undefined {
  const { folders } = patchFolders([finishCluster(cluster, options)], cluster)
  return folders[0]?.manifests.find((manifest) => isCapiCluster(manifest) && manifest.name === cluster.name)
}

function finishCluster(cluster: Cluster, options: Pick<ClusterOptions, 'finish' | 'scopes'>): RenderedFolder {
  const beside = cluster.beside.map(({ value }) => value)
  const own = [cluster.object, ...beside].map((object) => toManifest(object, clusterOrigin(cluster)))
  const manifests = options.finish(own, {
    namespace: cluster.namespace,
    scopeOf: createScopeLookup(beside, options.scopes),
    instanceLabel: false,
  })
  return { path: clusterFolder(cluster), manifests }
}

/** The file in which people give an addon a value, also where it is not there yet. */
function valuesFileOf({ name }: PlannedAddon, cluster: Cluster): string {
  return cluster.values.get(name)?.at(-1)?.source.name ?? `${dirName(cluster.source.name)}/values/${name}.yaml`
}

/** The next step for a chart that demands a value: the file to write it into. */
function wayToValue(planned: PlannedAddon, cluster: Cluster): Parameters<typeof advise>[0] {
  const file = valuesFileOf(planned, cluster)
  const hint = ({ trace = [] }: Diagnostic): string => {
    const asked = /<(?:.* )?required .*?\.Values\.([\w.]+)[)\s]*>$/.exec(trace[0]?.what ?? '')?.[1]
    return asked === undefined
      ? `The chart refuses its values: change those that it speaks of in ${file}.`
      : `Write ${asked} into ${file}.`
  }
  const schemaHint = ({ message }: Diagnostic): string => {
    const wanted = /: got string, want (integer|number|boolean)$/.exec(message)?.[1]
    if (wanted === undefined) return `Set it in ${file} to what the schema allows.`
    return `Write ${wanted === 'boolean' ? 'true or false' : 'a number'} without quotes in ${file}.`
  }
  return { TEMPLATE_FAIL: hint, CHART_VALUES_SCHEMA: schemaHint }
}

/** Says where the values are that the engine speaks of: it does not know the fleet. */
function withValuesFile(finding: Diagnostic, file: string): Diagnostic {
  const { code, hint = '' } = finding
  if (code !== 'TEMPLATE_EXECUTION' || !hint.includes('.Values')) return finding
  const placed = hint
    .replace(': set it in the values, or', `: set it in ${file}, or`)
    .replace(/; only maps and objects have fields\.$/, (end) => `${end} If the value is wrong, correct it in ${file}.`)
  return { ...finding, hint: placed }
}

/** An addon that the fleet brings is of no release. */
function subjectOf({ from, name }: PlannedAddon, release: Release): FindingSubject {
  return from === 'fleet' ? { addon: name } : { release: formatTag(release.name), addon: name }
}

function isOf({ apiVersion, name }: Cluster): (manifest: Manifest) => boolean {
  return (manifest) => manifest.kind === 'Cluster' && manifest.apiVersion === apiVersion && manifest.name === name
}

/** An addon whose objects are not in their places yet. */
interface RenderedAddon {
  readonly planned: PlannedAddon
  readonly about: FindingSubject
  readonly manifests: readonly Manifest[]
  /** True if it has no findings, and assumes nothing about the running cluster. */
  readonly saysNothing: boolean
  /** Hashes of its renders. */
  readonly charts: readonly string[]
}

/** The result of one rendering of all addons. */
interface AddonsPass {
  readonly rendered: readonly RenderedAddon[]
  readonly findings: readonly Diagnostic[]
  readonly problems: readonly Diagnostic[]
  readonly assumptions: readonly RuntimeAssumption[]
  readonly runtimeReads: RuntimeReads
}

/** How often addons are rendered again because others bring further CRDs; what needs more goes round in circles. */
const MAX_PASSES = 5

/** Renders the addons; again, as long as they bring CRDs that charts of the cluster see and that are new. */
function renderAddons(
  planned: readonly PlannedAddon[],
  inputs: ClusterInputs,
  { options, seen }: ClusterPass,
): AddonsPass {
  const declared = inputs.cluster.apiVersions?.declared ?? []
  let offered: readonly string[] = []
  let pass = renderPass(planned, inputs, { options, offered })
  if (inputs.cluster.apiVersions?.fromCrds !== true) return pass
  for (let count = 1; count < MAX_PASSES; count++) {
    const brought = offeredApis(pass.rendered.flatMap(({ manifests }) => manifests))
    const added = brought.filter((version) => !declared.includes(version) && !offered.includes(version))
    if (added.length === 0) break
    offered = [...offered, ...added].sort(compareBytes)
    seen.offered = offered
    pass = renderPass(planned, inputs, { options, offered })
  }
  return pass
}

function renderPass(
  addons: readonly PlannedAddon[],
  inputs: ClusterInputs,
  { options, offered }: Pick<AddonContext, 'options' | 'offered'>,
): AddonsPass {
  const rendered: RenderedAddon[] = []
  const findings: Diagnostic[] = []
  const problems: Diagnostic[] = []
  const assumptions: RuntimeAssumption[] = []
  const reads: RuntimeReads[] = []
  const context = {
    inputs,
    options,
    offered,
    clusterView: clusterView(inputs),
    onAssumptions: (made: readonly RuntimeAssumption[]) => assumptions.push(...made),
    onReads: (made: RuntimeReads) => reads.push(made),
  }
  for (const planned of addons) {
    const about = subjectOf(planned, inputs.release)
    const onFinding = (finding: Diagnostic): number => findings.push(withSubject(finding, about))
    const said = findings.length + assumptions.length
    let manifests: readonly Manifest[] = []
    try {
      const charts = options.charts.runsDuring(() => {
        manifests = workOn(about, () =>
          advise(wayToValue(planned, inputs.cluster), () => renderPlanned(planned, { ...context, onFinding })),
        )
      })
      const saysNothing = findings.length + assumptions.length === said
      rendered.push({ planned, about, manifests, saysNothing, charts })
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      const file = valuesFileOf(planned, inputs.cluster)
      problems.push(...error.diagnostics.map((finding) => withValuesFile(finding, file)))
    }
  }
  const runtimeReads = {
    supplied: [...new Set(reads.flatMap(({ supplied }) => supplied))],
    asked: [...new Set(reads.flatMap(({ asked }) => asked))],
  }
  return { rendered, findings, problems, assumptions, runtimeReads }
}

interface AddonContext {
  readonly inputs: ClusterInputs
  /** API versions of CRDs that the addons bring, if they count. */
  readonly offered: readonly string[]
  readonly options: ClusterOptions
  readonly clusterView: Dict
  /** Where to keep what wrote each document; absent: nowhere. */
  readonly traces?: DocumentTraces
  /** Notes how values are read; absent: nobody asks. */
  readonly watch?: WatchedValues['watch']
  readonly onFinding: (finding: Diagnostic) => void
  readonly onAssumptions: (made: readonly RuntimeAssumption[]) => void
  /** Notes how runtime templates read; absent: nobody asks. */
  readonly onReads?: (reads: RuntimeReads) => void
}

/** The Cluster as templates see it: patched, with namespace and the class's variable defaults. */
function clusterView({ cluster, clusterClass }: ClusterInputs): Dict {
  const { object } = patchedOrAsIs(ownManifest(cluster, cluster.object), cluster.patches)
  return clusterClass === undefined ? object : defaultClassVariables(object, clusterClass)
}

/** The values of an addon, and where they come from, nearest first; those of its chart are not among them. */
interface PlannedValues {
  readonly values: Dict
  readonly layers: readonly ValuesLayer[]
  readonly tokens?: TokenTable
}

function valuesOf(planned: PlannedAddon, context: AddonContext): PlannedValues {
  const { inputs, options } = context
  const files = inputs.cluster.values.get(planned.name) ?? []
  const fleetValues = files.reduce((merged, file) => mergeValues(merged, file.values), new Dict())
  const fleetLayers = files
    .map((file) => ({ ...file, form: 'yaml' as const, prefix: [], isOfFleet: true }))
    .toReversed()
  if (planned.from !== 'release') return { values: fleetValues, layers: fleetLayers }
  const { overwrite } = planned.addon
  const tokens = createTokenTable()
  if (overwrite === undefined) {
    context.onAssumptions(tokens.assumptions)
    return { values: mergeValues(new Dict(), fleetValues), layers: fleetLayers, tokens }
  }
  const late = renderRuntimeValues(overwrite, {
    cluster: context.clusterView,
    supplied: inputs.cluster.runtimeValues,
    runtimeFields: options.runtimeFields ?? 'refuse',
    tokens,
    crypto: options.crypto,
    onFinding: context.onFinding,
    onReads: context.onReads,
  })
  context.onAssumptions(tokens.assumptions)
  const own: ValuesLayer = { source: overwrite, form: 'template', values: late, prefix: [], isOfFleet: false }
  return { values: mergeValues(late, fleetValues), layers: [...fleetLayers, own], tokens }
}

function renderPlanned(planned: PlannedAddon, context: AddonContext): readonly Manifest[] {
  const { inputs } = context
  const given = valuesOf(planned, context)
  const chart = chartOf(planned, inputs)
  if (planned.from === 'release') {
    const release = { name: 'cluster-addon', namespace: ADDON_NAMESPACE }
    return renderChartAddon(planned, context, { chart: planned.addon.chart, ...given, release })
  }
  const { entry } = planned
  const release = { name: entry.releaseName ?? entry.name, namespace: entry.namespace ?? ADDON_NAMESPACE }
  if (chart !== undefined) return renderChartAddon(planned, context, { chart, ...given, release })
  const templates = inputs.ownTemplates.get(entry.templates ?? '') ?? []
  return renderTemplateFolder(templates, entry.name, {
    cluster: context.clusterView,
    ...given,
    release,
    valuesFile: valuesFileOf(planned, inputs.cluster),
    traces: context.traces,
  })
}

/** Undefined for a folder of templates. */
function chartOf(planned: PlannedAddon, { ownCharts }: ClusterInputs): Chart | undefined {
  return planned.from === 'release' ? planned.addon.chart : ownCharts.get(planned.entry.chart ?? '')
}

function renderChartAddon(
  planned: PlannedAddon,
  context: AddonContext,
  run: Pick<ChartRun, 'chart' | 'values' | 'tokens' | 'release' | 'layers'>,
): readonly Manifest[] {
  const { inputs, options, offered, traces, watch } = context
  const whole = {
    ...run,
    apiVersions: inputs.cluster.apiVersions?.declared ?? [],
    kubeVersion: inputs.release.kubernetesVersion,
    includeCrds: true,
    helmVersion: options.helmVersion,
    from: planned.from === 'release' ? formatTag(inputs.release.name) : run.chart.origin,
    unit: planned.name,
  }
  if (traces !== undefined)
    return options.charts.trace({ ...whole, apiVersions: [...whole.apiVersions, ...offered] }, traces)
  if (watch !== undefined) {
    options.charts.watch({ ...whole, apiVersions: [...whole.apiVersions, ...offered] }, watch)
    return []
  }
  const { manifests, findings, assumptions } = renderSeeing(offered, options.charts, whole)
  for (const finding of findings) {
    // with an engine the binding lists what is made, for review like everything else
    if (options.runtimeFields === 'bind' && finding.code === 'TEMPLATE_GENERATED_SECRET') continue
    context.onFinding(finding)
  }
  context.onAssumptions(assumptions)
  return manifests
}

/** Renders a chart that sees further API versions; one that they cannot matter to is not rendered again. */
function renderSeeing(
  offered: readonly string[],
  charts: ChartRenderer,
  run: ChartRun & { readonly apiVersions: readonly string[] },
): ChartObjects {
  const renderAll = (): ChartObjects => charts.render({ ...run, apiVersions: [...run.apiVersions, ...offered] })
  if (offered.length === 0) return charts.render(run)
  let without: ChartObjects
  try {
    without = charts.render(run)
  } catch (error) {
    if (error instanceof StackmasonError) return renderAll()
    throw error
  }
  return dependsOn(without.apiQueries, offered) ? renderAll() : without
}

function patchFolders(
  folders: readonly RenderedFolder[],
  cluster: Cluster,
): Pick<RenderedCluster, 'folders' | 'usedPatches'> {
  const used = new Set<Patch>()
  const own = clusterFolder(cluster)
  const patched = folders.map((folder) => ({
    ...folder,
    manifests: folder.manifests.map((manifest) =>
      folder.path === own && isCapiCluster(manifest)
        ? patchCluster(manifest, cluster.patches, (patch) => used.add(patch))
        : patchManifest(manifest, cluster.patches, (patch) => used.add(patch)),
    ),
  }))
  return { folders: patched, usedPatches: [...used] }
}

/**
 * A name that is misspelt in the cluster's own folder would let the Secret be made after all, over the one that is
 * there: an error where one of nearly that name is. Folders above speak for other clusters too. One that nothing
 * makes, and that objects of the cluster name, is made by somebody else.
 */
function unknownSecrets(cluster: Cluster, folders: readonly RenderedFolder[]): readonly Diagnostic[] {
  const secrets = new Set(
    folders.flatMap(({ manifests }) =>
      manifests.filter(({ kind }) => kind === 'Secret').map(({ namespace = '', name }) => `${namespace}/${name}`),
    ),
  )
  const named = new Set(cluster.existingSecrets.map(({ namespace, name }) => `${namespace}/${name}`))
  const others = [...secrets].filter((secret) => !named.has(secret))
  const nearestIn = (namespace: string, name: string): string | undefined => {
    const prefix = `${namespace}/`
    const names = others.flatMap((other) => (other.startsWith(prefix) ? [other.slice(prefix.length)] : []))
    const nearest = nearestName(name, names)
    return nearest === undefined ? undefined : prefix + nearest
  }
  // the first folder is applied to the management cluster
  const inCluster = folders.slice(1).flatMap(({ manifests }) => manifests)
  return cluster.existingSecrets.flatMap(({ namespace, name, at }): readonly Diagnostic[] => {
    const isOwn = dirName(at.source.name) === dirName(cluster.source.name)
    if (!isOwn || secrets.has(`${namespace}/${name}`) || isSecretNamed(inCluster, { namespace, name })) return []
    const meant = others.find((other) => other.endsWith(`/${name}`)) ?? nearestIn(namespace, name)
    return [
      {
        code: 'CONFIG_REFERENCE',
        severity: meant === undefined ? 'warning' : 'error',
        message: `no addon of cluster ${cluster.namespace}/${cluster.name} has or names a Secret ${namespace}/${name}`,
        at,
        hint:
          meant === undefined
            ? 'Remove the entry, or write name and namespace as the chart does.'
            : `Did you mean ${meant}? It would be generated again. Otherwise remove the entry.`,
      },
    ]
  })
}
