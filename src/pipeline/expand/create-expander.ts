import { joinPath } from '../../codec/path.ts'
import { createArgoHandoff } from '../../handoff/argocd/argo-handoff.ts'
import { applicationName } from '../../handoff/argocd/argo-names.ts'
import { refuseClassPlaceholders } from '../../handoff/binding/refuse-class-placeholders.ts'
import { isSuspendedInTree } from '../../handoff/committed-units.ts'
import { createFluxHandoff } from '../../handoff/flux/flux-handoff.ts'
import { createHookTranslator } from '../../handoff/hooks/translate-hooks.ts'
import { findMalformed } from '../../handoff/secrets/find-malformed.ts'
import { findPlaintext, type PlaintextInput } from '../../handoff/secrets/find-plaintext.ts'
import { findUndecrypted } from '../../handoff/secrets/find-undecrypted.ts'
import { applyLifecycle } from '../../handoff/steps/apply-lifecycle.ts'
import { findOtherUnits, findUnwritten, movesObjects } from '../../handoff/steps/find-unwritten.ts'
import { nameUnits, type UnitSpeech } from '../../handoff/steps/name-units.ts'
import { planSteps } from '../../handoff/steps/plan-steps.ts'
import { refuseClassNamespace } from '../../handoff/steps/refuse-class-namespace.ts'
import type { ToolHandoff } from '../../handoff/tool-handoff.ts'
import { planUnits, type PlannedUnits } from '../../handoff/units/plan-units.ts'
import { clusterSubject, type Diagnostic, type FindingSubject, withSubject } from '../../model/diagnostic.ts'
import type { Cluster, Fleet } from '../../model/fleet.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { StepPlan } from '../../model/steps.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import { dict } from '../../model/value.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { Locator } from '../../render/explain/locator.ts'
import { createClassLocator, type LocateInClass } from '../../render/stack/render-class.ts'
import {
  type ClusterOptions,
  renderCluster,
  type RenderedCluster,
  renderPlainAddon,
} from '../../render/stack/render-cluster.ts'
import { findSharedObjects } from '../../render/stack/shared-objects.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import type { HandoffSources } from '../deliver/handoff-templates.ts'
import { bindCommitted, bindRendered, type BoundCluster } from './bind-unit.ts'
import type { ClusterUnit, CommittedUnit, RenderedUnit } from './cluster-unit.ts'
import type { ClusterSummary, ExpandedCluster, UnitFindings, UnitProblems } from './expanded-unit.ts'
import { type LoneAddon, loneAddon, loneAddons, type LoneContext } from './lone-addons.ts'
import { usedInputs } from './unused-inputs.ts'

/** The options that all units of a fleet share. */
export interface ExpanderOptions {
  readonly fleet: Fleet
  readonly render: ClusterOptions
  /** The sources of the GitOps tool's objects; undefined without a tool. */
  readonly sources: HandoffSources | undefined
  /** `rendered`: units are rendered, and no GitOps tool gets them. */
  readonly until: 'rendered' | 'handoff'
}

/** A stack as its GitOps tool may see it. */
export interface PreparedStack {
  readonly stack: HandoffStack
  readonly findings: { readonly hooks: readonly Diagnostic[]; readonly secrets: readonly Diagnostic[] }
  readonly problems: { readonly class: readonly Diagnostic[]; readonly secrets: readonly Diagnostic[] }
}

/**
 * Expands units, one by one: what comes out depends on the unit and the options alone. What many units have in common
 * is made once.
 */
export interface Expander {
  readonly cluster: (unit: ClusterUnit) => ExpandedCluster
  /** Expands one addon of a cluster that may change by itself; undefined where it may not, or has problems. */
  readonly addon: (unit: RenderedUnit, name: string) => ExpandedAddon | undefined
  readonly stack: (stack: HandoffStack, locator: Locator | undefined) => PreparedStack
  readonly tool: GitopsTool | undefined
  /** Undefined without a GitOps tool, or where its templates cannot be read. */
  readonly handoff: ToolHandoff | undefined
}

