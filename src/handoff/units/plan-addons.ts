import { baseName } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HandedCluster, Unit, UnitHealthCheck } from '../../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import type { StageCondition } from '../../model/release.ts'
import { noteManifest } from '../note-manifest.ts'
import { CelError } from './cel-scan.ts'
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

/**
 * Plans the units of a cluster's addons. Without conditions they are one unit: stages are apply order, not readiness. From the first addon with a
 * condition on, each addon is a unit that waits for the one before it, because the operator went through its stages one by one; a pre-condition is
 * one more unit before its addon's. Conditions that cannot be translated are errors; those that the engine cannot wait for are, too.
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
  const together = firstGated === -1 ? addons : addons.slice(0, firstGated)
  const { name } = handed.cluster
  const base = `${handed.clusterFolder.path.slice(0, handed.clusterFolder.path.lastIndexOf('/'))}/addons`
  const common = {
    ...identity,
    target: 'workload',
    gate: 'none',
    ...(handed.hasRuntimeValues ? { runtimeValues: name } : {}),
  } as const
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
    })
  }
  const chain = (unit: Omit<Unit, 'dependsOn' | 'kind' | keyof typeof common>): void => {
    const before = units.at(-1)
    units.push({
      ...common,
      ...unit,
      kind: 'condition',
      dependsOn: before === undefined ? [] : [{ unit: before.name }],
    })
  }
  for (const { folder, pre, post } of addons.slice(together.length)) {
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
  const { release, cluster } = context.handed
  const addon = addonOf(folder)
  const isIgnored = cluster.addons.some((entry) => entry.name === addon && entry.ignoresConditions)
  const stage = release.stages.AfterControlPlaneInitialized?.find(
    (candidate) => candidate.addon === addon && candidate.action === 'apply',
  )
  if (stage === undefined || isIgnored || release.form === 'single') return { folder }
  const pre = gate(stage.preCondition, { ...context, addon, field: 'waitForPreCondition' })
  const post = gate(stage.postCondition, { ...context, addon, field: 'waitForPostCondition' })
  return { folder, ...(pre === undefined ? {} : { pre }), ...(post === undefined ? {} : { post }) }
}

/** `<NN>-<addon>` without its number. */
function addonOf(folder: RenderedFolder): string {
  return baseName(folder.path).replace(/^\d+-/, '')
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
