import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { renderFrom } from '../../model/render-from.ts'
import type { CommittedCluster, EarlierCluster, EarlierStart, StepPlan } from '../../model/steps.ts'
import { isLowerKubernetes } from './compare-kubernetes-versions.ts'

/** The context that the Kubernetes version of a tree is compared with. */
export interface VersionContext {
  /** Newest first. */
  readonly earlier: readonly EarlierCluster[]
  /** `named`: the commit was given with `--base`. */
  readonly from: 'named' | 'history'
  /** The starts of the cluster that commits name, the last one first. Default: nothing is known. */
  readonly starts?: readonly EarlierStart[]
}

/**
 * The error for a tree on disk whose Cluster has a lower Kubernetes version than an earlier commit has: Cluster API
 * refuses it, so the Cluster stays as it is while everything else goes back.
 */
export function findLoweredVersion(
  cluster: Cluster,
  tree: CommittedCluster | undefined,
  context: VersionContext,
): Diagnostic | undefined {
  const highest = highestOf(cluster, context)
  if (tree?.version === undefined || highest === undefined || !isLowerKubernetes(tree.version, highest.version))
    return undefined
  return {
    ...describe(cluster, { highest, version: tree.version, tree: 'the tree' }, context),
    severity: 'error',
    hint: wayForward(cluster, { highest, tree }, context) + unlessApplied(cluster, highest, context),
  }
}

/**
 * The finding about a committed tree that has gone back, by a revert for instance: a warning when this run restores the
 * version, an error when it does not, or `cannot` because a release is gone.
 */
export function findRevertedVersion(
  cluster: Cluster,
  { committed, plan }: { readonly committed: CommittedCluster | undefined; readonly plan: StepPlan },
  context: VersionContext,
  write: 'can' | 'cannot' = 'can',
): Diagnostic | undefined {
  const highest = highestOf(cluster, context)
  if (plan.decommission !== undefined || plan.content === 'none') return undefined
  if (
    committed?.version === undefined ||
    highest === undefined ||
    !isLowerKubernetes(committed.version, highest.version)
  )
    return undefined
  const about = describe(cluster, { highest, version: committed.version, tree: 'the committed tree' }, context)
  const isRestored =
    write === 'can' &&
    plan.content === 'rendered' &&
    plan.clusterObject === 'as-is' &&
    // of a release on the way only its class is known, and that it is the one that the Cluster had
    (plan.due.className === highest.className ||
      (plan.due.className === cluster.className && !isLowerKubernetes(cluster.version, highest.version)))
  const advice = isRestored
    ? `Commit what this run writes: ${highest.version} again.`
    : wayBack(cluster, highest, context)
  return {
    ...about,
    severity: isRestored ? 'warning' : 'error',
    hint: advice + unlessApplied(cluster, highest, context),
  }
}

/**
 * The warning for a release that options.yaml says was never applied, where that decides nothing any more: undefined
 * unless it is so. `history` says whether `earlier` leaves out commits that could tell otherwise.
 */
export function findNeedlessDenial(
  { namespace, name, options }: Cluster,
  committed: CommittedCluster | undefined,
  { earlier, history }: Pick<VersionContext, 'earlier'> & { readonly history: 'whole' | 'part' },
): Diagnostic | undefined {
  const { neverApplied, decommission } = options ?? {}
  if (neverApplied === undefined) return undefined
  const { release, at } = neverApplied
  const isThere = committed?.className === release
  const counts =
    !comesAgain(release, earlier) &&
    earlier
      .slice(0, indexOfOther(earlier))
      .some(
        (one) =>
          one.committed?.className === release &&
          isLowerKubernetes(committed?.version ?? '', one.committed.version ?? ''),
      )
  if (decommission === undefined && !isThere && (counts || history === 'part')) return undefined
  return {
    code: 'UPGRADE_STEP_PAST',
    severity: 'warning',
    message:
      `options.yaml says that ${release} was never applied, which decides nothing any more: ` +
      (isThere
        ? `the tree has ${namespace}/${name} at it`
        : decommission === undefined
          ? `no commit that counts has ${namespace}/${name} at it with a higher version than now`
          : `${namespace}/${name} is decommissioned`),
    at,
    hint: 'Remove `neverApplied` from spec.upgrade.',
  }
}

