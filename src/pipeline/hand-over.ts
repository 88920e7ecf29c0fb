import type { Hole } from '../model/binding.ts'
import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { HandoffConfig } from '../model/handoff-config.ts'
import type { HandedCluster, HandoffFolders, Unit, UnitStack } from '../model/handoff.ts'
import { itemsAt } from '../model/field.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { StepPlan } from '../model/steps.ts'
import type { Ports } from '../model/ports.ts'
import { formatTag } from '../model/release-name.ts'
import { bindCluster } from '../handoff/binding/bind-cluster.ts'
import { checkBinding } from '../handoff/binding/check-binding.ts'
import { fillHoles } from '../handoff/binding/fill-holes.ts'
import { refuseClassHoles } from '../handoff/binding/refuse-class-holes.ts'
import type { PlannedNodeImages } from '../handoff/images/plan-node-images.ts'
import { createHookTranslator } from '../handoff/hooks/translate-hooks.ts'
import type { CommittedTree } from './committed-tree.ts'
import { diagnosticsOf, distinct } from './diagnostics.ts'
import { renderArgo } from '../handoff/argocd/render-argo.ts'
import { renderFlux } from '../handoff/flux/render-flux.ts'
import { applyLife } from '../handoff/steps/apply-life.ts'
import { findPlaintext, type PlaintextInput } from '../handoff/secrets/find-plaintext.ts'
import { findUndecrypted } from '../handoff/secrets/find-undecrypted.ts'
import { holdBack } from '../handoff/steps/hold-back.ts'
import { keepFolders } from '../handoff/steps/keep-folders.ts'
import { hasConditions } from '../handoff/units/plan-addons.ts'
import { planUnits } from '../handoff/units/plan-units.ts'
import { readCommittedAddons } from '../handoff/units/read-committed-addons.ts'
import { readEngineSources } from './handoff-templates.ts'
import { handoffFolders, type Scope } from './narrow.ts'
import { planImages } from './plan-images.ts'
import type { FleetCluster, KeptCluster, RenderedFleet } from './render-fleet.ts'

/** What handing a rendered fleet over needs. */
export interface HandOverRun {
  readonly repository: FleetRepository
  readonly scope: Scope
  readonly ports: Ports
  /** What is committed; undefined without an engine. */
  readonly tree: CommittedTree | undefined
}

/** The folders of the output tree. */
export interface HandedFleet {
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
  /** What this run writes of each cluster, and what follows; empty without an engine. */
  readonly steps: readonly StepPlan[]
}

/**
 * Makes the output tree of a rendered fleet: as it is when the fleet has no engine, else with what the engine must see on objects and with the engine's own
 * objects.
 * @throws StackmasonError HANDOFF_*, SECRET_*, CONFIG_UNKNOWN_FILE
 */
