import { applicationName } from '../handoff/argocd/argo-names.ts'
import { nameWaiting } from '../handoff/argocd/find-leaving.ts'
import { renderArgo } from '../handoff/argocd/render-argo.ts'
import { refuseClassHoles } from '../handoff/binding/refuse-class-holes.ts'
import { type KeptContent, renderFlux } from '../handoff/flux/render-flux.ts'
import { createHookTranslator } from '../handoff/hooks/translate-hooks.ts'
import type { PlannedNodeImages } from '../handoff/images/plan-node-images.ts'
import { applyLifecycle } from '../handoff/steps/apply-lifecycle.ts'
import { nameUnits, type UnitSpeech } from '../handoff/steps/name-units.ts'
import { planUnits } from '../handoff/units/plan-units.ts'
import type { Hole } from '../model/binding.ts'
import {
  clusterSubject,
  type Diagnostic,
  type FindingSubject,
  StackmasonError,
  withSubject,
} from '../model/diagnostic.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { GitopsTool } from '../model/gitops-tool.ts'
import type { HandoffCluster, HandoffFolders, Unit } from '../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import { objectPath } from '../model/object-name.ts'
import type { Ports } from '../model/ports.ts'
import { formatTag } from '../model/release-name.ts'
import type { StepPlan } from '../model/steps.ts'
import { located } from '../render/explain/locate-findings.ts'
import { findSharedObjects } from '../render/stack/shared-objects.ts'
import type { CommittedTree } from '../sources/committed/committed-tree.ts'
import { bindClusters } from './bind-clusters.ts'
import { distinct } from './diagnostics.ts'
import { findReadableSecrets } from './find-readable-secrets.ts'
import { readHandoffSources } from './handoff-templates.ts'
import { fleetLocation } from './fleet-location.ts'
import { findLeavingAddons } from './leaving-addons.ts'
import { handoffFolders, type FleetPart } from './fleet-part.ts'
import { planImages } from './plan-images.ts'
import type { RenderedFleet } from './render-fleet.ts'

/** What handing a rendered fleet over needs. */
export interface HandOverRun {
  readonly repository: FleetRepository
  readonly part: FleetPart
  readonly ports: Ports
  /** What is committed; undefined without a GitOps tool. */
  readonly tree: CommittedTree | undefined
}

/** The folders of the output tree. */
export interface FleetHandoff {
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
  /** What this run writes of each cluster, and what follows; empty without a GitOps tool. */
  readonly steps: readonly StepPlan[]
}

/**
 * Makes the output tree of a rendered fleet: as it is when the fleet has no tool, else with what the tool must see on objects and with the tool's own
 * objects.
 * @throws StackmasonError OBJECT_DUPLICATE, HANDOFF_*, SECRET_*, CONFIG_UNKNOWN_FILE
 */
export async function handOver(rendered: RenderedFleet, run: HandOverRun): Promise<FleetHandoff> {
  const locate = fleetLocation(rendered)
  try {
    const handoff = await makeHandoff(rendered, run)
    return { ...handoff, findings: handoff.findings.map(locate) }
  } catch (error) {
    throw located(error, locate)
  }
}

async function makeHandoff(rendered: RenderedFleet, run: HandOverRun): Promise<FleetHandoff> {
  const { handoff } = run.repository.fleet
  const tool = handoff?.tool
  const withImages = tool === undefined ? withoutImages(rendered) : await planImages(rendered, run)
  const { stacks, clusters, report } = translateHooks({ ...rendered, stacks: withImages.stacks }, tool)
  const bound = await bindClusters({ clusters, kept: rendered.kept }, run)
  const secrets = handoff === undefined ? [] : findReadableSecrets({ stacks, clusters, bound: bound.clusters }, handoff)
  const problems = [
    ...clusters.flatMap(
      ({
        cluster,
        rendered: {
          folders: [, ...addons],
          locator,
        },
      }) => findSharedObjects(cluster, addons, locator),
    ),
    ...(tool === undefined ? [] : stacks.flatMap(({ folder }) => refuseClassHoles(folder.manifests))),
    ...bound.problems,
    ...secrets.filter(({ severity }) => severity === 'error'),
  ]
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  const spoken = [
    ...stacks.filter((_, index) => rendered.stacks[index]?.isInPart),
    // a run of a part does not know who else needs them
    ...(run.part.isWhole ? withImages.imageStacks : []),
    ...withImages.keptStacks,
  ].map(({ folder }) => folder)
  const folders = [...spoken, ...bound.clusters.flatMap(({ input }) => [input.clusterFolder, ...input.addons])]
  const planned = planUnits(
    [...stacks, ...withImages.imageStacks, ...withImages.keptStacks],
    bound.clusters.map(({ input }) => withImagesFrom(input, withImages)),
    { tool },
  )
  const findings = [...withImages.findings, ...report, ...distinct(secrets), ...planned.findings]
  if (tool === undefined) return { folders, findings, steps: [] }
  const plans = [...rendered.clusters, ...rendered.kept].flatMap(({ lifecycle }) =>
    lifecycle === undefined ? [] : [lifecycle.plan],
  )
  const tree: PlannedTree = {
    units: markKept(applyLifecycle(planned.units, plans), rendered),
    folders: [...folders, ...planned.folders],
    holes: bound.clusters.flatMap(({ holes }) => holes),
    kept: bound.clusters.flatMap(({ handoffObjects }) => handoffObjects),
    keptContent: bound.clusters.flatMap(({ keptContent }) => keptContent ?? []),
  }
  const made = await renderForTool(tree, run)
  const steps = nameUnits(plans.filter(isUnderWay), planned.units, speeches[tool])
  const written = [...made.folders, ...made.handoff.filter(isIn(run.part))]
  if (handoff?.tool !== 'argocd' || run.tree === undefined) return { folders: written, findings, steps }
  const { namespace } = handoff
  const next = { clusters: bound.clusters.map(({ input }) => input), units: tree.units, folders: made.folders }
  const leaving = await findLeavingAddons(next, { tree: run.tree, namespace, crypto: run.ports.crypto })
  return {
    folders: written,
    findings: [...findings, ...leaving.findings],
    steps: nameWaiting(steps, leaving, namespace),
  }
}