/** Before that there was another cluster of the name, or none. */
function indexOfOther(earlier: readonly EarlierCluster[]): number {
  const index = earlier.findIndex(({ committed }) => committed?.object === undefined)
  return index === -1 ? earlier.length : index
}

/**
 * True if the Cluster was at a release again after it was at another one: nothing tells then which of these times
 * options.yaml means.
 */
function comesAgain(release: string, earlier: readonly EarlierCluster[]): boolean {
  const own = earlier.slice(0, indexOfOther(earlier))
  const isAtIt = ({ committed }: EarlierCluster): boolean => committed?.className === release
  const [first, last] = [own.findIndex(isAtIt), own.findLastIndex(isAtIt)]
  return first !== -1 && own.slice(first, last).some((one) => !isAtIt(one))
}

interface Highest {
  readonly commit: string
  readonly className: string
  readonly version: string
}

/** The highest version that the Cluster had since it was made; with equal ones the newest commit. */
function highestOf({ options }: Cluster, { earlier }: VersionContext): Highest | undefined {
  const denied = options?.neverApplied?.release
  const isDenied = denied !== undefined && !comesAgain(denied, earlier)
  let highest: Highest | undefined
  for (const { commit, committed } of earlier) {
    // before that there was another cluster of the name
    if (committed?.object === undefined) break
    const { className = '', version = '' } = committed
    if (isDenied && className === denied) continue
    if (highest === undefined || isLowerKubernetes(highest.version, version)) highest = { commit, className, version }
  }
  return highest
}

function describe(
  { namespace, name, versionAt }: Cluster,
  { highest, version, tree }: { readonly highest: Highest; readonly version: string; readonly tree: string },
  { from }: VersionContext,
): Pick<Diagnostic, 'code' | 'message' | 'at'> {
  const commit = from === 'named' ? highest.commit : `commit ${highest.commit}`
  return {
    code: 'UPGRADE_GOES_BACK',
    message:
      `${tree} lowers the Kubernetes version of ${namespace}/${name} to ${version}, but ${commit} has ${highest.version}; ` +
      `Cluster API refuses that, so the Cluster stays at ${highest.className}, ${highest.version}`,
    at: versionAt,
  }
}

/** A tree that has the addons of the release already gets its class by the next step. */
function wayForward(
  cluster: Cluster,
  { highest, tree }: { readonly highest: Highest; readonly tree: CommittedCluster },
  context: VersionContext,
): string {
  return context.from === 'history' && tree.addons === highest.className && tree.target !== undefined
    ? `Run \`stackmason render\` and commit what it writes: ${highest.version} again.`
    : wayBack(cluster, highest, context)
}

/**
 * The base matters: following on the tree that went back, the steps would begin with the Cluster held at the lower
 * version.
 */
function wayBack(cluster: Cluster, { commit, className, version }: Highest, { from }: VersionContext): string {
  // from a base that is named the whole fleet is one step away
  const command = from === 'named' ? `\`stackmason render --base ${commit}\`` : renderFrom(commit, cluster)
  const first = isLowerKubernetes(cluster.version, version)
    ? `Write class ${className} and version ${version} into cluster.yaml again, run ${command} and commit what it writes.`
    : `Run ${command} and commit what it writes: ${version} again.`
  return from === 'named' ? first : `${first} Then \`stackmason render\` writes what else the fleet lacks for it.`
}

function unlessApplied(
  { namespace, name, options }: Cluster,
  { className, commit }: Highest,
  { from }: VersionContext,
): string {
  // a commit that was given is what the GitOps tool has: nothing to doubt
  if (from === 'named') return ''
  if (className === options?.neverApplied?.release)
    return ` \`neverApplied: ${className}\` is of the commits that had it before: since then the tree had another class, and ${commit === 'HEAD' ? commit : `commit ${commit}`} has this one again.`
  const file = inputPath({ namespace, name }, 'options.yaml')
  return ` If no GitOps tool has ever applied that commit, write \`neverApplied: ${className}\` under spec.upgrade in ${file}.`
}
