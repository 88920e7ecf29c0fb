import { StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { parseClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { ClusterStep, CommittedCluster, LostCluster, StepAction, StepPlan } from '../../model/steps.ts'
import { acknowledgementState } from './acknowledgement-state.ts'
import { unitWords } from './name-units.ts'
import { planDecommission } from './plan-decommission.ts'
import { refuseStackChange } from './refuse-stack-change.ts'
import { type MendedBy, tellGaps } from './tell-gaps.ts'
import { type ReleaseState, type UpgradeMove, upgradePath } from './upgrade-path.ts'

/** Where the step that a tree holds is: in the last commit, on disk alone, or in a tree that no commit has. */
export type CommitState = 'committed' | 'uncommitted' | 'nowhere'

/** The other inputs that decide about steps. */
export interface StepOptions {
  /** Releases on offer in the namespace of the class. */
  readonly offered: readonly ReleaseName[]
  /** True if the fleet has a lock. Default: it has. */
  readonly isLocked?: boolean
  /**
   * True if the committed tree counts as applied, so that the next step is due. False when the tree itself is looked
   * at, by --check or outside of a repository: a step that is written for the very same inputs then stays, unless
   * options.yaml acknowledges it where no commit could show it.
   */
  readonly advance: boolean
  /**
   * True if the committed tree suspends the cluster: nobody has applied a step that it holds, unless options.yaml
   * acknowledges it. Default: it does not.
   */
  readonly isSuspended?: boolean
  /**
   * True if the committed tree suspends the cluster and this run resumes it, or the other way round, before the class
   * follows: that is to be committed first, whatever options.yaml acknowledges. Default: false.
   */
  readonly isTurned?: boolean
  /**
   * Why the committed tree cannot have been applied whole, one clause each: the step that it holds is written again
   * then, whatever options.yaml acknowledges. Default: none.
   */
  readonly gaps?: readonly string[]
  /**
   * Conditions of the committed step that nobody has reported yet, one sentence each: the next one waits for it, unless
   * options.yaml acknowledges the step, or addons are to be replaced that are already there for the same minor version.
   * Default: nothing.
   */
  readonly awaited?: readonly string[]
  /**
   * Whether a commit has the step that the tree holds; `nowhere`: no commit has a tree, so that the one on disk counts
   * in its place. Default: nowhere.
   */
  readonly commitState?: CommitState
  /** The run that writes what the gaps are about. Default: this one. */
  readonly mendedBy?: MendedBy
  /** True if the tree has no object of the GitOps tool for the cluster. Default: it has, or that does not matter. */
  readonly hasNoUnits?: boolean
  /** The commit that has a frozen cluster which the tree has lost. Default: there is none. */
  readonly lost?: LostCluster | undefined
  /** True if no commit has a frozen cluster, and not all commits are there. */
  readonly isShallow?: boolean
  /** True if the tree lost the cluster in the middle of its decommission. Default: false. */
  readonly isUnfinished?: boolean
  /** True if the files of a frozen cluster lie on disk, and in no commit though one could have them. */
  readonly isUncommitted?: boolean
}

/**
 * Plans the steps of a cluster from what is committed to what its inputs want: which one this run writes, and what
 * follows. An upgrade writes addons first, then class and version; a new cluster is written at once. Equal arguments
 * give equal plans, so a run that is repeated before it is committed writes the same step.
 * @throws StackmasonError UPGRADE_CHANGES_STACK, UPGRADE_GOES_BACK, UPGRADE_SKIPS_MINOR, UPGRADE_NOT_UNDER_WAY,
 * FREEZE_NOTHING, DECOMMISSION_UNDER_WAY
 */
export function planSteps(cluster: Cluster, committed: CommittedCluster | undefined, options: StepOptions): StepPlan {
  const decommission = cluster.options?.decommission
  if (decommission !== undefined) return planDecommission(cluster, committed, { ...options, limit: decommission.step })
  const { className, addons, version } = committed ?? {}
  // one of a frozen cluster has no effect: options.yaml was told so
  const acknowledgement = cluster.options?.isFrozen === true ? undefined : acknowledgementState(cluster, committed)
  if (committed?.decommission !== undefined && committed.object === undefined) throw underWay(cluster)
  const suspends = cluster.options?.isSuspended === true ? 'all' : 'none'
  const common = { cluster: { name: cluster.name, namespace: cluster.namespace }, suspends } as const
  if (committed?.object === undefined || className === undefined || addons === undefined || version === undefined) {
    if (cluster.options?.isFrozen === true) throw nothingToFreeze(cluster, options)
    return {
      ...common,
      due: step(
        'create',
        { className: cluster.className, addons: cluster.className },
        `everything of ${cluster.className}`,
      ),
      then: [],
      content: 'rendered',
      clusterObject: 'as-is',
      classes: [cluster.className],
    }
  }
  const state: ReleaseState = { className, addons }
  if (cluster.options?.isFrozen === true) {
    return {
      ...common,
      due: {
        ...step('freeze', state, `stays as it is committed, at ${className} ${version}`),
        before: options.hasNoUnits === true ? ['No unit of it is committed: this run writes them again.'] : [],
      },
      then: [],
      content: 'committed',
      clusterObject: 'as-is',
      classes: [className],
    }
  }
  const changed = refuseStackChange(cluster, className)
  if (changed !== undefined) throw new StackmasonError(changed)
  const { offered, isLocked = true } = options
  const moves = upgradePath(cluster, { ...state, version, offered, isLocked })
  const steps = moves.map((move, index) => describeMove(move, cluster, { isLast: index === moves.length - 1 }))
  const [next, ...rest] = steps
  if (next === undefined) {
    return {
      ...common,
      due: step('keep', state, `everything of ${className}${suspends === 'all' ? ', suspended' : ''}`),
      then: [],
      content: 'rendered',
      clusterObject: 'as-is',
      classes: [className],
    }
  }
  // a tree that was written for these inputs stands between two commits of their upgrade
  const isWritten = committed?.target === cluster.className
  const { advance, isSuspended = false, isTurned = false, gaps = [], awaited = [], mendedBy = 'this-run' } = options
  const { commitState = 'nowhere' } = options
  const isNotAsWritten = gaps.length > 0 || isTurned
  // an acknowledgement stands for a commit, or for the tool; of what the tree does not hold nobody can have checked it
  const isAcknowledged = acknowledgement === 'under-way'
  // where commits hold the tree they say it already, and what none of them holds is to be committed first
  const isSaidByCommits = !advance && (commitState === 'uncommitted' || (commitState === 'committed' && !isSuspended))
  const mustWait = isNotAsWritten || ((!advance || isSuspended) && (!isAcknowledged || isSaidByCommits))
  // cluster.yaml may ask for another release by now, but what the tree holds is still to be applied
  const isHeld = (isSuspended || isNotAsWritten) && className !== addons && next.action === 'class'
  const isAwaited = awaited.length > 0 && !isAcknowledged && moves[0] !== undefined && goesOn(state, moves[0])
  if (isAwaited || (mustWait && (isWritten || isHeld))) {
    return {
      ...common,
      due: waitingStep(state, cluster, {
        version,
        isSuspended,
        isTurned,
        gaps,
        awaited: isAwaited ? awaited : [],
        mendedBy,
        commitState,
      }),
      then: steps,
      content: 'rendered',
      clusterObject: className === addons ? 'as-is' : 'held',
      target: cluster.className,
      classes: [className],
    }
  }
  return {
    ...common,
    due: suspends === 'all' && rest.length > 0 ? suspendedStep(next, cluster) : next,
    then: rest,
    content: 'rendered',
    // the class that it is at may not know what cluster.yaml says for the next one
    clusterObject: next.action === 'addons' && className !== cluster.className ? 'held' : 'as-is',
    ...(rest.length > 0 && { target: cluster.className }),
    classes: [...new Set([className, next.className ?? className])],
  }
}

/** True if a step builds on the one before: it is no other release of the addons that are there. */
function goesOn({ addons }: ReleaseState, next: UpgradeMove): boolean {
  if (next.action === 'class') return true
  const [from, to] = [parseClassName(addons).kubernetes, parseClassName(next.addons).kubernetes]
  return to.major > from.major || (to.major === from.major && to.minor > from.minor)
}

/** To write it now would be the opposite of what was asked for. */
function nothingToFreeze(
  { namespace, name, options, classAt }: Cluster,
  { lost, isUncommitted = false, isShallow = false }: StepOptions,
): StackmasonError {
  const problem = { code: 'FREEZE_NOTHING', severity: 'error', at: options?.frozenAt ?? classAt } as const
  const file = inputPath({ namespace, name }, 'options.yaml')
  if (isUncommitted)
    return new StackmasonError({
      ...problem,
      message: `${namespace}/${name} is frozen, but its files are in no commit: nothing shows what the GitOps tool applies`,
      hint: `Commit the rendered tree, which .gitignore must not leave out, and render again; or remove \`freeze\` from ${file} until then.`,
    })
  if (lost === undefined && isShallow)
    return new StackmasonError({
      ...problem,
      message: `${namespace}/${name} is frozen, but the committed tree holds nothing of it, and this shallow clone has no earlier commit`,
      hint: `Fetch the earlier commits (\`git fetch --unshallow\`; in CI check out with the whole history), and render again: if one of them has it, this names it.`,
    })
  if (lost === undefined)
    return new StackmasonError({
      ...problem,
      message: `${namespace}/${name} is frozen, but the committed tree holds nothing of it that could stay as it is`,
      hint: `Remove \`freeze\` from ${file}, render and commit; then freeze it.`,
    })
  const { commit, restore } = lost
  return new StackmasonError({
    ...problem,
    message: `${namespace}/${name} is frozen, but the tree has lost what is to stay as it is: commit ${commit} still has it`,
    hint: `Run \`${restore}\`, commit that, and render again.`,
  })
}

/**
 * A Cluster of that name may still be going, with machines that the new one would take for its own; and what lies
 * beside it is the old one's.
 */
function underWay({ namespace, name, options, classAt }: Cluster): StackmasonError {
  const file = inputPath({ namespace, name }, 'options.yaml')
  return new StackmasonError({
    code: 'DECOMMISSION_UNDER_WAY',
    severity: 'error',
    message:
      `${namespace}/${name} cannot be recreated: its decommission has taken the Cluster out of the tree and has not ended` +
      (options?.isFrozen === true ? ', and there is nothing left to freeze' : ''),
    at: classAt,
    hint:
      `Write \`decommission: {step: finish}\` into ${file} and render to its end, each step committed and applied. ` +
      'Then remove it: the next render makes a new cluster. What is deleted does not come back.',
  })
}

function step(action: StepAction, state: ReleaseState, summary: string): ClusterStep {
  return { action, className: state.className, addons: state.addons, summary, before: [] }
}

function describeMove(move: UpgradeMove, cluster: Cluster, { isLast }: { readonly isLast: boolean }): ClusterStep {
  const { major, minor } = parseClassName(move.className).kubernetes
  const version =
    move.className === cluster.className
      ? `, version ${cluster.version}`
      : ` and the version that it is made for, one of v${major}.${minor}`
  const summaries = {
    addons: `addons of ${move.addons}; the Cluster stays at ${move.className}`,
    class: `class ${move.className}${version}`,
  }
  const { action, className, addons } = move
  return { action, className, addons, summary: summaries[action], before: isLast ? [] : checksAfter(action, cluster) }
}

/** A step that the GitOps tool leaves alone until the cluster is resumed. */
function suspendedStep(due: ClusterStep, cluster: Cluster): ClusterStep {
  const resume = `Remove \`suspend\` from ${inputPath(cluster, 'options.yaml')}, render and commit: until then the cluster is suspended, and nothing applies this step.`
  return { ...due, before: [resume, ...checksAfter(due.action === 'addons' ? 'addons' : 'class', cluster, 'that')] }
}

function waitingStep(
  state: ReleaseState,
  cluster: Cluster,
  {
    version,
    isSuspended,
    isTurned,
    gaps,
    awaited,
    mendedBy,
    commitState,
  }: Pick<Required<StepOptions>, 'isSuspended' | 'isTurned' | 'gaps' | 'awaited' | 'mendedBy' | 'commitState'> & {
    readonly version: string
  },
): ClusterStep {
  const isBetween = state.className !== state.addons
  const field = isBetween ? `addonsApplied: ${state.addons}` : `clusterRolledOut: ${state.className}`
  const file = inputPath(cluster, 'options.yaml')
  // the next run asks the commit: what that does not hold nobody can acknowledge
  const mustCommit = commitState === 'uncommitted'
  const canAcknowledge = gaps.length === 0 && !isTurned && !mustCommit
  const isToBeSuspended = cluster.options?.isSuspended === true
  const lead = [
    ...(mustCommit ? ['No commit has this step: commit it.'] : []),
    ...tellGaps(gaps, mendedBy, { isInTheWay: isTurned && isToBeSuspended }),
  ]
  const suspending =
    'This run suspends the cluster, so the upgrade waits. ' +
    `For it to go on, remove \`suspend\` from ${file}, render and commit; the next step is written after that.`
  return {
    action: 'wait',
    ...state,
    summary: isBetween
      ? `addons of ${state.addons}; the Cluster stays at ${state.className} ${version}`
      : `class ${state.className}, version ${version}`,
    // what is to hold before the next step is asked of the run that resumes the cluster
    before:
      isTurned && isToBeSuspended
        ? [...lead, suspending]
        : [
            ...lead,
            ...(isSuspended
              ? [
                  'The committed tree suspends the cluster, so this step is not applied: ' +
                    (isToBeSuspended
                      ? `remove \`suspend\` from ${file}, render and commit; `
                      : 'commit what this run writes, which resumes it; ') +
                    'the next step is written after that.',
                ]
              : []),
            ...awaited,
            ...checksAfter(isBetween ? 'addons' : 'class', cluster, gaps.length > 0 || isSuspended ? 'that' : 'this'),
            // what lacks nobody can acknowledge
            canAcknowledge && awaited.length > 0
              ? `The next step follows then. If you have checked all of this yourself, write \`${field}\` under spec.upgrade in ${file}.`
              : canAcknowledge && commitState === 'committed' && isSuspended
                ? `Then render again. If you have applied this step by hand instead, write \`${field}\` under spec.upgrade in ${file}.`
                : canAcknowledge && commitState === 'nowhere'
                  ? `Then render again; if this step is in no commit, write \`${field}\` under spec.upgrade in ${file} first.`
                  : 'Then render again.',
          ],
  }
}

/** The conditions that must hold before the next step is committed. */
function checksAfter(action: UpgradeMove['action'], { name }: Cluster, commit = 'this'): readonly string[] {
  const addons = `The GitOps tool has applied ${commit} commit's addons of ${name}: ${unitWords.ready}, and so are the addons' pods.`
  const machines = `Cluster ${name} has rolled out: every machine is at the version of the Cluster, and its condition TopologyReconciled is true.`
  return action === 'addons' ? [addons] : [machines]
}
