import type { Cluster } from '../../model/fleet.ts'
import type { UnitRelease } from '../../model/handoff.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import type { ClusterLifecycle } from '../resolve/fleet-lifecycle.ts'
import type { LoadedReleases } from '../resolve/load-releases.ts'
import type { FleetPart } from '../fleet/fleet-part.ts'

/** The facts about every cluster of a run before it is expanded. */
interface StateOfCluster {
  readonly cluster: Cluster
  readonly needed: NeededRelease
}

/** A cluster that this run renders. */
export interface RenderedState extends StateOfCluster {
  readonly kind: 'rendered'
  readonly release: Release
  /** Its steps; undefined without a GitOps tool. */
  readonly lifecycle: ClusterLifecycle | undefined
}

/** A cluster of which this run writes what is committed. */
export interface CommittedState extends StateOfCluster {
  readonly kind: 'committed'
  readonly release: UnitRelease
  readonly lifecycle: ClusterLifecycle
}

/** A cluster of which this run writes nothing more. */
export interface EndedState extends Omit<CommittedState, 'kind'> {
  readonly kind: 'none'
}

/** A cluster of a run, and where what is written of it comes from. */
export type ClusterState = RenderedState | CommittedState | EndedState

/**
 * The clusters of a run in their order, without those whose release could not be found: those are reported elsewhere.
 */
export function clusterStates(part: FleetPart, loaded: LoadedReleases): readonly ClusterState[] {
  return part.clusters.flatMap((cluster): readonly ClusterState[] => {
    const lifecycle = loaded.lifecycle?.clusters.get(cluster)
    const needed = lifecycle?.release ?? loaded.byCluster.get(cluster)
    if (needed === undefined) return []
    const tag = formatTag(needed.name)
    const release = loaded.releases.get(tag)
    const known = release ?? loaded.keptReleases.get(tag)
    if (lifecycle !== undefined && lifecycle.plan.content !== 'rendered' && known !== undefined)
      return [{ kind: lifecycle.plan.content, cluster, needed, release: known, lifecycle }]
    return release === undefined ? [] : [{ kind: 'rendered', cluster, needed, release, lifecycle }]
  })
}