/** An addon of a cluster, and its folder as it is written. */
export interface ExpandedAddon {
  readonly lone: LoneAddon
  readonly folder: RenderedFolder
}

/** Makes an {@link Expander}. */
export function createExpander(options: ExpanderOptions): Expander {
  const { handoff } = options.fleet
  const context: Context = {
    ...options,
    tool: handoff?.tool,
    handoff: createHandoff(options),
    translate: handoff === undefined ? undefined : createHookTranslator(handoff.tool),
    classLocatorOf: createClassLocators(options.render),
  }
  const { charts } = options.render
  return {
    cluster: (unit) => {
      if (unit.kind === 'rendered') {
        charts.takeRuns()
        const { summary, ...made } = expandRendered(unit, context)
        return { ...made, summary: { ...summary, charts: charts.takeRuns() } }
      }
      if (unit.kind === 'committed') return expandCommitted(unit, context)
      return expanded({ kind: 'none', findings: {}, problems: {}, steps: [unit.plan].filter(isUnderWay) })
    },
    addon: (unit, name) => expandAddon(unit, name, context),
    stack: (stack, locator) => prepareStack(stack, locator, context),
    tool: context.tool,
    handoff: context.handoff,
  }
}

interface Context extends ExpanderOptions {
  readonly tool: GitopsTool | undefined
  readonly handoff: ToolHandoff | undefined
  readonly translate: ReturnType<typeof createHookTranslator> | undefined
  readonly classLocatorOf: (unit: RenderedUnit) => LocateInClass
}

/** Makes one locator for all clusters of a class. */
function createClassLocators(options: ClusterOptions): Context['classLocatorOf'] {
  const byRelease = new WeakMap<Release, Map<string, LocateInClass>>()
  return ({ inputs: { release }, stackNamespace }) => {
    const byNamespace = byRelease.get(release) ?? new Map<string, LocateInClass>()
    byRelease.set(release, byNamespace)
    const locator = byNamespace.get(stackNamespace) ?? createClassLocator(release, stackNamespace, options)
    byNamespace.set(stackNamespace, locator)
    return locator
  }
}

function createHandoff({ fleet: { handoff }, sources }: ExpanderOptions): ToolHandoff | undefined {
  if (sources === undefined) return undefined
  if (handoff?.tool === 'flux') return createFluxHandoff(handoff, sources.templates)
  return handoff === undefined ? undefined : createArgoHandoff(handoff, sources)
}

function expanded(summary: ClusterSummary, parts: Partial<ExpandedCluster> = {}): ExpandedCluster {
  return { folders: [], rendered: [], units: [], isKept: false, locator: undefined, ...parts, summary }
}