const speeches: Readonly<Record<GitopsTool, UnitSpeech>> = {
  flux: { nameOf: (unit) => unit.name, suspended: ['is suspended', 'are suspended'] },
  argocd: { nameOf: applicationName, suspended: ['has no automated sync', 'have no automated sync'] },
}

function withoutImages({ stacks, keptStacks }: RenderedFleet): PlannedNodeImages {
  return { stacks, keptStacks, imageStacks: [], imagesFrom: new Map(), findings: [] }
}

interface TranslatedFleet extends Pick<RenderedFleet, 'clusters'> {
  readonly stacks: PlannedNodeImages['stacks']
  /** What became of each hook. */
  readonly report: readonly Diagnostic[]
}

/** Leaves no object that the tool would take for a hook. Without a GitOps tool everything stays as Helm gives it. */
function translateHooks(
  { stacks, clusters }: Pick<TranslatedFleet, 'stacks' | 'clusters'>,
  tool: GitopsTool | undefined,
): TranslatedFleet {
  if (tool === undefined) return { stacks, clusters, report: [] }
  const translate = createHookTranslator(tool)
  const reports: Diagnostic[] = []
  const translated = (folder: RenderedFolder, about: FindingSubject): RenderedFolder => {
    const { manifests, report } = translate(folder.manifests)
    reports.push(...report.map((finding) => withSubject(finding, about)))
    return { ...folder, manifests }
  }
  return {
    stacks: stacks.map((stack) => ({
      ...stack,
      folder: translated(stack.folder, { release: formatTag(stack.release.name) }),
    })),
    clusters: clusters.map((cluster) => ({
      ...cluster,
      rendered: {
        ...cluster.rendered,
        folders: cluster.rendered.folders.map((folder) => translated(folder, addonSubject(cluster, folder))),
      },
    })),
    report: reports,
  }
}

/** The objects of a folder are of one addon, or of none. */
function addonSubject(
  { cluster, rendered }: RenderedFleet['clusters'][number],
  folder: RenderedFolder,
): FindingSubject {
  const addon = folder === rendered.folders[0] ? undefined : folder.manifests[0]?.origin.unit
  return { ...clusterSubject(cluster), ...(addon !== undefined && { addon }) }
}

function markKept(units: readonly Unit[], { kept, keptStacks }: RenderedFleet): readonly Unit[] {
  const paths = new Set(kept.map(({ cluster }) => objectPath(cluster)))
  const stacks = new Set(keptStacks.map(({ folder }) => folder.path))
  const isKept = ({ cluster, path }: Unit): boolean =>
    cluster === undefined ? stacks.has(path) : paths.has(objectPath(cluster))
  return units.map((unit) => (isKept(unit) ? { ...unit, isKept: true } : unit))
}

/** A cluster with the stacks that hold its images, where those of its class lie in another namespace. */
function withImagesFrom(
  input: HandoffCluster,
  { imagesFrom: byUser }: Pick<PlannedNodeImages, 'imagesFrom'>,
): HandoffCluster {
  const { cluster, release, stackNamespace } = input
  const imagesFrom = byUser.get(`${cluster.namespace}/${formatTag(release.name)}`) ?? []
  return stackNamespace === cluster.namespace || imagesFrom.length === 0 ? input : { ...input, imagesFrom }
}

/** Whether there is anything to say of a cluster's steps: most are as their inputs want them. */
function isUnderWay({ due, then }: StepPlan): boolean {
  return then.length > 0 || (due.action !== 'keep' && due.action !== 'create')
}

interface PlannedTree {
  readonly units: readonly Unit[]
  readonly folders: readonly RenderedFolder[]
  readonly holes: readonly Hole[]
  readonly kept: readonly Manifest[]
  readonly keptContent: readonly KeptContent[]
}

async function renderForTool(
  { units, folders, holes, kept, keptContent }: PlannedTree,
  { repository, ports }: HandOverRun,
): Promise<HandoffFolders> {
  const { handoff } = repository.fleet
  const sources = await readHandoffSources(repository.fleet, ports)
  if (handoff?.tool === 'flux') {
    const content = {
      holes: keptContent.flatMap((cluster) => cluster.holes),
      kustomizations: new Map(keptContent.flatMap(({ kustomizations }) => [...kustomizations])),
    }
    return renderFlux(units, handoff, { folders, templates: sources.templates, kept: content })
  }
  if (handoff?.tool === 'argocd') return renderArgo(units, handoff, { folders, ...sources, holes, kept })
  return { folders, handoff: [] }
}

/** A run of some clusters writes their own handoff objects, not folders that hold those of others. */
function isIn(part: FleetPart): (folder: RenderedFolder) => boolean {
  const own = new Set(handoffFolders(part.clusters))
  return ({ path }) => part.isWhole || own.has(path)
}
