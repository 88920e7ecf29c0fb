import { deletionMarks, isSuspendedInTree } from '../../handoff/committed-units.ts'
import { clusterAt } from '../../handoff/steps/cluster-at.ts'
import { divideAddons } from '../../handoff/units/divide-addons.ts'
import { isEmptyNote } from '../../handoff/units/empty-note.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, Fleet } from '../../model/fleet.ts'
import type { CommittedAddons, StoredDefinitions } from '../../model/handoff.ts'
import { objectOfKey } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import { addonFolder } from '../../model/tree-path.ts'
import { planAddons } from '../../render/stack/addon-plan.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import type { CommittedTree } from '../../sources/committed/committed-tree.ts'
import type { CompleteChart } from '../resolve/complete-charts.ts'
import type { ChooseImages } from '../deliver/image-variables.ts'
import { readOwnAddons } from '../resolve/own-addons.ts'
import type { ClusterState, RenderedState } from './cluster-state.ts'
import type { ClusterUnit, RenderedUnit } from './cluster-unit.ts'
import type { RenderedStack } from './stack-state.ts'

/** The sources of the inputs of clusters. */
export interface GatherRun {
  readonly fleet: Fleet
  readonly stacks: ReadonlyMap<NeededRelease, RenderedStack>
  /** By `<namespace>/<tag>`: tags of the stacks of that namespace that hold the images of the release. */
  readonly imagesFrom: ReadonlyMap<string, readonly string[]>
  readonly chooseImages: ChooseImages
  /** The committed tree; undefined without a GitOps tool. */
  readonly tree: CommittedTree | undefined
  readonly complete: CompleteChart
  readonly ports: Ports
}

/**
 * Gathers the inputs of one cluster. @throws StackmasonError CHART_*, ARCHIVE_*, FILE_*, OBJECT_INVALID, NODE_IMAGE_*
 */
export type GatherCluster = (state: ClusterState) => Promise<ClusterUnit>

const nothing: CommittedAddons = { units: new Map(), objects: new Map() }
const noDefinitions: StoredDefinitions = { addons: new Map(), beside: new Map(), migrated: new Set() }

/**
 * Makes a {@link GatherCluster} for some clusters: what the tree has of their addons is read at once, where it matters.
 */
export async function gatherClusters(states: readonly ClusterState[], run: GatherRun): Promise<GatherCluster> {
  const { tree, fleet } = run
  const divided = states.filter((state): state is RenderedState => state.kind === 'rendered' && isDivided(state, run))
  const committed =
    tree === undefined || fleet.handoff === undefined
      ? new Map<string, CommittedAddons>()
      : await tree.addons(
          divided.map(({ cluster }) => cluster),
          { marks: deletionMarks[fleet.handoff.tool] },
        )
  const stored = await tree?.storedDefinitions(
    states.filter(({ kind }) => kind === 'rendered').map(({ cluster }) => cluster),
  )
  return async (state) => {
    const { cluster, needed, lifecycle } = state
    if (state.kind === 'none') {
      if (state.lifecycle.committed === undefined) await state.lifecycle.tree.refuseBroken(cluster)
      return { kind: 'none', cluster, plan: state.lifecycle.plan }
    }
    const common = {
      cluster,
      stackNamespace: needed.namespace,
      committed: lifecycle?.committed,
      imagesFrom: run.imagesFrom.get(`${cluster.namespace}/${formatTag(state.release.name)}`) ?? [],
    }
    if (state.kind === 'committed') {
      const { release } = state
      const kept = state.lifecycle.tree
      await kept.refuseBroken(cluster)
      const content = await kept.content(cluster)
      const objects = await kept.handoff(cluster)
      const addonUnits = kept.addonUnits(cluster)
      return { kind: 'committed', ...common, plan: state.lifecycle.plan, release, content, objects, addonUnits }
    }
    const { clusterClass } = run.stacks.get(needed) ?? {}
    const inputs = {
      cluster: withImages(state, run),
      release: state.release,
      ...(clusterClass === undefined ? {} : { clusterClass }),
      ...(lifecycle?.committed?.object === undefined ? {} : { committed: lifecycle.committed.object }),
      ...(await readOwnAddons(cluster, fleet.root, run)),
    }
    const committedAddons = committed.get(objectPath(cluster)) ?? nothing
    return {
      kind: 'rendered',
      ...common,
      plan: lifecycle?.plan,
      inputs,
      committedAddons,
      storedDefinitions: stored?.get(objectPath(cluster)) ?? noDefinitions,
      addonsState: await addonsStateOf(cluster, committedAddons, tree),
      ...(tree !== undefined &&
        lifecycle?.plan.due.action === 'class' && {
          classDue: {
            held: await tree.heldContent(cluster),
            units: await tree.handoff(cluster),
            options: lifecycle.options,
          },
        }),
    }
  }
}

/** Reads the units only where something moves, or a unit ends. */
async function addonsStateOf(
  cluster: Cluster,
  { objects }: CommittedAddons,
  tree: CommittedTree | undefined,
): Promise<RenderedUnit['addonsState']> {
  if (tree?.isCommit !== true) return 'uncommitted'
  const isBetween = [...objects].some(([key, { isOrphaned }]) => isOrphaned || isEmptyNote(objectOfKey(key)))
  if (!isBetween) return 'applied'
  // one that is suspended now may be so because nobody knows what the last commit came to
  const isSuspended = cluster.options?.isSuspended === true || (await isSuspendedIn(tree, cluster))
  return isSuspended ? 'suspended' : 'applied'
}

async function isSuspendedIn(tree: CommittedTree, cluster: Cluster): Promise<boolean> {
  try {
    return isSuspendedInTree(await tree.handoff(cluster))
  } catch (error) {
    // units that are damaged apply nothing, and this run writes them anew
    if (error instanceof StackmasonError) return true
    throw error
  }
}

/** The cluster as it is rendered: at the release that its step is about, with the images that the fleet chooses. */
export function withImages(
  { cluster, needed, release, lifecycle }: RenderedState,
  { stacks, chooseImages }: Pick<GatherRun, 'stacks' | 'chooseImages'>,
): Cluster {
  const { stack } = stacks.get(needed) ?? {}
  const here = lifecycle === undefined ? cluster : clusterAt(cluster, release)
  return chooseImages(here, stack && { namespace: needed.namespace, release, folder: stack.folder })
}

/**
 * True if the addons of a cluster are several units, or were, or end: objects move between units only then, and a unit
 * that goes is emptied first.
 */
function isDivided(state: RenderedState, { tree, fleet }: Pick<GatherRun, 'tree' | 'fleet'>): boolean {
  const { cluster, release } = state
  const before = tree === undefined ? [] : [...tree.addonUnits(cluster).values()]
  const addonUnits = cluster.addonUnits ?? fleet.addonUnits ?? 'perOwner'
  const units = divideAddons({ cluster, release, addons: plannedFolders(state), addonUnits })
  return new Set([...before, ...units.values()]).size > 1 || (before.length > 0 && units.size === 0)
}

function plannedFolders({
  cluster,
  release,
}: RenderedState): readonly { readonly path: string; readonly manifests: [] }[] {
  try {
    return planAddons(cluster, release).addons.map(({ from, folder }) => ({
      path: addonFolder(cluster, from === 'fleet' ? 'cluster' : 'release', folder),
      manifests: [],
    }))
  } catch (error) {
    // rendering says what is wrong
    if (error instanceof StackmasonError) return []
    throw error
  }
}
