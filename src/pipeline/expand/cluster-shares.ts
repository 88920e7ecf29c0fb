import type { ImageUser } from '../../handoff/images/release-users.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { objectPath } from '../../model/object-name.ts'
import type { StepPlan } from '../../model/steps.ts'
import { HANDOFF_STACKS } from '../../model/tree-path.ts'
import { Dict, type Value } from '../../model/value.ts'
import { dictAt } from '../../model/field.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ClusterState } from './cluster-state.ts'
import type { Digests } from './digest-unit.ts'
import type { ClusterSummary } from './expanded-unit.ts'

/** The contributions of a rendered cluster to the rest of its fleet. */
export interface ClusterShare {
  /** Another one where anything else of the fleet may come to something else for it. */
  readonly crossing: string
  /** Hashes of the renders of charts that it is made of. */
  readonly charts: readonly string[]
}

/** A cluster that was expanded, and the releases whose images it uses. */
export interface SharedCluster {
  readonly state: ClusterState
  readonly summary: ClusterSummary
  readonly users: readonly ImageUser[]
}

/**
 * The contributions of clusters to the rest of their fleet, by their keys: of those that are rendered and on no way
 * from one release to another. What a cluster's own files hold is nothing of it.
 */
export function sharesOf(clusters: readonly SharedCluster[], digests: Digests): ReadonlyMap<string, ClusterShare> {
  return new Map(
    clusters.flatMap(({ state, summary, users }) => {
      const { cluster, lifecycle } = state
      if (state.kind !== 'rendered' || cluster.name === HANDOFF_STACKS || !isAtRest(lifecycle?.plan)) return []
      const crossing = digests.of([
        ofInputs(cluster),
        lifecycle?.plan ?? '',
        users.map(ofUse),
        ofSummary(cluster, summary),
      ])
      return [[objectPath(cluster), { crossing, charts: summary.charts ?? [] }]]
    }),
  )
}

function isAtRest(plan: StepPlan | undefined): boolean {
  return plan === undefined || ((plan.due.action === 'keep' || plan.due.action === 'create') && plan.then.length === 0)
}

/** The inputs that decide about releases, stacks and files which several clusters share. */
function ofInputs({ className, classNamespace, version, addonUnits, options, addons }: Cluster): unknown {
  const entries = addons.map((entry) => ({ ...entry, at: undefined, remote: entry.remote !== undefined }))
  return { className, classNamespace, version, addonUnits, options, entries }
}

function ofUse({ cluster: { object }, release, stackNamespace, isCommitted }: ImageUser): unknown {
  return [formatTag(release.name), stackNamespace, isCommitted ?? false, choiceIn(dictAt(object, 'spec', 'topology'))]
}

/** All of a topology that may choose an image. */
function choiceIn(value: Value | undefined): unknown {
  if (Array.isArray(value)) return value.map(choiceIn)
  if (!(value instanceof Dict)) return value ?? null
  return [...value].filter(([field]) => field !== 'replicas').map(([field, item]) => [field, choiceIn(item)])
}

/** Files that are its own are of use to no other. */
function ofSummary(cluster: Cluster, { kind, used, note, steps }: ClusterSummary): unknown {
  const isShared = (file: string): boolean => !file.includes(`${inputPath(cluster)}/`)
  // as JSON: a digest of objects tells those that stand in two places, and a run may keep once what clusters share
  const facts = JSON.stringify([note?.cluster, note?.units, steps])
  const files = [used?.patches.filter(isShared), used?.values.filter(isShared)]
  return { kind, files, facts, shared: note?.shared }
}
