import { baseName } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HandedCluster, Unit, UnitHealthCheck } from '../../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import type { Stage, StageCondition } from '../../model/release.ts'
import type { Span } from '../../model/source.ts'
import { noteManifest } from '../note-manifest.ts'
import { CelError } from './cel-scan.ts'
import { addonName } from './read-committed-addons.ts'
import { translateCondition } from './translate-condition.ts'
import { unitName } from './unit-name.ts'

/** The units of one cluster's addons, and the folders that they need beside the rendered ones. */
export interface PlannedAddons {
  readonly units: readonly Unit[]
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
}

/** What every unit of a cluster has. */
export type UnitIdentity = Pick<Unit, 'namespace' | 'cluster' | 'release' | 'isSuspended'>

/** An addon of a cluster: its folder, and its stage's conditions as checks. */
interface GatedAddon {
  readonly folder: RenderedFolder
  readonly pre?: GatedCondition
  readonly post?: GatedCondition
}

interface GatedCondition {
  readonly condition: StageCondition
  readonly checks: readonly UnitHealthCheck[]
}

/** Whether a cluster has addons with conditions, so that how the committed tree divides its addons matters. */
export function hasConditions({
  release,
  addons,
  cluster,
}: Pick<HandedCluster, 'release' | 'addons' | 'cluster'>): boolean {
  return addons.some((folder) => {
    const stage = stageOf(folder, { release, cluster })
    return stage?.preCondition !== undefined || stage?.postCondition !== undefined
  })
}

/**
 * Plans the units of a cluster's addons. Without conditions they are one unit: stages are apply order, not readiness. From the first addon with a
 * condition on, each addon is a unit that waits for the one before it, because the operator went through its stages one by one; a pre-condition is
 * one more unit before its addon's. Conditions that cannot be translated are errors; those that the engine cannot wait for are, too.
 *
 * Flux prunes what leaves a unit before the next unit may apply it: an addon that runs already leaves the unit of all only when the committed tree has
 * let go of its objects. The tree that lets go is written first.
 */
export function planAddons(
  handed: HandedCluster,
  identity: UnitIdentity,
  engine: 'flux' | 'argocd' | undefined,
): PlannedAddons {
  const findings: Diagnostic[] = []
  const committed = waitingFolders(handed.addons)
  const addons = handed.addons
    .filter((folder) => committed.get(folder.path) === undefined)
    .map((folder) => readConditions(folder, { handed, engine, findings }))
  const isGated = ({ pre, post }: GatedAddon): boolean => pre !== undefined || post !== undefined
  const firstGated = addons.findIndex(isGated)
  const alone = firstGated === -1 ? [] : addons.slice(firstGated)
  const held = new Set(alone.filter(({ folder }) => isHeld(folder, handed)))
  const together = addons.filter((addon) => !alone.includes(addon) || held.has(addon))
  const { name, namespace } = handed.cluster
  const base = `${handed.clusterFolder.path.slice(0, handed.clusterFolder.path.lastIndexOf('/'))}/addons`
  const common = {
    ...identity,
    target: 'workload',
    gate: 'none',
    ...(handed.hasRuntimeValues ? { runtimeValues: name } : {}),
  } as const
  const letsGoOf = handed.isKept === true ? [] : [...held].map(({ folder }) => folder.path)
  const units: Unit[] = []
  const folders: RenderedFolder[] = []
  if (together.length > 0) {
    folders.push({ path: base, manifests: [], includes: together.map(({ folder }) => baseName(folder.path)) })
    units.push({
      ...common,
      kind: 'addons',
      name: unitName(name, 'addons'),
      path: base,
      manifests: together.flatMap(({ folder }) => folder.manifests),
      dependsOn: [],
      ...(letsGoOf.length > 0 && { letsGoOf }),
    })
  }
  if (letsGoOf.length > 0)
    findings.push({
      code: 'HANDOFF_UNIT_CHANGES',
      severity: 'warning',
      message: `cluster ${namespace}/${name}: ${letsGoOf.map(addonOf).join(', ')} will leave the unit ${unitName(name, 'addons')} with the next commit; with this one the unit only lets go of what it has applied`,
      file: `clusters/${namespace}/${name}`,
    })
  const chain = (unit: Omit<Unit, 'dependsOn' | 'kind' | keyof typeof common>): void => {
    const before = units.at(-1)
    units.push({
      ...common,
      ...unit,
      kind: 'condition',
      dependsOn: before === undefined ? [] : [{ unit: before.name }],
    })
  }
  for (const { folder, pre, post } of alone.filter((addon) => !held.has(addon))) {
    const addon = baseName(folder.path)
    if (pre !== undefined) {
      const path = waitingPath(folder)
      const known = committed.get(path)
      const waiting = known ?? { path, manifests: [waitingNote(addon, pre, handed)] }
      if (known === undefined) folders.push(waiting)
      chain({
        path,
        manifests: waiting.manifests,
        name: unitName(name, 'addons', addon, 'before'),
        preCondition: pre.condition,
        healthChecks: pre.checks,
      })
    }
    chain({
      path: folder.path,
      manifests: folder.manifests,
      name: unitName(name, 'addons', addon),
      ...(post === undefined ? {} : { postCondition: post.condition, healthChecks: post.checks }),
    })
  }
  return { units, folders, findings }
}

