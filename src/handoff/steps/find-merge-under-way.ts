import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { CommittedCluster } from '../../model/steps.ts'

/** A cluster on the sides of a merge that is not committed yet. */
export interface MergedCluster {
  /** As the last commit has it. */
  readonly head: CommittedCluster | undefined
  /** As the commit has it that is merged into that one. */
  readonly merged: CommittedCluster | undefined
  /** The commit that is merged, as git takes it for a revision. */
  readonly revision: string
  /** As the commit had it that both come from. */
  readonly ancestor: CommittedCluster | undefined
}

/**
 * The error for a cluster whose next step would follow on the last commit, while the commit that is merged has brought
 * it to another one: of a branch that lags behind, the step would take the cluster back. Nothing tells which of the
 * two the GitOps tool follows.
 */
export function findMergeUnderWay(
  cluster: Cluster,
  { head, merged, revision, ancestor }: MergedCluster,
): Diagnostic | undefined {
  // what is there on one side only is new there, or ended with its inputs
  if (merged === undefined || isSameStep(head, merged) || isSameStep(ancestor, merged)) return undefined
  if (head === undefined && isAtGoal(cluster, merged)) return undefined
  return {
    code: 'MERGE_UNDER_WAY',
    severity: 'error',
    message:
      `a merge is under way, and its two sides have ${cluster.namespace}/${cluster.name} at different steps: ` +
      `HEAD has ${describe(head)}, ${revision} ${describe(merged)}`,
    at: cluster.classAt,
    hint:
      'If `stackmason render --check` is green, commit the merge as git made it. Else name the side that your GitOps tool follows: ' +
      `\`--base ${revision}\` where you merge its branch into yours, \`--base HEAD\` where you are on its branch.`,
  }
}

/** True if two trees have a cluster at the same step; false where either does not have it. */
export function isSameStep(one: CommittedCluster | undefined, other: CommittedCluster | undefined): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    (one.object === undefined) === (other.object === undefined) &&
    one.className === other.className &&
    one.version === other.version &&
    one.addons === other.addons &&
    one.target === other.target &&
    one.decommission?.step === other.decommission?.step &&
    one.decommission?.limit === other.decommission?.limit
  )
}

/** True if a cluster has nothing before it: to write it as a new one takes no step. */
function isAtGoal({ className, version }: Cluster, committed: CommittedCluster): boolean {
  return (
    committed.object !== undefined &&
    committed.decommission === undefined &&
    committed.target === undefined &&
    committed.className === className &&
    committed.addons === className &&
    committed.version === version
  )
}

function describe(committed: CommittedCluster | undefined): string {
  if (committed === undefined) return 'none'
  const { object, className = '', version = '', addons, target, decommission } = committed
  if (object === undefined) return 'none any more, after a decommission'
  const at = `class ${className} (${version})`
  if (decommission !== undefined) return `${at}, on its way out (step ${decommission.step})`
  const next = target ?? (addons === className ? undefined : addons)
  return next === undefined ? at : `${at} on its way to ${next}`
}
