import { clusterSubject, type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { objectPath } from '../../model/object-name.ts'
import { sharingParts } from '../../model/sharing-parts.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import type { ClusterState } from './cluster-state.ts'
import type { ClusterUnit } from './cluster-unit.ts'
import type { ClusterSummary } from './expanded-unit.ts'
import { findLeavers, type Leaver, leaverOf } from './find-leavers.ts'
import type { FleetProblems } from './fleet-problems.ts'
import { type GatherCluster, gatherClusters, type GatherRun } from './gather-clusters.ts'
import { isSound, type UnitPool, type UnitResult } from './unit-results.ts'

/** The inputs of expanding clusters. */
export interface ClustersRun {
  readonly gather: GatherRun
  readonly pool: UnitPool
  readonly problems: FleetProblems
  /** Called after each. */
  readonly onUnit: (label: string) => void
  /** `sound`: what has no problem itself is given also when another cluster has one; `each`: all is, problems too. */
  readonly gives: 'whole' | 'sound' | 'each'
}

/** Clusters of which the committed tree is asked at once: each question runs git. */
const AT_ONCE = 64
/** Clusters that are expanded under one watch for endless work, a thread; more would be in memory at once. */
const UNDER_ONE_WATCH = 4

/**
 * Expands clusters, gives each away in their order, and keeps its summary. While some are expanded elsewhere, the
 * inputs of those to come are gathered.
 */
export async function expandClusters(
  clusters: readonly Cluster[],
  states: readonly ClusterState[],
  run: ClustersRun,
): Promise<readonly ClusterSummary[]> {
  const byCluster = new Map(states.map((state) => [state.cluster, state]))
  const statesOf = (some: readonly Cluster[]): readonly ClusterState[] =>
    some.flatMap((cluster) => byCluster.get(cluster) ?? [])
  const summaries: ClusterSummary[] = []
  const leavers: Leaver[] = []
  const takeFew = async ({ few, isLast, expanded }: FewClusters): Promise<void> => {
    const results = await expanded
    for (const cluster of few) {
      const result = results.get(cluster)?.()
      if (result !== undefined) {
        const isGiven = run.gives === 'each' || (run.gives === 'sound' && isSound(result.summary))
        if (isGiven || run.problems.areNone) await result.give()
        leavers.push(...leaverOf(cluster, { facts: result.leaving, index: summaries.length }, run.gather))
        summaries.push(sharingParts(result.summary, summaries.at(-1)))
      }
      run.onUnit(objectPath(cluster))
    }
    if (!isLast) return
    const left = await run.problems.attempt('leaving', () => findLeavers(leavers.splice(0), run.gather))
    for (const [index, add] of left ?? []) {
      const summary = summaries[index]
      if (summary !== undefined) summaries[index] = add(summary)
    }
  }
  const ahead: FewClusters[] = []
  for (const group of inGroups(clusters, AT_ONCE)) {
    const own = statesOf(group)
    const gather =
      (await run.problems.attempt('committed', () => gatherClusters(own, run.gather))) ??
      (await gatherClusters([], run.gather))
    for (const few of inGroups(group, UNDER_ONE_WATCH)) {
      const expanded = expandGathered(await gatherFew(statesOf(few), gather), run)
      // who fails while others are waited for is asked later
      expanded.catch(() => undefined)
      ahead.push({ few, isLast: few.at(-1) === group.at(-1), expanded })
      for (const first of ahead.splice(0, ahead.length - run.pool.ahead)) await takeFew(first)
    }
  }
  for (const first of ahead) await takeFew(first)
  return summaries
}

/** Clusters that are being expanded. */
interface FewClusters {
  readonly few: readonly Cluster[]
  /** True for the last of those of which the committed tree is asked at once. */
  readonly isLast: boolean
  readonly expanded: Promise<ReadonlyMap<Cluster, () => UnitResult | undefined>>
}

function* inGroups<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** The inputs of a few clusters, and the problems of those that have none. */
interface GatheredClusters {
  readonly units: readonly ClusterUnit[]
  readonly failed: readonly { readonly state: ClusterState; readonly found: readonly Diagnostic[] }[]
}

async function gatherFew(states: readonly ClusterState[], gather: GatherCluster): Promise<GatheredClusters> {
  const units: ClusterUnit[] = []
  const failed: { readonly state: ClusterState; readonly found: readonly Diagnostic[] }[] = []
  for (const state of states) {
    try {
      units.push(await gather(state))
    } catch (error) {
      const about = clusterSubject(state.cluster)
      failed.push({ state, found: diagnosticsOf(error).map((finding) => withSubject(finding, about)) })
    }
  }
  return { units, failed }
}

/** Expands a few clusters; each result notes its problems when it is asked for, so that they come in order. */
async function expandGathered(
  { units, failed }: GatheredClusters,
  { pool, problems }: ClustersRun,
): Promise<ReadonlyMap<Cluster, () => UnitResult | undefined>> {
  const results = new Map<Cluster, () => UnitResult | undefined>()
  for (const { state, found } of failed)
    results.set(state.cluster, () => {
      problems.add(state.kind === 'rendered' ? 'render' : 'bound', found)
      return undefined
    })
  const expanded = await pool.expand(units)
  for (const [index, { cluster }] of units.entries()) {
    const result = expanded[index]
    if (result === undefined) continue
    results.set(cluster, () => {
      for (const step of ['render', 'shared', 'bound', 'secrets', 'storage', 'units', 'tool'] as const)
        problems.add(step, result.summary.problems[step] ?? [])
      return result
    })
  }
  return results
}
