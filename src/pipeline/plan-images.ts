import { isImage } from '../handoff/images/image-object.ts'
import { planNodeImages, type PlannedNodeImages } from '../handoff/images/plan-node-images.ts'
import type { ImageUser } from '../handoff/images/release-users.ts'
import { isCapiCluster } from '../model/class-reference.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { UnitStack } from '../model/handoff.ts'
import { formatTag, parseClassName } from '../model/release-name.ts'
import type { CommittedTree } from '../sources/committed/committed-tree.ts'
import type { ClusterLifecycle } from './fleet-lifecycle.ts'
import type { FleetPart } from './fleet-part.ts'
import type { FleetCluster, KeptCluster, RenderedFleet } from './render-fleet.ts'

/** What node images depend on besides what was rendered. */
export interface ImageRun {
  readonly repository: FleetRepository
  readonly part: FleetPart
  /** What is committed. */
  readonly tree: CommittedTree | undefined
}

/**
 * Plans the node images of a rendered fleet. An image stays where it is needed until the last cluster has left the release: so clusters count for every
 * class that the tool may still be using, with the Cluster that is committed for it.
 * @throws StackmasonError RELEASE_METADATA_INVALID
 */
export async function planImages(rendered: RenderedFleet, run: ImageRun): Promise<PlannedNodeImages> {
  const { stacks, keptStacks } = rendered
  const users = imageUsers(rendered)
  const committed = run.part.isWhole ? [] : await committedStacks(run)
  const known = new Set([...stacks, ...keptStacks].map(({ folder }) => folder.path))
  const others = committed.filter(({ folder }) => !known.has(folder.path))
  const planned = planNodeImages(stacks, users, {
    configs: run.repository.fleet.nodeImages,
    kept: [...keptStacks, ...others],
    held: heldImages(committed),
  })
  const imagesFrom = new Map(planned.imagesFrom)
  for (const { namespace, release } of keptStacks) {
    const tag = formatTag(release.name)
    if (!imagesFrom.has(`${namespace}/${tag}`)) imagesFrom.set(`${namespace}/${tag}`, [tag])
  }
  return { ...planned, imagesFrom, keptStacks: planned.keptStacks.slice(0, keptStacks.length) }
}

/** Which stack holds an image of a namespace in the tree. */
function heldImages(stacks: readonly UnitStack[]): ReadonlyMap<string, string> {
  return new Map(
    stacks.flatMap(({ namespace, release, folder }) =>
      folder.manifests.filter(isImage).map((image) => [`${namespace}/${image.name}`, formatTag(release.name)] as const),
    ),
  )
}

/** The clusters of a rendered fleet as the users of the releases that their machines may be of. */
export function imageUsers({ clusters, kept }: Pick<RenderedFleet, 'clusters' | 'kept'>): readonly ImageUser[] {
  return [...clusters.flatMap(usesOf), ...kept.flatMap(keptUses)]
}

/** A cluster as the user of the release that it is rendered at, and of those that it has not left yet. */
function usesOf({ cluster, release, stackNamespace, rendered, lifecycle }: FleetCluster): readonly ImageUser[] {
  const made = rendered.folders[0]?.manifests.find(
    (manifest) => isCapiCluster(manifest) && manifest.name === cluster.name,
  )
  const user = { cluster: { ...cluster, object: made?.object ?? cluster.object }, release, stackNamespace }
  return [
    user,
    ...committedUses(lifecycle, user).filter((other) => formatTag(other.release.name) !== formatTag(release.name)),
  ]
}

function keptUses({ cluster, release, stackNamespace, lifecycle }: KeptCluster): readonly ImageUser[] {
  return committedUses(lifecycle, { cluster, release, stackNamespace })
}

function committedUses(lifecycle: ClusterLifecycle | undefined, user: ImageUser): readonly ImageUser[] {
  if (lifecycle === undefined) return []
  const object = lifecycle.committed?.object ?? user.cluster.object
  return lifecycle.plan.classes.map((className) => ({
    ...user,
    cluster: { ...user.cluster, object },
    release: { name: parseClassName(className) },
    isCommitted: true,
  }))
}

/** Stacks of the tree: a run of a part leaves those that it does not write as they are, and moves no image. */
async function committedStacks({ tree }: ImageRun): Promise<readonly UnitStack[]> {
  if (tree === undefined) return []
  const stacks: UnitStack[] = []
  for (const { namespace, release } of await tree.stacks()) {
    const folder = await tree.stack(namespace, formatTag(release.name))
    if (folder !== undefined) stacks.push({ namespace, release, folder })
  }
  return stacks
}
