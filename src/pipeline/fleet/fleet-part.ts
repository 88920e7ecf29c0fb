import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { formatTag } from '../../model/release-name.ts'
import { clusterTree, stackFolder, handoffFolder, HANDOFF_STACKS } from '../../model/tree-path.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'

/** Names of clusters and ClusterStacks, `name` or `namespace/name`; both empty = all. */
export interface Selection {
  readonly clusters: readonly string[]
  readonly stacks: readonly string[]
}

/** The part of the fleet that --cluster and --stack select, and the folders that this run writes. */
export interface FleetPart {
  readonly clusters: readonly Cluster[]
  readonly renderStacks: (needed: NeededRelease) => boolean
  /** The folders of the output that the run writes, given the releases it found; `''` = all. */
  readonly folders: (needed: readonly NeededRelease[]) => readonly string[]
  readonly isWhole: boolean
  /** Set: the run is about these clusters alone, and nothing else of the fleet need be known. */
  readonly only?: readonly Cluster[] | undefined
}

/**
 * Applies --cluster and --stack.
 * @throws StackmasonError USAGE for a name that the fleet does not have
 */
export function selectPart(repository: FleetRepository, options: Selection): FleetPart {
  if (options.clusters.length === 0 && options.stacks.length === 0) {
    return { clusters: repository.clusters, renderStacks: () => true, folders: () => [''], isWhole: true }
  }
  const clusters = pick(repository.clusters, options.clusters, 'cluster')
  const stacks = pick(repository.clusterStacks, options.stacks, 'stack')
  const renderStacks = ({ clusterStack }: NeededRelease): boolean => stacks.includes(clusterStack)
  const folders = (needed: readonly NeededRelease[]): readonly string[] => [
    ...clusters.map(clusterTree),
    ...handoffFolders(clusters),
    ...needed.filter(renderStacks).map(({ namespace, name }) => stackFolder(namespace, formatTag(name))),
  ]
  return { clusters, renderStacks, folders, isWhole: false, only: stacks.length === 0 ? clusters : undefined }
}

/**
 * Where these clusters' handoff objects lie, and nobody else's: a cluster named `stacks` shares its folder with the
 * stacks of its namespace.
 */
export function handoffFolders(clusters: readonly Pick<Cluster, 'name' | 'namespace'>[]): readonly string[] {
  return clusters.flatMap(({ namespace, name }) => (name === HANDOFF_STACKS ? [] : [handoffFolder(namespace, name)]))
}

/** True if a text names this object, with its namespace or without. */
export function isNamed(item: ObjectName, text: string): boolean {
  return text === item.name || text === objectPath(item)
}

function pick<Item extends ObjectName>(
  all: readonly Item[],
  wanted: readonly string[],
  kind: 'cluster' | 'stack',
): readonly Item[] {
  const problems = wanted
    .filter((text) => !all.some((item) => isNamed(item, text)))
    .map((text): Diagnostic => ({
      code: 'USAGE',
      severity: 'error',
      message: `the fleet has no ${kind} "${text}"`,
      hint: `It has: ${all.map(objectPath).join(', ')}.`,
    }))
  if (problems.length > 0) throw new StackmasonError(problems)
  return all.filter((item) => wanted.some((text) => isNamed(item, text)))
}