function expandRendered(unit: RenderedUnit, context: Context): ExpandedCluster {
  const { cluster, inputs } = unit
  const about = clusterSubject(cluster)
  let rendered: RenderedCluster
  try {
    rendered = renderCluster(inputs, { ...context.render, locateInClass: context.classLocatorOf(unit) })
  } catch (error) {
    const problems = diagnosticsOf(error).map((finding) => withSubject(finding, about))
    return expanded({ kind: 'rendered', findings: {}, problems: { render: problems }, steps: [] })
  }
  const { locator } = rendered
  const located = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
    found.map((finding) => locateFinding(withSubject(finding, about), locator))
  const render = located(rendered.findings)
  const base = { kind: 'rendered', used: usedInputs(rendered), steps: [] } as const
  if (context.until === 'rendered')
    return expanded({ ...base, findings: { render }, problems: {} }, { rendered: rendered.folders, locator })
  const { folders, hooks } = translateHooks(rendered.folders, (folder, index) => {
    const addon = index === 0 ? undefined : folder.manifests[0]?.origin.unit
    return { subject: { ...about, ...(addon !== undefined && { addon }) }, context }
  })
  const secrets = located(findSecrets(folders, { release: formatTag(inputs.release.name), cluster }, context))
  const shared = findSharedObjects(cluster, folders.slice(1), locator)
  const findings: UnitFindings = { render, hooks: located(hooks), secrets }
  const problems: UnitProblems = { shared, secrets: secrets.filter(isError) }
  const complete = (due: RenderedUnit): ExpandedCluster => {
    let bound: BoundCluster
    try {
      bound = bindRendered(due, { ...rendered, folders }, context.fleet)
    } catch (error) {
      return expanded({ ...base, findings, problems: { ...problems, bound: located(diagnosticsOf(error)) } })
    }
    const storage = located(bound.storage ?? [])
    const known = {
      ...base,
      findings: { ...findings, storage: storage.filter((finding) => !isError(finding)) },
      problems: { ...problems, storage: storage.filter(isError) },
    }
    const made = handOver(due, bound, { context, known, rendered: rendered.folders, locator })
    if (!mayChangeApart(due)) return made
    const told = { ...made, findings: Object.values(made.summary.findings).flat() }
    return { ...made, lone: loneAddons(rendered.plain, told, loneContext(cluster, context)) }
  }
  const made = complete(unit)
  const plan = planAgain(unit, made, { fleet: context.fleet, complete })
  if (plan === undefined) return made
  const elsewhere = refuseClassNamespace(cluster, unit.committed, plan)
  if (elsewhere === undefined) return complete({ ...unit, plan })
  return expanded({ ...base, findings, problems: { ...problems, bound: located([elsewhere]) } })
}

/** True if no step of the cluster compares what its addons hold with what was committed. */
function mayChangeApart({ plan, classDue }: RenderedUnit): boolean {
  return classDue === undefined && (plan === undefined || !isUnderWay(plan))
}

function loneContext(cluster: Cluster, { translate, render: { crypto } }: Context): LoneContext {
  return { cluster, crypto, translate }
}

/** An addon as {@link expandRendered} makes it, where nothing else of its cluster takes part. */
function expandAddon(unit: RenderedUnit, name: string, context: Context): ExpandedAddon | undefined {
  const { cluster, inputs } = unit
  const plain = mayChangeApart(unit) ? renderPlainAddon(name, inputs, context.render) : undefined
  const lone = plain === undefined ? undefined : loneAddon(plain, loneContext(cluster, context))
  if (plain === undefined || lone === undefined) return undefined
  const { folder } = plain
  if (findSecrets([folder], { release: formatTag(inputs.release.name), cluster }, context).length > 0) return undefined
  const manifests = context.handoff?.plainAddon(folder.manifests) ?? folder.manifests
  return { lone, folder: { path: folder.path, manifests } }
}

/** The step before, where the class is due and the tree does not hold the addons and units that come before it. */
function planAgain(
  unit: RenderedUnit,
  { folders }: ExpandedCluster,
  {
    fleet: { root, output },
    complete,
  }: { readonly fleet: Fleet; readonly complete: (due: RenderedUnit) => ExpandedCluster },
): StepPlan | undefined {
  const { cluster, committed, classDue } = unit
  if (classDue === undefined || folders.length === 0) return undefined
  const { held, units, options } = classDue
  const display = (path: string): string => joinPath(root, output, path)
  // units that only are to be suspended, or resumed, are those of the step all the same
  const isSuspended = isSuspendedInTree(units)
  const isTurned = units.length > 0 && isSuspended !== (cluster.options?.isSuspended === true)
  const planFor = (gaps: readonly string[]): StepPlan =>
    planSteps(cluster, committed, { ...options, isSuspended, isTurned, gaps })
  const gaps = findUnwritten(folders, held, display)
  if (gaps.length > 0) return planFor(gaps)
  // units change with what they hold
  if ('unreadable' in held || movesObjects(folders, held)) return undefined
  const plan = planFor([''])
  const findOthers = (suspends: StepPlan['suspends']): readonly string[] | undefined => {
    const own = unitsFolder(complete({ ...unit, plan: { ...plan, suspends } }))
    return own === undefined ? undefined : findOtherUnits(own, units, display)
  }
  const others = findOthers(isSuspended ? 'all' : 'none')
  if (others === undefined || (others.length === 0 && !isTurned)) return undefined
  // of those that are resumed only a part may have been suspended
  return planFor((others.length > 0 && isTurned && isSuspended ? findOthers('none') : undefined) ?? others)
}

