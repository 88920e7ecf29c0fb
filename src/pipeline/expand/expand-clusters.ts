import { clusterSubject, withSubject } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { objectPath } from '../../model/object-name.ts'
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
}

/** Clusters of which the committed tree is asked at once: each question runs git. */
const AT_ONCE = 64

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
    for (const cluster of group) {
      const state = byCluster.get(cluster)
      if (state !== undefined) {
        const expanded = await expandOne(state, gather, run)
        if (expanded !== undefined) {
          if (run.problems.areNone) await run.take(expanded)
          leavers.push(...leaverOf(cluster, { expanded, index: summaries.length }, run.gather))
          summaries.push(expanded.summary)
        }
      }
      run.onUnit(objectPath(cluster))
    }
    const left = await run.problems.attempt('leaving', () => findLeavers(leavers, run.gather))
    for (const [index, add] of left ?? []) {
      const summary = summaries[index]
      if (summary !== undefined) summaries[index] = add(summary)
    }
  }
  return summaries
}

async function expandOne(
  state: ClusterState,
  gather: GatherCluster,
  { expander, problems }: ClustersRun,
): Promise<ExpandedCluster | undefined> {
  let unit: ClusterUnit
  try {
    unit = await gather(state)
  } catch (error) {
    const found = diagnosticsOf(error).map((finding) => withSubject(finding, clusterSubject(state.cluster)))
    problems.add(state.kind === 'rendered' ? 'render' : 'bound', found)
    return undefined
  }
  const expanded = { ...expander.cluster(unit), unit }
  for (const step of ['render', 'shared', 'bound', 'secrets', 'storage', 'units', 'tool'] as const)
    problems.add(step, expanded.summary.problems[step] ?? [])
  return expanded
}
