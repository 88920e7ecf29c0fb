import { bindCluster } from '../handoff/binding/bind-cluster.ts'
import { checkBinding } from '../handoff/binding/check-binding.ts'
import { fillHoles } from '../handoff/binding/fill-holes.ts'
import { foldersWithHoles } from '../handoff/flux/committed-holes.ts'
import type { KeptContent } from '../handoff/flux/render-flux.ts'
import { holdBack } from '../handoff/steps/hold-back.ts'
import type { PlacedAddons } from '../handoff/units/place-addons.ts'
import type { Hole } from '../model/binding.ts'
import { clusterSubject, type Diagnostic, withSubject } from '../model/diagnostic.ts'
import { itemsAt } from '../model/field.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { GitopsTool } from '../model/gitops-tool.ts'
import type { HandoffCluster } from '../model/handoff.ts'
import type { Manifest } from '../model/manifest.ts'
import type { CommittedTree } from '../sources/committed/committed-tree.ts'
import { createAddonPlacer, keptPlacement } from './addon-placer.ts'
import { diagnosticsOf } from './diagnostics.ts'
import type { FleetCluster, KeptCluster, RenderedFleet } from './render-fleet.ts'

/** Where clusters are bound. */
export interface BindRun {
  readonly repository: FleetRepository
  /** What is committed; undefined without a GitOps tool. */
  readonly tree: CommittedTree | undefined
}

/** A cluster with what only the running cluster knows bound to it, as far as its step goes. */
export interface BoundFleetCluster {
  readonly input: HandoffCluster
  readonly holes: readonly Hole[]
  /** The tool's objects as they are committed, of a cluster that stays so. */
  readonly handoffObjects: readonly Manifest[]
  /** What its folders say of their units, of a cluster that stays as it is committed. */
  readonly keptContent?: KeptContent
}

/** The clusters that could be bound, and why others could not. */
export interface BoundClusters {
  readonly clusters: readonly BoundFleetCluster[]
  readonly problems: readonly Diagnostic[]
}

/** Binds the clusters of a run, and takes from the committed tree those that stay as they are. */
export async function bindClusters(
  { clusters, kept }: Pick<RenderedFleet, 'clusters' | 'kept'>,
  run: BindRun,
): Promise<BoundClusters> {
  const bound: BoundFleetCluster[] = []
  const problems: Diagnostic[] = []
  const attempt = async (
    { cluster }: FleetCluster | KeptCluster,
    make: () => Promise<BoundFleetCluster | undefined>,
  ): Promise<void> => {
    try {
      const made = await make()
      if (made !== undefined) bound.push(made)
    } catch (error) {
      problems.push(...diagnosticsOf(error).map((finding) => withSubject(finding, clusterSubject(cluster))))
    }
  }
  const { handoff } = run.repository.fleet
  const place = await createAddonPlacer(clusters, run)
  for (const cluster of clusters)
    await attempt(cluster, async () => bindRendered(cluster, { placed: place(cluster), tool: handoff?.tool }))
  for (const cluster of kept) await attempt(cluster, () => keepCommitted(cluster, run))
  return { clusters: bound, problems }
}

function bindRendered(
  { cluster, release, stackNamespace, rendered, lifecycle }: FleetCluster,
  { placed, tool }: { readonly placed: PlacedAddons; readonly tool: GitopsTool | undefined },
): BoundFleetCluster {
  const { folders: addonFolders, ...placement } = placed
  const folders = [...rendered.folders.slice(0, 1), ...addonFolders]
  const bound = bindCluster({ cluster, ...rendered, folders, tool })
  const differences = checkBinding(bound.holes, bound.binding, rendered.assumptions)
  // a defect of ours, never of the input: what is applied would wait for ever
  if (differences.length > 0) throw new Error(`the binding of ${cluster.name}: ${differences.join('; ')}`)
  const filled = fillHoles(bound, cluster.previewValues ?? new Map())
  const [clusterFolder, ...addons] =
    lifecycle === undefined ? filled.folders : holdBack(filled.folders, lifecycle.plan, lifecycle.committed)
  if (clusterFolder === undefined) throw new Error(`cluster ${cluster.name} has no folder`)
  // a binding of Secrets alone publishes no values that a unit could wait for
  const hasRuntimeValues = filled.holes.length > 0
  return {
    input: { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues, placement },
    holes: filled.holes,
    handoffObjects: [],
  }
}

/** A cluster whose folders stay as they are committed, but for what its step says; undefined when nothing of it is left. */
async function keepCommitted(
  { cluster, release, stackNamespace, lifecycle }: KeptCluster,
  { tree }: BindRun,
): Promise<BoundFleetCluster | undefined> {
  if (lifecycle.plan.content === 'none' || tree === undefined) return undefined
  const { folders: committed, kustomizations } = await tree.content(cluster)
  const [clusterFolder, ...addons] = holdBack(committed, lifecycle.plan, lifecycle.committed)
  if (clusterFolder === undefined) return undefined
  const hasRuntimeValues = clusterFolder.manifests.some(
    ({ kind, object }) => kind === 'RuntimeValues' && itemsAt(object, 'spec', 'values').length > 0,
  )
  const handoffObjects = await tree.keptHandoff(cluster)
  return {
    input: {
      cluster,
      release,
      stackNamespace,
      clusterFolder,
      addons,
      hasRuntimeValues,
      isKept: true,
      ...keptPlacement(cluster, addons, tree),
    },
    holes: [],
    handoffObjects,
    keptContent: { holes: foldersWithHoles(committed), kustomizations },
  }
}