/** The folder of a cluster's units; that of a cluster named like the folder of stacks has those, too. */
function unitsFolder({
  folders,
  summary: { note },
}: ExpandedCluster): (RenderedFolder & { readonly isShared: boolean }) | undefined {
  if (note?.shared !== undefined) return { ...note.shared, isShared: true }
  const own = folders.find(({ path }) => parseTreeFolder(path)?.kind === 'handoff')
  return own === undefined ? undefined : { ...own, isShared: false }
}

/** A cluster whose folders stay as they are committed. */
function expandCommitted(unit: CommittedUnit, context: Context): ExpandedCluster {
  const { cluster, plan, release } = unit
  const steps = [plan].filter(isUnderWay)
  const base = { kind: 'committed', steps } as const
  if (context.until === 'rendered') return expanded({ ...base, findings: {}, problems: {} })
  let bound: BoundCluster | undefined
  try {
    bound = bindCommitted(unit)
  } catch (error) {
    const problems = diagnosticsOf(error).map((finding) => withSubject(finding, clusterSubject(cluster)))
    return expanded({ ...base, findings: {}, problems: { bound: problems } })
  }
  if (bound === undefined) return expanded({ ...base, findings: {}, problems: {} })
  const { clusterFolder, addons } = bound.input
  const input = { release: formatTag(release.name), cluster, isKept: true }
  const secrets = findSecrets([clusterFolder, ...addons], input, context)
  const known = { ...base, findings: { secrets }, problems: { secrets: secrets.filter(isError) } }
  return handOver(unit, bound, { context, known, rendered: [], locator: undefined })
}

interface HandOverContext {
  readonly context: Context
  readonly known: ClusterSummary
  readonly rendered: readonly RenderedFolder[]
  readonly locator: Locator | undefined
}

/** Divides a cluster among units and writes the GitOps tool's objects for them. */
function handOver(
  unit: RenderedUnit | CommittedUnit,
  { input, placeholders, kept }: BoundCluster,
  { context, known, rendered, locator }: HandOverContext,
): ExpandedCluster {
  const { cluster, plan } = unit
  const { tool, handoff } = context
  const isKept = unit.kind === 'committed'
  const located = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
    found.map((finding) => locateFinding(finding, locator))
  const own = [input.clusterFolder, ...input.addons]
  let planned: PlannedUnits
  try {
    planned = planUnits([], [input], { tool })
  } catch (error) {
    return expanded({ ...known, problems: { ...known.problems, units: located(diagnosticsOf(error)) } })
  }
  const findings = { ...known.findings, units: located(planned.findings) }
  if (handoff === undefined || tool === undefined)
    return expanded({ ...known, findings }, { folders: own, rendered, isKept, locator })
  const units = applyLifecycle(planned.units, plan === undefined ? [] : [plan]).map((one) =>
    isKept ? { ...one, isKept } : one,
  )
  try {
    const { namespace, name } = cluster
    const folders = [...own, ...planned.folders]
    const made = handoff.cluster({
      cluster: { namespace, name },
      units,
      folders,
      placeholders,
      kept,
    })
    const steps = nameUnits(
      plan === undefined ? [] : [plan].filter((one) => isTold(one, tool)),
      planned.units,
      speeches[tool],
    )
    return expanded(
      { ...known, findings, note: made.note, steps },
      { folders: keepTexts([...made.folders, ...made.handoff], unit), rendered, units, isKept, locator },
    )
  } catch (error) {
    return expanded({ ...known, problems: { ...known.problems, tool: located(diagnosticsOf(error)) } })
  }
}

