import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { renderFrom } from '../../model/render-from.ts'
import type { CommittedCluster, EarlierCluster, EarlierStart } from '../../model/steps.ts'
import { isLowerKubernetes } from './compare-kubernetes-versions.ts'
import type { VersionContext } from './find-lowered-version.ts'
import { isSameStep } from './find-merge-under-way.ts'
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
  const { earlier, starts = [] } = context
  const absence = tree?.object === undefined ? undefined : findAbsence(earlier)
  if (tree === undefined || absence === undefined) return undefined
  const { gap, gone, last } = absence
  const isLost = gone.committed === undefined
  const start = stateOfStart(cluster, { gone, last, starts })
  // somebody has looked; what is left from an earlier start says nothing of a decommission that goes on
  if (isLost && start === 'said') return undefined
  const { committed } = last
  if (committed.object !== undefined) {
    const back = { last, after: earlier[gap - 1]?.committed ?? tree, start }
    return findOtherwise(cluster, back)
  }
  if (!isLost) return underWay(cluster, last, context)
  return committed.decommission?.step === 'release' ? undefined : lostUnderWay(cluster, { last, start }, context)
}

/** True if a cluster may have been lost beside the line of these commits: it is new there, or was away. */
export function mayBeLostBeside(earlier: readonly EarlierCluster[]): boolean {
  return earlier.length === 0 || earlier.some(({ committed }) => committed?.object === undefined)
}

/** A line of commits beside another one, from a merge that lacks the cluster on. */
export interface LineBeside {
  /** How many commits come after the merge. */
  readonly turn: number
  readonly states: readonly EarlierCluster[]
}

/**
 * The lines by which a restored cluster is judged. A branch that was merged may have left the cluster, or lost it, at
 * a step which the other side had before it went on: that says nothing of what runs.
 */
export function linesThatCount(
  line: readonly EarlierCluster[],
  beside: readonly LineBeside[],
): readonly (readonly EarlierCluster[])[] {
  const counting = beside.filter(({ states }) => tellsMore(states, line))
  const lastAge = findAbsence(line)?.last.age
  // one that had the cluster up to the merge took its loss from there
  const isBehind = counting.some(({ turn, states }) => lastAge === turn + 1 && !tellsMore(line, states))
  return [...(isBehind ? [] : [line]), ...counting.map(({ states }) => states)]
}

/** True if the step at which a line lost the cluster is none that another line has before the loss. */
function tellsMore(line: readonly EarlierCluster[], other: readonly EarlierCluster[]): boolean {
  const absence = findAbsence(line)
  if (absence === undefined) return false
  const gone = other.slice(other.findIndex(({ committed }) => committed?.object === undefined))
  const there = gone.slice(gone.findIndex(({ committed }) => committed !== undefined))
  const end = there.findIndex(({ committed }) => committed === undefined)
  const last = there.slice(0, end === -1 ? there.length : end)
  return !last.some(({ committed }) => isSameStep(committed, absence.last.committed))
}

/** True if what is said of starts may matter: some commits lack a Cluster that earlier ones have. */
export function wasAway(earlier: readonly EarlierCluster[]): boolean {
  return findAbsence(earlier) !== undefined
}

/** True if a commit lacks the Cluster, and no earlier one that is known had it, or what took its place. */
export function beganThere(earlier: readonly EarlierCluster[]): boolean {
  // what has no name is before all that is known
  return (
    findAbsence(earlier) === undefined &&
    earlier.some(({ commit, committed }) => commit !== '' && committed === undefined)
  )
}

/** The last time that the tree had no Cluster though it had one, or what took its place, before. */
interface Absence {
  /** The index of the newest commit without it. */
  readonly gap: number
  readonly gone: EarlierCluster
  readonly last: LastState
}

function findAbsence(earlier: readonly EarlierCluster[]): Absence | undefined {
  const gap = earlier.findIndex(({ committed }) => committed?.object === undefined)
  const gone = earlier[gap]
  const last = gone && lastBefore(earlier.slice(gap))
  return gone === undefined || last === undefined ? undefined : { gap, gone, last }
}

/** `past`: it was said before, and so of an earlier absence. */
type StartState = 'said' | 'unsaid' | 'past'

/**
 * Says if a Cluster starts over after an absence, by its options.yaml: it says so now, or in a commit that has the
 * Cluster again.
 */
function stateOfStart(
  { options }: Cluster,
  { gone, last, starts }: Pick<Absence, 'gone' | 'last'> & { readonly starts: readonly EarlierStart[] },
): StartState {
  const { className } = last.committed
  if (className === undefined) return 'unsaid'
  const isSaid = ({ release }: EarlierStart): boolean => release === className
  const { age: lostAt = Number.POSITIVE_INFINITY } = last
  const before = starts.filter((_, index) => (starts[index + 1]?.age ?? Number.POSITIVE_INFINITY) > lostAt)
  if (before.some(isSaid)) return 'past'
  const since = starts.filter(({ age }) => age < (gone.age ?? 0))
  return options?.startOver?.release === className || since.some(isSaid) ? 'said' : 'unsaid'
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
  const isDone = findRestoredCluster(plain, tree, { ...context, starts: [] }) !== undefined
  return {
    code: 'UPGRADE_STEP_PAST',
    severity: 'warning',
    message:
      `options.yaml says that ${namespace}/${name} starts over, which decides nothing${isDone ? ' any more' : ''}: ` +
      (isDone ? 'the commits that have it again say so' : 'no commit that counts keeps it from that'),
    at: startOver.at,
    hint: isDone
      ? 'Remove `startOver` from spec, in a commit of its own that is not squashed with those.'
      : 'Remove `startOver` from spec.',
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
  for (const { committed, ...state } of earlier) if (committed !== undefined) return { ...state, committed }
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
function lostUnderWay(
  cluster: Cluster,
  { last, start }: Pick<Absence, 'last'> & { readonly start: StartState },
  context: VersionContext,
): Diagnostic {
  const { committed } = last
  const found = underWay(cluster, last, context)
  const { className = cluster.className } = committed
  return {
    ...found,
    hint:
      start === 'past'
        ? `${found.hint ?? ''} ${saidBefore(className)}`
        : `${found.hint ?? ''} If nothing of it runs any more, write \`startOver: ${className}\` under spec in ${inputPath(cluster, 'options.yaml')} instead.`,
  }
}

/** The error for a Cluster that comes back as none that the one which still runs can become in one step. */
function findOtherwise(
  cluster: Cluster,
  {
    last: { commit, committed: before },
    after,
    start,
  }: { readonly last: LastState; readonly after: CommittedCluster; readonly start: StartState },
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
      (start === 'past'
        ? `If nothing of it runs any more, decommission it after that. ${saidBefore(className)}`
        : `If nothing of it runs any more, or it runs as cluster.yaml says, write \`startOver: ${className}\` under spec in ${inputPath({ namespace, name }, 'options.yaml')}.`),
  }
}

/** A word that was written for one loss says nothing of the next. */
function saidBefore(className: string): string {
  return `\`startOver: ${className}\` was in options.yaml before that already, for an earlier loss: it does not count for this one.`
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