export async function handOver(rendered: RenderedFleet, run: HandOverRun): Promise<HandedFleet> {
  const { handoff } = run.repository.fleet
  const engine = handoff?.engine
  const findings: Diagnostic[] = []
  const translate = engine === undefined ? undefined : createHookTranslator(engine)
  const translated = (folder: RenderedFolder): RenderedFolder => {
    if (translate === undefined) return folder
    const { manifests, report } = translate(folder.manifests)
    findings.push(...report)
    return { ...folder, manifests }
  }
  const withImages: PlannedNodeImages =
    engine === undefined
      ? { stacks: rendered.stacks, imageStacks: [], places: new Map(), findings: [] }
      : await planImages(rendered, run)
  findings.push(...withImages.findings)
  const stacks = withImages.stacks.map((stack) => ({ ...stack, folder: translated(stack.folder) }))
  const problems: Diagnostic[] = []
  const plaintext: Diagnostic[] = []
  const lookForSecrets = (folders: readonly RenderedFolder[], input: Omit<PlaintextInput, 'engine'>): void => {
    if (handoff === undefined) return
    plaintext.push(...findPlaintext(folders, { ...input, engine: handoff.engine }))
    plaintext.push(...findUndecrypted(folders, handoff))
  }
  if (engine !== undefined)
    for (const { folder, release } of stacks) {
      problems.push(...refuseClassHoles(folder.manifests))
      lookForSecrets([folder], { release: formatTag(release.name) })
    }
  const attempt = async (make: () => Promise<BoundFleetCluster | undefined>): Promise<readonly BoundFleetCluster[]> => {
    try {
      const made = await make()
      return made === undefined ? [] : [made]
    } catch (error) {
      problems.push(...diagnosticsOf(error))
      return []
    }
  }
  const clusters: BoundFleetCluster[] = []
  for (const cluster of rendered.clusters) {
    const folders = cluster.rendered.folders.map(translated)
    lookForSecrets(folders, { release: formatTag(cluster.release.name), cluster: cluster.cluster })
    clusters.push(...(await attempt(async () => bindRendered(cluster, folders, engine))))
  }
  for (const keptCluster of rendered.kept) {
    const made = await attempt(() => keepCommitted(keptCluster, run))
    const { release, cluster } = keptCluster
    for (const { handed } of made)
      lookForSecrets(foldersOf(handed), { release: formatTag(release.name), cluster, isKept: true })
    clusters.push(...made)
  }
  problems.push(...plaintext.filter(({ severity }) => severity === 'error'))
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  findings.push(...distinct(plaintext))
  for (const [index, cluster] of clusters.entries())
    clusters[index] = { ...cluster, handed: await withCommittedAddons(cluster.handed, run) }
  const { imageStacks } = withImages
  const allStacks: readonly UnitStack[] = [...stacks, ...imageStacks, ...rendered.keptStacks]
  const written = [
    ...stacks.filter((_, index) => rendered.stacks[index]?.isSpokenFor),
    // a narrowed run does not know who else needs them
    ...(run.scope.isWhole ? imageStacks : []),
    ...rendered.keptStacks,
  ]
  const folders = [...written.map(({ folder }) => folder), ...clusters.flatMap(({ handed }) => foldersOf(handed))]
  const planned = planUnits(
    allStacks,
    clusters.map(({ handed }) => withImagePlaces(handed, withImages)),
    { engine },
  )
  findings.push(...planned.findings)
  if (engine === undefined) return { folders, findings, steps: [] }
  const plans = [...rendered.clusters, ...rendered.kept].flatMap(({ life }) => (life === undefined ? [] : [life.plan]))
  const keptUnits = new Set(rendered.kept.map(({ cluster }) => `${cluster.namespace}/${cluster.name}`))
  const units = applyLife(planned.units, plans).map((unit) =>
    unit.cluster !== undefined && keptUnits.has(`${unit.cluster.namespace}/${unit.cluster.name}`)
      ? { ...unit, isKept: true }
      : unit,
  )
  const tree: PlannedTree = {
    units,
    folders: [...folders, ...planned.folders],
    holes: clusters.flatMap((cluster) => cluster.holes),
    kept: clusters.flatMap((cluster) => cluster.engineObjects),
  }
  const made = await renderEngine(tree, run)
  return {
    folders: [...made.folders, ...made.handoff.filter(spokenFor(run.scope))],
    findings,
    steps: plans.filter(isUnderWay),
  }
}

/** A cluster with the stacks that hold its images, where those of its class lie in another namespace. */
function withImagePlaces(handed: HandedCluster, { places }: Pick<PlannedNodeImages, 'places'>): HandedCluster {
  const { cluster, release, stackNamespace } = handed
  const imagesFrom = places.get(`${cluster.namespace}/${formatTag(release.name)}`) ?? []
  return stackNamespace === cluster.namespace || imagesFrom.length === 0 ? handed : { ...handed, imagesFrom }
}

/** Whether there is anything to say of a cluster's steps: most are as their inputs want them. */
function isUnderWay({ due, then }: StepPlan): boolean {
  return then.length > 0 || (due.action !== 'keep' && due.action !== 'create')
}

interface BoundFleetCluster {
  readonly handed: HandedCluster
  readonly holes: readonly Hole[]
  /** The engine's objects as they are committed, of a cluster that stays so. */
  readonly engineObjects: readonly Manifest[]
}