/** Folders that stay as they are committed, with their texts and all that their kustomization.yaml says. */
function keepTexts(folders: readonly RenderedFolder[], unit: RenderedUnit | CommittedUnit): readonly RenderedFolder[] {
  if (unit.kind === 'rendered') return folders
  const { texts, kustomizations } = unit.content
  return folders.map((folder) => {
    const [committed, before] = [texts.get(folder.path), kustomizations.get(folder.path)]
    const kustomization =
      before === undefined ? folder.kustomization : dict([...before, ...(folder.kustomization ?? [])])
    return {
      ...folder,
      ...(committed !== undefined && { committed }),
      ...(kustomization !== undefined && { kustomization }),
    }
  })
}

const speeches: Readonly<Record<GitopsTool, UnitSpeech>> = {
  flux: { nameOf: (unit) => unit.name, suspended: ['is suspended', 'are suspended'] },
  argocd: {
    nameOf: applicationName,
    suspended: ['has no automated sync', 'have no automated sync'],
    ending: (names) =>
      'A sync that has begun goes on without automated sync, and one that fails is tried again with the newest commit. ' +
      `End each that is Running in \`status.operationState.phase\`: ${names.map((name) => `\`argocd app terminate-op ${name}\``).join(', ')}.`,
  },
}

/** Like {@link isUnderWay}, or suspended where that leaves something to do by hand. */
function isTold(plan: StepPlan, tool: GitopsTool): boolean {
  const isHalted = plan.suspends === 'all' && plan.due.action === 'keep'
  return isUnderWay(plan) || (isHalted && speeches[tool].ending !== undefined)
}

/** True if there is anything to say of a cluster's steps: most are as their inputs want them. */
function isUnderWay({ due, then }: StepPlan): boolean {
  return then.length > 0 || (due.action !== 'keep' && due.action !== 'create')
}

function prepareStack(stack: HandoffStack, locator: Locator | undefined, context: Context): PreparedStack {
  const release = formatTag(stack.release.name)
  const located = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
    found.map((finding) => locateFinding(finding, locator))
  const { folders, hooks } = translateHooks([stack.folder], () => ({ subject: { release }, context }))
  const [folder = stack.folder] = folders
  const secrets = located(findSecrets([folder], { release }, context))
  return {
    stack: { ...stack, folder },
    findings: { hooks: located(hooks), secrets },
    problems: {
      class: context.tool === undefined ? [] : located(refuseClassPlaceholders(folder.manifests)),
      secrets: secrets.filter(isError),
    },
  }
}

/** Leaves no object that the GitOps tool would take for a hook. Without a tool everything stays as Helm gives it. */
function translateHooks(
  folders: readonly RenderedFolder[],
  about: (folder: RenderedFolder, index: number) => { readonly subject: FindingSubject; readonly context: Context },
): { readonly folders: readonly RenderedFolder[]; readonly hooks: readonly Diagnostic[] } {
  const hooks: Diagnostic[] = []
  const translated = folders.map((folder, index) => {
    const { subject, context } = about(folder, index)
    if (context.translate === undefined) return folder
    const { manifests, report } = context.translate(folder.manifests)
    hooks.push(...report.map((finding) => withSubject(finding, subject)))
    return { ...folder, manifests }
  })
  return { folders: translated, hooks }
}

/** Secrets that would stand readable in git, that nothing would decrypt, or that no API server takes. */
function findSecrets(
  folders: readonly RenderedFolder[],
  input: Omit<PlaintextInput, 'tool'>,
  { fleet: { handoff } }: Context,
): readonly Diagnostic[] {
  const about = input.cluster === undefined ? { release: input.release } : clusterSubject(input.cluster)
  // what stays as it is committed no input can mend
  const malformed = input.isKept === true ? [] : findMalformed(folders)
  // without a tool the tree may never be committed
  const readable =
    handoff === undefined
      ? []
      : [...findPlaintext(folders, { ...input, tool: handoff.tool }), ...findUndecrypted(folders, handoff)]
  return [...readable, ...malformed].map((finding) => withSubject(finding, about))
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error'
}
