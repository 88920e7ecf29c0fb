import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import type { Lock } from '../../model/lock.ts'
import type { HandoffSources } from '../deliver/handoff-templates.ts'
import type { LoadedReleases } from '../resolve/load-releases.ts'
import type { ExpandUnits, Taker, UnitPool } from './unit-results.ts'

/** The inputs of a run before they are digested. */
export interface RunInputs {
  readonly repository: FleetRepository
  readonly lock: Lock | undefined
  readonly loaded: Pick<LoadedReleases, 'releases' | 'needed'>
  readonly sources: HandoffSources | undefined
  /** The commit whose tree counts; absent: the last one. */
  readonly base: string | undefined
}

/** The facts of a run when its clusters are about to be expanded. */
export interface AskedShards {
  readonly inputs: RunInputs
  /** The inputs that all units share. */
  readonly context: unknown
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** True once a problem is known: nothing will be written then. */
  readonly hasFailed: () => boolean
}

/** Clusters of a whole fleet that several processes expand. */
export interface ShardedUnits {
  /** `part`: some are expanded here, and kept; `whole`: what all came to is taken together. */
  readonly expands: 'part' | 'whole'
  /** For whoever expands units. */
  readonly taker: AskedShards['taker']
  readonly pool: (here: ExpandUnits, open: () => UnitPool) => UnitPool
}

/** Divides the work on the clusters of a fleet. */
export interface ShardedRun {
  /** Those that this process goes through, in their order. */
  readonly clustersOf: (all: readonly Cluster[]) => readonly Cluster[]
  /** @throws StackmasonError SHARD_*, WRITE_FAILED, WRITE_NOT_OWNED, GIT_FAILED */
  readonly open: (asked: AskedShards) => Promise<ShardedUnits>
}