function bindRendered(
  { cluster, release, stackNamespace, rendered, life }: FleetCluster,
  folders: readonly RenderedFolder[],
  engine: HandoffConfig['engine'] | undefined,
): BoundFleetCluster {
  const bound = bindCluster({ cluster, folders, assumptions: rendered.assumptions, engine })
  const differences = checkBinding(bound.holes, bound.binding, rendered.assumptions)
  // a defect of ours, never of the input: what is applied would wait for ever
  if (differences.length > 0) throw new Error(`the binding of ${cluster.name}: ${differences.join('; ')}`)
  const filled = fillHoles(bound, cluster.previewValues ?? new Map())
  const [clusterFolder, ...addons] =
    life === undefined ? filled.folders : holdBack(filled.folders, life.plan, life.committed)
  if (clusterFolder === undefined) throw new Error(`cluster ${cluster.name} has no folder`)
  // a binding of Secrets alone publishes no values that a unit could wait for
  const hasRuntimeValues = filled.holes.length > 0
  return {
    handed: { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues },
    holes: filled.holes,
    engineObjects: [],
  }
}

/** A cluster whose folders stay as they are committed, but for what its step says; undefined when nothing of it is left. */
async function keepCommitted(
  { cluster, release, stackNamespace, life }: KeptCluster,
  { tree }: HandOverRun,
): Promise<BoundFleetCluster | undefined> {
  if (life.plan.content === 'none' || tree === undefined) return undefined
  const place = `${cluster.namespace}/${cluster.name}`
  const committed = keepFolders(`clusters/${place}`, await tree.below(`clusters/${place}`))
  const [clusterFolder, ...addons] = holdBack(committed, life.plan, life.committed)
  if (clusterFolder === undefined) return undefined
  const hasRuntimeValues = clusterFolder.manifests.some(
    ({ kind, object }) => kind === 'RuntimeValues' && itemsAt(object, 'spec', 'values').length > 0,
  )
  const engineObjects = keepFolders(`handoff/${place}`, await tree.below(`handoff/${place}`)).flatMap(
    ({ manifests }) => manifests,
  )
  return {
    handed: { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues, isKept: true },
    holes: [],
    engineObjects,
  }
}

/** The cluster with how the committed tree divides its addons, where that matters to the engine. */
async function withCommittedAddons(handed: HandedCluster, { repository, tree }: HandOverRun): Promise<HandedCluster> {
  if (tree === undefined || repository.fleet.handoff?.engine !== 'flux' || !hasConditions(handed)) return handed
  const base = `clusters/${handed.cluster.namespace}/${handed.cluster.name}/addons`
  const committed = readCommittedAddons(base, await tree.below(base))
  // only a commit tells that the engine may have let go
  return { ...handed, committedAddons: tree.isCommit ? committed : { ...committed, letGo: new Set() } }
}

function foldersOf({ clusterFolder, addons }: HandedCluster): readonly RenderedFolder[] {
  return [clusterFolder, ...addons]
}

interface PlannedTree {
  readonly units: readonly Unit[]
  readonly folders: readonly RenderedFolder[]
  readonly holes: readonly Hole[]
  readonly kept: readonly Manifest[]
}

async function renderEngine(
  { units, folders, holes, kept }: PlannedTree,
  { repository, ports }: HandOverRun,
): Promise<HandoffFolders> {
  const { handoff } = repository.fleet
  const sources = await readEngineSources(repository.fleet, ports)
  if (handoff?.engine === 'flux') return renderFlux(units, handoff, { folders, templates: sources.templates })
  if (handoff?.engine === 'argocd') return renderArgo(units, handoff, { folders, ...sources, holes, kept })
  return { folders, handoff: [] }
}

/** A run that was narrowed to clusters speaks for their own engine objects, not for folders that hold those of others. */
function spokenFor(scope: Scope): (folder: RenderedFolder) => boolean {
  const own = new Set(handoffFolders(scope.clusters))
  return ({ path }) => scope.isWhole || own.has(path)
}
