import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { renderFrom } from '../../model/render-from.ts'
import type { CommittedCluster, EarlierCluster } from '../../model/steps.ts'
import { isLowerKubernetes } from './compare-kubernetes-versions.ts'
import type { VersionContext } from './find-lowered-version.ts'
import { findStepsTogether } from './find-steps-together.ts'
import { refuseStackChange } from './refuse-stack-change.ts'

/**
 * The error for a tree that has a Cluster again which earlier commits had taken out: by a decommission that has not
 * ended, so that a GitOps tool may have begun to delete it; or by nothing but the loss of its folder, so that it may
 * still run, and the tree is not one step away from what runs. Undefined when a decommission had ended before, or the
 * cluster is new. `tree` is the one on disk, the committed one, or what a run writes of a cluster that no tree has.
 */
export function findRestoredCluster(
  cluster: Cluster,
  tree: CommittedCluster | undefined,
  context: VersionContext,
): Diagnostic | undefined {
  const { earlier } = context
  if (tree?.object === undefined) return undefined
  const gap = earlier.findIndex(({ committed }) => committed?.object === undefined)
  if (gap === -1) return undefined
  const last = lastBefore(earlier.slice(gap))
  if (last === undefined) return undefined
  const isLost = earlier[gap]?.committed === undefined
  // somebody has looked; what is left from an earlier start says nothing of a decommission that goes on
  if (isLost && last.committed.className === cluster.options?.startOver?.release) return undefined
  const { committed } = last
  if (committed.object !== undefined) {
    const back = { last, after: earlier[gap - 1]?.committed ?? tree }
    return findOtherwise(cluster, back)
  }
  if (!isLost) return underWay(cluster, last, context)
  return committed.decommission?.step === 'release' ? undefined : lostUnderWay(cluster, last, context)
}

/**
 * The warning for a start of which options.yaml says that it is one, where that decides nothing (any more): undefined
 * unless it is so.
 */
export function findNeedlessStart(
  cluster: Cluster,
  tree: CommittedCluster | undefined,
  context: VersionContext & { readonly history: 'whole' | 'part' },
): Diagnostic | undefined {
  const { startOver, ...options } = cluster.options ?? {}
  if (startOver === undefined || context.history === 'part') return undefined
  const plain: Cluster = { ...cluster, options: { isSuspended: false, isFrozen: false, ...options } }
  if (findRestoredCluster(plain, tree, context) !== undefined) return undefined
  const { namespace, name } = cluster
  return {
    code: 'UPGRADE_STEP_PAST',
    severity: 'warning',
    message: `options.yaml says that ${namespace}/${name} starts over, which decides nothing: no commit that counts keeps it from that`,
    at: startOver.at,
    hint: 'Remove `startOver` from spec.',
  }
}

/**
 * The warning for a decommission of which nothing is left in the tree though it had not ended: undefined when it had.
 * `earlier`: newest first, without the tree.
 */
export function findUnfinished(cluster: Cluster, earlier: readonly EarlierCluster[]): Diagnostic | undefined {
  const last = lastBefore(earlier)
  if (last?.committed.decommission?.step !== 'delete') return undefined
  const { namespace, name, options } = cluster
  return {
    code: 'CLUSTER_ORPHANED',
    severity: 'warning',
    message:
      `the tree lost ${namespace}/${name} after commit ${last.commit}, before its decommission had ended: objects that lay beside its Cluster ` +
      'stay in the management cluster, with nothing to manage them',
    at: options?.decommission?.at ?? cluster.classAt,
    hint:
      `Bring back what that commit has with ${renderFrom(last.commit, cluster)}, commit it, run \`stackmason render\` for the lists of the fleet and commit again, and go on with \`step: finish\`; ` +
      'or delete those objects by hand. Do not take `decommission` out of options.yaml: a recreated Cluster can take over machines of the old one.',
  }
}

/** A cluster as the newest of some commits has it that knows it, with its Cluster or what took its place. */
interface LastState extends EarlierCluster {
  readonly committed: CommittedCluster
}

function lastBefore(earlier: readonly EarlierCluster[]): LastState | undefined {
  for (const { commit, committed } of earlier) if (committed !== undefined) return { commit, committed }
  return undefined
}

function underWay({ namespace, name, classAt }: Cluster, { commit }: LastState, { from }: VersionContext): Diagnostic {
  const file = inputPath({ namespace, name }, 'options.yaml')
  return {
    code: 'DECOMMISSION_UNDER_WAY',
    severity: 'error',
    message:
      `the tree has Cluster ${namespace}/${name} again, but ${from === 'named' ? commit : `commit ${commit}`} has it taken out by a decommission that has not ended; ` +
      'what is deleted by then does not come back, and a recreated Cluster can take over machines of the old one',
    at: classAt,
    hint:
      `Write \`decommission: {step: delete}\` into ${file} again, run ${from === 'named' ? `\`stackmason render --base ${commit}\`` : renderFrom(commit, { namespace, name })} and commit what it writes. ` +
      'Then finish the decommission; a new cluster can be made after that.' +
      // a commit that was given is what the GitOps tool has: nothing to doubt
      (from === 'named'
        ? ''
        : ' If no GitOps tool has ever applied that commit, name the one that it has with `--base <commit>`.'),
  }
}

/** The same where the tree lost the rest of the cluster since: only its owner knows whether that was the end. */
function lostUnderWay(cluster: Cluster, last: LastState, context: VersionContext): Diagnostic {
  const { committed } = last
  const found = underWay(cluster, last, context)
  const { className = cluster.className } = committed
  return {
    ...found,
    hint: `${found.hint ?? ''} If nothing of it runs any more, write \`startOver: ${className}\` under spec in ${inputPath(cluster, 'options.yaml')} instead.`,
  }
}

/** The error for a Cluster that comes back as none that the one which still runs can become in one step. */
function findOtherwise(
  cluster: Cluster,
  { last: { commit, committed: before }, after }: { readonly last: LastState; readonly after: CommittedCluster },
): Diagnostic | undefined {
  const why = otherwise(cluster, { before, after, commit })
  if (why === undefined) return undefined
  const { namespace, name, classAt } = cluster
  const { className = '', version = '' } = before
  return {
    code: 'CLUSTER_ORPHANED',
    severity: 'error',
    message:
      `the tree has Cluster ${namespace}/${name} again, which it lost after commit ${commit} without a decommission that ended; ` +
      `it may still run as it is there, at ${className} ${version}, and ${why}`,
    at: classAt,
    hint:
      `Write class ${className} and version ${version} into cluster.yaml, run \`stackmason render\` and commit: the GitOps tool takes over what runs, and later changes follow step by step. ` +
      `If nothing of it runs any more, or it runs as cluster.yaml says, write \`startOver: ${className}\` under spec in ${inputPath({ namespace, name }, 'options.yaml')}.`,
  }
}

function otherwise(
  cluster: Cluster,
  {
    before,
    after,
    commit,
  }: { readonly before: CommittedCluster; readonly after: CommittedCluster; readonly commit: string },
): string | undefined {
  const [from, to] = [before.className, after.className]
  if (from !== undefined && to !== undefined && refuseStackChange(cluster, from, to) !== undefined)
    return `no Cluster changes to the stack of ${to} in place`
  const { version = '' } = after
  if (isLowerKubernetes(version, before.version ?? '')) return `no Cluster goes back to ${version}`
  return findStepsTogether(cluster, { before, after }, commit) === undefined
    ? undefined
    : `it would get the addons of ${after.addons ?? ''} and their version at once`
}
