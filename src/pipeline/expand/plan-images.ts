import { isImage } from '../../handoff/images/image-object.ts'
import { planNodeImages, type PlannedNodeImages } from '../../handoff/images/plan-node-images.ts'
import type { ImageUser, ReleaseUser } from '../../handoff/images/release-users.ts'
import { readClassReference } from '../../model/class-reference.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { UnitStack } from '../../model/handoff.ts'
import { objectPath } from '../../model/object-name.ts'
import { formatTag, parseClassName } from '../../model/release-name.ts'
import { locatingAll } from '../../render/explain/locate-findings.ts'
import type { CommittedTree } from '../../sources/committed/committed-tree.ts'
import { classLocation, type StackState, stacksOf } from './stack-state.ts'
import type { FleetPart } from '../fleet/fleet-part.ts'

/** The inputs of node images besides the rendered objects. */
export interface ImageRun {
  readonly repository: FleetRepository
  readonly part: FleetPart
  /** The committed tree. */
  readonly tree: CommittedTree | undefined
}

/**
 * Plans the node images of a fleet. An image stays in the stack that holds it as long as that is rendered and wants it.
 * Elsewhere it stays until the last cluster has left the release: so clusters count for every class that the tool may
 * still be using, with the Cluster that is committed for it.
 * @throws StackmasonError RELEASE_METADATA_INVALID
 */
export async function planImages(
  stacks: readonly StackState[],
  users: readonly ImageUser[],
  run: ImageRun,
): Promise<PlannedNodeImages> {
  const rendered = stacksOf(stacks, 'rendered').map(({ stack }) => stack)
  const kept = stacksOf(stacks, 'committed').map(({ stack }) => stack)
  const inTree = await committedStacks(run)
  const [paths, known] = [rendered, [...rendered, ...kept]].map(pathsOf)
  const others = run.part.isWhole ? [] : inTree.filter(({ folder }) => known?.has(folder.path) !== true)
  // an image that went to another stack once the last cluster has left would make a commit that no step tells of
  const holding = run.part.isWhole ? inTree.filter(({ folder }) => paths?.has(folder.path) === true) : inTree
  const locate = classLocation(stacks)
  const planned = locatingAll(locate, () =>
    planNodeImages(rendered, users, {
      configs: run.repository.fleet.nodeImages,
      kept: [...kept, ...others],
      held: heldImages(holding),
      left: leftClusters(run),
    }),
  )
  const imagesFrom = new Map(planned.imagesFrom)
  for (const { namespace, release } of kept) {
    const tag = formatTag(release.name)
    if (!imagesFrom.has(`${namespace}/${tag}`)) imagesFrom.set(`${namespace}/${tag}`, [tag])
  }
  return {
    ...planned,
    imagesFrom,
    keptStacks: planned.keptStacks.slice(0, kept.length),
    findings: planned.findings.map(locate),
  }
}

function pathsOf(stacks: readonly UnitStack[]): ReadonlySet<string> {
  return new Set(stacks.map(({ folder }) => folder.path))
}

/** Those that have lost their folder: a warning says so, and what they boot from stays for as long as the tree has them. */
function leftClusters({ repository, part, tree }: ImageRun): readonly ReleaseUser[] {
  if (tree === undefined || part.only !== undefined) return []
  const known = new Set(repository.clusters.map(objectPath))
  return tree.clusters.flatMap((cluster): readonly ReleaseUser[] => {
    const { object, className } = (known.has(objectPath(cluster)) ? undefined : tree.cluster(cluster)) ?? {}
    if (object === undefined || className === undefined) return []
    const stackNamespace = readClassReference(object).namespace || cluster.namespace
    return [{ cluster: { object }, release: { name: parseClassName(className) }, stackNamespace }]
  })
}

/** Which stack holds an image of a namespace in the tree. */
function heldImages(stacks: readonly UnitStack[]): ReadonlyMap<string, string> {
  return new Map(
    stacks.flatMap(({ namespace, release, folder }) =>
      folder.manifests.filter(isImage).map((image) => [`${namespace}/${image.name}`, formatTag(release.name)] as const),
    ),
  )
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
