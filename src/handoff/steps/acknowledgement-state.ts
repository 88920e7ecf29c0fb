import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { matchClassName } from '../../model/release-name.ts'
import type { AcknowledgedStep, CommittedCluster } from '../../model/steps.ts'

/**
 * The state of the acknowledgement in options.yaml: it is of the step that the tree holds, so the next one may follow;
 * or of one that the tree has left behind; undefined if there is none.
 * @throws StackmasonError UPGRADE_NOT_UNDER_WAY for any other: nobody can have checked what the tree does not hold
 */
export function acknowledgementState(
  cluster: Cluster,
  committed: CommittedCluster | undefined,
): 'under-way' | 'past' | undefined {
  const acknowledged = cluster.options?.acknowledged
  if (acknowledged === undefined) return undefined
  const { className, addons, target } = committed ?? {}
  if (className === undefined || addons === undefined) throw notUnderWay(cluster, acknowledged, committed)
  const { step, release } = acknowledged
  if (step === 'addons') {
    if (className === release || isOlder(release, className)) return 'past'
    if (addons === release) return 'under-way'
  } else {
    if (isOlder(release, className)) return 'past'
    if (className === release) return addons === release && target !== undefined ? 'under-way' : 'past'
  }
  throw notUnderWay(cluster, acknowledged, committed)
}

/**
 * The warning for an acknowledgement that says nothing any more: undefined unless it is one. Where there are no steps
 * of an upgrade there is none to judge.
 */
export function findPastAcknowledgement(
  cluster: Cluster,
  committed: CommittedCluster | undefined,
): Diagnostic | undefined {
  const { acknowledged, isFrozen = false, decommission } = cluster.options ?? {}
  if (acknowledged === undefined || isFrozen || decommission !== undefined) return undefined
  if (acknowledgementState(cluster, committed) !== 'past') return undefined
  return {
    code: 'UPGRADE_STEP_PAST',
    severity: 'warning',
    message: `${claimOf(acknowledged)}; ${cluster.namespace}/${cluster.name} has left that step behind`,
    at: acknowledged.at,
  }
}

/**
 * True if a release is for an earlier Kubernetes minor version. Releases of the same one have no order that holds for
 * all.
 */
function isOlder(release: string, than: string): boolean {
  const [left, right] = [matchClassName(release), matchClassName(than)]
  if (!('value' in left && 'value' in right)) return false
  const [from, to] = [left.value.kubernetes, right.value.kubernetes]
  return from.major === to.major && from.minor < to.minor
}

function claimOf({ step, release }: AcknowledgedStep): string {
  return step === 'addons'
    ? `options.yaml says that the addons of ${release} were applied`
    : `options.yaml says that the Cluster has rolled out at ${release}`
}

function notUnderWay(
  cluster: Cluster,
  acknowledged: AcknowledgedStep,
  committed: CommittedCluster | undefined,
): StackmasonError {
  const { className, addons } = committed ?? {}
  const held =
    className === undefined || addons === undefined
      ? 'the tree holds nothing of the cluster'
      : `the tree holds the addons of ${addons} and the Cluster at ${className}`
  return new StackmasonError({
    code: 'UPGRADE_NOT_UNDER_WAY',
    severity: 'error',
    message: `${claimOf(acknowledged)}, but ${held}`,
    at: acknowledged.at,
    hint: wayFrom(committed, cluster),
  })
}

/** The next step for people: with the step that is under way, with the first one, or where there is none. */
function wayFrom(committed: CommittedCluster | undefined, cluster: Cluster): string {
  const { className, addons, target } = committed ?? {}
  if (className === undefined || addons === undefined)
    return 'Remove spec.upgrade: a new cluster is written at once, without steps.'
  if (addons !== className)
    return `Remove spec.upgrade, or write \`addonsApplied: ${addons}\` there when that step was applied and checked.`
  if (target !== undefined)
    return `Remove spec.upgrade, or write \`clusterRolledOut: ${className}\` there when that step was applied and checked.`
  if (className === cluster.className) return 'Remove spec.upgrade: no upgrade is under way.'
  return 'Remove spec.upgrade and render: that writes the step. Then commit it; where the output is in no commit, acknowledge it once it is applied and checked.'
}
