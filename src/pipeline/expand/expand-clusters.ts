import { clusterSubject, withSubject } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Deadline } from '../../model/ports.ts'
import { chartMilliseconds } from '../../render/engine/limits.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import type { ClusterState } from './cluster-state.ts'
import type { ClusterUnit } from './cluster-unit.ts'
import type { Expander } from './create-expander.ts'
import type { ClusterSummary, ExpandedCluster, ExpandedFolders } from './expanded-unit.ts'
import { findLeavers, type Leaver, leaverOf } from './find-leavers.ts'
import type { FleetProblems } from './fleet-problems.ts'
import { type GatherCluster, gatherClusters, type GatherRun } from './gather-clusters.ts'

/** The inputs of expanding clusters. */
export interface ClustersRun {
  readonly gather: GatherRun
  readonly expander: Expander
  readonly problems: FleetProblems
  /** Called after each. */
  readonly onUnit: (label: string) => void
  readonly take: (expanded: ExpandedFolders) => Promise<void> | void
  /** `sound`: what has no problem itself is given also when another cluster has one. */
  readonly gives: 'whole' | 'sound'
  readonly deadline: Deadline
}

/** Clusters of which the committed tree is asked at once: each question runs git. */
const AT_ONCE = 64
/** Clusters that are expanded under one watch for endless work, a thread; more would be in memory at once. */
const UNDER_ONE_WATCH = 4

/** Expands clusters one by one, gives each away, and keeps its summary. */
export async function expandClusters(
  clusters: readonly Cluster[],
  states: readonly ClusterState[],
  run: ClustersRun,
): Promise<readonly ClusterSummary[]> {
  const summaries: ClusterSummary[] = []
  const byCluster = new Map(states.map((state) => [state.cluster, state]))
  for (let from = 0; from < clusters.length; from += AT_ONCE) {
    const group = clusters.slice(from, from + AT_ONCE)
    const own = group.flatMap((cluster) => byCluster.get(cluster) ?? [])
    const gather =
      (await run.problems.attempt('committed', () => gatherClusters(own, run.gather))) ??
      (await gatherClusters([], run.gather))
    const leavers: Leaver[] = []
    for (let first = 0; first < group.length; first += UNDER_ONE_WATCH) {
      const few = group.slice(first, first + UNDER_ONE_WATCH)
      const expanded = await expandFew(
        few.flatMap((cluster) => byCluster.get(cluster) ?? []),
        gather,
        run,
      )
      for (const cluster of few) {
        const result = expanded.get(cluster)?.()
        if (result !== undefined) {
          if (run.problems.areNone || (run.gives === 'sound' && isSound(result))) await run.take(result)
          leavers.push(...leaverOf(cluster, { expanded: result, index: summaries.length }, run.gather))
          summaries.push(result.summary)
        }
        run.onUnit(objectPath(cluster))
      }
    }
    const left = await run.problems.attempt('leaving', () => findLeavers(leavers, run.gather))
    for (const [index, add] of left ?? []) {
      const summary = summaries[index]
      if (summary !== undefined) summaries[index] = add(summary)
    }
  }
  return summaries
}

function isSound({ summary }: ExpandedCluster): boolean {
  return Object.values(summary.problems).every((problems) => problems.length === 0)
}

/** Expands a few clusters; each result notes its problems when it is asked for, so that they come in order. */
async function expandFew(
  states: readonly ClusterState[],
  gather: GatherCluster,
  { expander, problems, deadline }: ClustersRun,
): Promise<ReadonlyMap<Cluster, () => ExpandedCluster | undefined>> {
  const results = new Map<Cluster, () => ExpandedCluster | undefined>()
  const units: ClusterUnit[] = []
  for (const state of states) {
    try {
      units.push(await gather(state))
    } catch (error) {
      const found = diagnosticsOf(error).map((finding) => withSubject(finding, clusterSubject(state.cluster)))
      results.set(state.cluster, () => {
        problems.add(state.kind === 'rendered' ? 'render' : 'bound', found)
        return undefined
      })
    }
  }
  const expanded = deadline.together(chartMilliseconds, () =>
    units.map((unit) => ({ ...expander.cluster(unit), unit })),
  )
  for (const result of expanded) {
    results.set(result.unit.cluster, () => {
      for (const step of ['render', 'shared', 'bound', 'secrets', 'storage', 'units', 'tool'] as const)
        problems.add(step, result.summary.problems[step] ?? [])
      return result
    })
  }
  return results
}