/** Whether the unit of all addons must keep an addon for now, because it would delete what it has applied. */
function isHeld({ path }: RenderedFolder, { committedAddons, isKept = false }: HandedCluster): boolean {
  const addon = addonOf(path)
  if (committedAddons?.together.has(addon) !== true) return false
  return isKept || !committedAddons.letGo.has(addon)
}

function waitingPath({ path }: RenderedFolder): string {
  return `${path}-before`
}

/** Folders of units that only wait, by path: a cluster that is kept as it is committed has them among its addons. */
function waitingFolders(folders: readonly RenderedFolder[]): ReadonlyMap<string, RenderedFolder> {
  const paths = new Set(folders.map(waitingPath))
  return new Map(folders.filter(({ path }) => paths.has(path)).map((folder) => [folder.path, folder]))
}

interface ConditionContext {
  readonly handed: HandedCluster
  readonly engine: 'flux' | 'argocd' | undefined
  readonly findings: Diagnostic[]
}

function readConditions(folder: RenderedFolder, context: ConditionContext): GatedAddon {
  const addon = addonOf(folder.path)
  const stage = stageOf(folder, context.handed)
  if (stage === undefined) return { folder }
  const pre = gate(stage.preCondition, { ...context, addon, field: 'waitForPreCondition' })
  const post = gate(stage.postCondition, { ...context, addon, field: 'waitForPostCondition' })
  return { folder, ...(pre === undefined ? {} : { pre }), ...(post === undefined ? {} : { post }) }
}

/** The stage whose conditions count for an addon. */
function stageOf(
  { path }: RenderedFolder,
  { release, cluster }: Pick<HandedCluster, 'release' | 'cluster'>,
): Stage | undefined {
  const addon = addonOf(path)
  const isIgnored = cluster.addons.some((entry) => entry.name === addon && entry.ignoresConditions)
  if (isIgnored || release.form === 'single') return undefined
  return release.stages.AfterControlPlaneInitialized?.find(
    (candidate) => candidate.addon === addon && candidate.action === 'apply',
  )
}

function addonOf(path: string): string {
  return addonName(baseName(path))
}

function gate(
  condition: StageCondition | undefined,
  context: ConditionContext & { readonly addon: string; readonly field: string },
): GatedCondition | undefined {
  if (condition === undefined) return undefined
  const { addon, field, engine, findings } = context
  const what = `${field} of the stage of addon "${addon}"`
  const ignoring = `set \`conditions: ignore\` for ${addon} in addons.yaml to apply it in its place without waiting`
  if (engine === undefined) {
    findings.push({
      code: 'RELEASE_STAGE_NOT_EXPRESSED',
      severity: 'warning',
      message: `${what}: nothing waits for it, because the fleet names no engine that applies the tree`,
      at: condition.at,
      hint: 'Wait by hand before you apply what follows, or state spec.handoff in stackmason.yaml.',
    })
    return undefined
  }
  if (engine === 'argocd') {
    findings.push({
      code: 'RELEASE_STAGE_NOT_EXPRESSED',
      severity: 'error',
      message: `${what}: Argo CD cannot wait for it, it judges the health of kinds and not of single objects`,
      at: condition.at,
      hint: `Hand over to Flux, or ${ignoring}.`,
    })
    return undefined
  }
  try {
    return { condition, checks: translateCondition(condition) }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error.offset !== undefined) {
      findings.push({
        code: 'RELEASE_STAGE_NOT_EXPRESSED',
        severity: 'error',
        message: `${what} is no expression of CEL that is understood: ${error.message}`,
        at: within(condition, error.offset),
        hint: `Correct the expression, or ${ignoring}.`,
      })
      return undefined
    }
    findings.push({
      code: 'RELEASE_STAGE_NOT_EXPRESSED',
      severity: 'error',
      message: `${what} cannot be translated for Flux, which checks each object by itself: ${error.message}`,
      at: condition.at,
      hint: `Say it about one object in each part that && joins, or ${ignoring}.`,
    })
    return undefined
  }
}

/** The place in the expression, where it stands in the file as it is: block scalars and escapes are folded. */
function within({ at, conditions }: StageCondition, offset: number): Span {
  const start = at.source.text.indexOf(conditions, at.start)
  if (conditions === '' || start === -1 || start + conditions.length > at.end) return at
  const from = start + Math.min(offset, conditions.length - 1)
  return { source: at.source, start: from, end: from + 1 }
}

/** An engine applies no empty folder, so the unit that only waits says on the cluster what it waits for. */
function waitingNote(addon: string, { condition }: GatedCondition, { release, addons }: HandedCluster): Manifest {
  const template = addons.find((folder) => baseName(folder.path) === addon)?.manifests[0]?.origin
  return noteManifest({
    name: `stackmason-before-${addon}`,
    namespace: 'kube-system',
    data: { addon, waitsFor: condition.conditions },
    origin: { from: template?.from ?? release.origin, unit: template?.unit ?? addon, template: 'clusteraddon.yaml' },
  })
}
