import type { ImageUser } from '../../handoff/images/release-users.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { formatClassName, formatTag, parseClassName } from '../../model/release-name.ts'
import type { Dict } from '../../model/value.ts'
import { type ClusterOptions, renderClusterObject } from '../../render/stack/render-cluster.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import type { FleetPart } from '../fleet/fleet-part.ts'
import type { ClusterLifecycle, FleetLifecycle } from '../resolve/fleet-lifecycle.ts'
import type { ClusterState } from './cluster-state.ts'
import { type GatherRun, withImages } from './gather-clusters.ts'

/** Clusters as the users of releases, with the Cluster objects that are rendered for them. */
export interface ImageUsers {
  /** Those that the run is about. */
  readonly byState: ReadonlyMap<ClusterState, readonly ImageUser[]>
  /** The same in order: what is rendered goes first. */
  readonly own: readonly ImageUser[]
  /** Those of the fleet, as far as the run may write classes that they use. */
  readonly all: readonly ImageUser[]
}

/** The inputs of finding {@link ImageUsers} besides the states of clusters. */
export interface ImageUsersRun extends Pick<GatherRun, 'stacks' | 'chooseImages'> {
  readonly repository: FleetRepository
  readonly part: FleetPart
  readonly lifecycle: FleetLifecycle | undefined
  readonly render: ClusterOptions
}

interface UsingCluster {
  readonly cluster: Cluster
  readonly isRendered: boolean
  readonly users: readonly ImageUser[]
}

/** Finds the users of the releases of a run. */
export function findImageUsers(states: readonly ClusterState[], run: ImageUsersRun): ImageUsers {
  const { repository, part } = run
  const byState = new Map(states.map((state) => [state, usersOf(state, run)]))
  const own = Array.from(byState, ([{ cluster, kind }, users]): UsingCluster => ({
    cluster,
    isRendered: kind === 'rendered',
    users,
  }))
  if (part.isWhole || part.only !== undefined) return { byState, own: inOrder(own), all: inOrder(own) }
  const known = new Map(own.map((using) => [using.cluster, using]))
  const all = repository.clusters.map((cluster) => known.get(cluster) ?? usersAside(cluster, run))
  return { byState, own: inOrder(own), all: inOrder(all) }
}

function inOrder(using: readonly UsingCluster[]): readonly ImageUser[] {
  return [...using.filter(({ isRendered }) => isRendered), ...using.filter(({ isRendered }) => !isRendered)].flatMap(
    ({ users }) => users,
  )
}

function usersOf(state: ClusterState, { render, ...chosen }: ImageUsersRun): readonly ImageUser[] {
  if (state.kind !== 'rendered') return imageUses(state, undefined)
  try {
    return imageUses(state, renderClusterObject(withImages(state, chosen), render)?.object)
  } catch (error) {
    // the cluster's own turn reports it
    diagnosticsOf(error)
    return []
  }
}

/**
 * A cluster that the run is not about: what a whole run would give it stays in the classes that this one writes. There
 * is nothing to say about what it chooses.
 */
function usersAside(cluster: Cluster, run: ImageUsersRun): UsingCluster {
  const { isFrozen = false, decommission } = cluster.options ?? {}
  const isRendered = !isFrozen && decommission === undefined
  const [needed, stack] =
    [...run.stacks].find(
      ([{ namespace, name }]) => namespace === cluster.classNamespace && formatClassName(name) === cluster.className,
    ) ?? []
  const wanted =
    isRendered && needed !== undefined && stack !== undefined
      ? usersOf({ kind: 'rendered', cluster, needed, release: stack.stack.release, lifecycle: undefined }, run)
      : []
  const committed = run.lifecycle?.tree.cluster(cluster)
  const { className = cluster.className, object = cluster.object } = committed ?? {}
  const user = { cluster: { ...cluster, object }, stackNamespace: cluster.classNamespace }
  const before =
    committed === undefined || (wanted.length > 0 && className === cluster.className)
      ? []
      : [{ ...user, release: { name: parseClassName(className) } }]
  return { cluster, isRendered, users: [...wanted, ...before].map((one) => ({ ...one, isCommitted: true })) }
}

/**
 * A cluster as the user of the release that it is rendered at, with the Cluster object of that, and of those that it
 * has not left yet.
 */
function imageUses(state: ClusterState, object: Dict | undefined): readonly ImageUser[] {
  const { cluster, release, needed, lifecycle } = state
  const user = { cluster: { ...cluster, object: object ?? cluster.object }, release, stackNamespace: needed.namespace }
  if (state.kind !== 'rendered') return committedUses(lifecycle, { ...user, cluster })
  return [
    user,
    ...committedUses(lifecycle, user).filter((other) => formatTag(other.release.name) !== formatTag(release.name)),
  ]
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
