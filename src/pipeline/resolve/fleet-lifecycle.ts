import { joinPath } from '../../codec/path.ts'
import { deletionMarks, isSuspendedInTree, releaseUnits } from '../../handoff/committed-units.ts'
import { findPastAcknowledgement } from '../../handoff/steps/acknowledgement-state.ts'
import {
  findLoweredVersion,
  findNeedlessDenial,
  findRevertedVersion,
  type VersionContext,
} from '../../handoff/steps/find-lowered-version.ts'
import { findMergeUnderWay, isSameStep } from '../../handoff/steps/find-merge-under-way.ts'
import { findOrphans, type TreeCluster } from '../../handoff/steps/find-orphans.ts'
import {
  beganThere,
  findNeedlessStart,
  findRestoredCluster,
  findUnfinished,
  linesThatCount,
  mayBeLostBeside,
  wasAway,
} from '../../handoff/steps/find-restored-cluster.ts'
import { findUnapplied, isBetweenSteps } from '../../handoff/steps/find-unapplied.ts'
import { findStepsTogether } from '../../handoff/steps/find-steps-together.ts'
import { ifBehind } from '../../handoff/steps/if-behind.ts'
import { type CommitState, planSteps, type StepOptions } from '../../handoff/steps/plan-steps.ts'
import { refuseClassNamespace } from '../../handoff/steps/refuse-class-namespace.ts'
import { refuseStackChange } from '../../handoff/steps/refuse-stack-change.ts'
import { findMovesTogether } from '../../handoff/units/find-moves-together.ts'
import { clusterSubject, type Diagnostic, StackmasonError, withSubject } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { GitError, type OpenMerge, shortCommit } from '../../model/git.ts'
import type { CommittedAddons } from '../../model/handoff.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { sharingParts } from '../../model/sharing-parts.ts'
import { formatClassName, formatTag, parseClassName } from '../../model/release-name.ts'
import { clusterTree, handoffFolder } from '../../model/tree-path.ts'
import type { StepPlan, CommittedCluster, EarlierCluster, EarlierStart } from '../../model/steps.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import type { ClustersBeside, EarlierClusters } from '../../sources/committed/earlier-clusters.ts'
import { type EarlierStarts, readEarlierStarts } from '../../sources/committed/earlier-starts.ts'
import {
  type TreeSelection,
  type CommittedTree,
  openCommittedTree,
  type StepGap,
  UNSHALLOW,
} from '../../sources/committed/committed-tree.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import { gitProblem, type TreeRevision } from '../../sources/committed/tree-files.ts'
import { findCommittedTree } from '../fleet/find-committed-tree.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import { type FleetPart, handoffFolders } from '../fleet/fleet-part.ts'
import type { SelectedReleases } from './selected-releases.ts'
import { type AskingFleet, stackOf } from './way-to-lock.ts'

/** Where one cluster stands on its way, and what this run writes of it. */
export interface ClusterLifecycle {
  readonly plan: StepPlan
  readonly committed: CommittedCluster | undefined
  /** Where that comes from: of a cluster that stays as it is committed, from the commit, whatever lies on disk. */
  readonly tree: CommittedTree
  /** The other inputs of the plan. */
  readonly options: StepOptions
  /** The release that its addons are rendered from. */
  readonly release: NeededRelease
}

/** The steps of the clusters of a run. */
export interface FleetLifecycle {
  readonly tree: CommittedTree
  readonly clusters: ReadonlyMap<Cluster, ClusterLifecycle>
  /** Releases that are needed because the tool may still be using their classes. */
  readonly needed: readonly NeededRelease[]
  /** Every cluster that the tree has, also where this run does not look. */
  readonly known: readonly TreeCluster[]
  /** Names of every class that the tree has a cluster or the addons of one at, also where this run does not look. */
  readonly committedClasses: readonly string[]
  /**
   * Clusters whose committed tree has gone back, and what to say when a release that this run needs of them is gone.
   */
  readonly stuckReverts: readonly StuckRevert[]
  readonly findings: readonly Diagnostic[]
  readonly problems: readonly Diagnostic[]
}

/** A cluster that cannot go forward from where a revert has brought its tree without the releases of these classes. */
export interface StuckRevert {
  readonly classes: readonly string[]
  readonly namespace: string
  readonly problem: Diagnostic
}

/**
 * Plans what this run writes of each cluster, from what is committed of it. `revision.from` is `disk` for --check,
 * which asks whether the tree itself is right, and, with `revision.base`, whether it is one step away from that.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED, FILE_UNREADABLE
 */
export async function planLifecycle(
  repository: FleetRepository,
  part: FleetPart,
  selection: SelectedReleases,
  { revision, isLocked, ports }: { readonly revision: TreeRevision; readonly isLocked: boolean; readonly ports: Ports },
): Promise<FleetLifecycle> {
  const { fleet } = repository
  const output = joinPath(fleet.root, fleet.output)
  const selected = { ...revision, only: part.only }
  const tree = await openCommittedTree(output, selected, ports)
  const { base } = selected
  const replaced =
    selected.from === 'disk' && base !== undefined
      ? await openCommittedTree(output, { ...selected, from: 'commit' }, ports)
      : undefined
  let opened: Promise<CommittedTree> | undefined
  let lastOpened: Promise<CommittedTree> | undefined
  const kept = (): Promise<CommittedTree> =>
    (opened ??= selected.from === 'commit' ? Promise.resolve(tree) : openCommit(tree, { output, selected, ports }))
  const last = (): Promise<CommittedTree> =>
    base === undefined
      ? kept()
      : (lastOpened ??= openCommit(tree, { output, selected: { ...selected, base: undefined }, ports }))
  const history = await tree.earlier()
  let read: Promise<EarlierClusters> | undefined
  const past = (): Promise<EarlierClusters> => (read ??= tree.past())
  let lastRead: Promise<EarlierClusters> | undefined
  const beforeLast = (): Promise<EarlierClusters> => (lastRead ??= last().then((newest) => newest.earlier()))
  const besideOf = new Map<CommittedTree, Promise<ClustersBeside>>()
  /** The lines of commits that tell of the loss of a cluster; `first` is what their last commit has of it. */
  const linesOf = async (
    cluster: Cluster,
    { of, line, first = [] }: CommitLine,
  ): Promise<readonly (readonly EarlierCluster[])[]> => {
    if (!mayBeLostBeside(line)) return [line]
    const known = besideOf.get(of) ?? of.beside()
    besideOf.set(of, known)
    const beside = (await known)(cluster)
    return linesThatCount(
      line,
      beside.map(({ turn, states }) => ({ turn, states: [...first, ...states] })),
    )
  }
  /** The states in commits of a cluster that the tree lacks: before the base, and before the last commit. */
  const beforeNew = async (
    cluster: Cluster,
    committed: CommittedCluster | undefined,
  ): Promise<readonly (readonly EarlierCluster[])[]> => {
    const first = selected.from === 'disk' ? [] : [{ commit: base ?? 'HEAD', committed }]
    const before = [...first, ...(await past())(cluster)]
    const lines = await linesOf(cluster, { of: tree, line: before, first })
    if (base === undefined) return lines
    const newest = await last()
    const now = [{ commit: 'HEAD', committed: newest.cluster(cluster) }]
    const line = [...now, ...(await beforeLast())(cluster)]
    return [...lines, ...(await linesOf(cluster, { of: newest, line, first: now }))]
  }
  let asked: Promise<EarlierStarts> | undefined
  /** Few clusters were ever away. */
  const startsOf = async (cluster: Cluster, states: readonly EarlierCluster[]): Promise<readonly EarlierStart[]> =>
    wasAway(states) ? (await (asked ??= startsAt(fleet.root, output, ports)))(cluster) : []
  const merge = base === undefined ? await openMerge(repository, selected, ports) : undefined
  const clusters = new Map<Cluster, ClusterLifecycle>()
  const needed = new Map<string, NeededRelease>()
  const problems: Diagnostic[] = []
  const findings: Diagnostic[] = []
  const stuckReverts: StuckRevert[] = []
  let alike: Pick<ClusterLifecycle, 'plan' | 'options' | 'committed'> | undefined
  for (const cluster of part.clusters) {
    const own = selection.byCluster.get(cluster)
    if (own === undefined) continue
    try {
      const found = tree.cluster(cluster)
      if (selected.from === 'disk') {
        const earlier =
          replaced === undefined || base === undefined
            ? history(cluster)
            : [{ commit: base, committed: replaced.cluster(cluster) }]
        const judgeLines = async (line: readonly EarlierCluster[]): Promise<Diagnostic | undefined> => {
          for (const states of found?.object === undefined ? [] : await linesOf(cluster, { of: tree, line })) {
            const starts = await startsOf(cluster, states)
            const wrong = findRestoredCluster(cluster, found, { earlier: states, from: 'history', starts })
            if (wrong !== undefined) return wrong
          }
          return undefined
        }
        const from = replaced === undefined ? 'history' : 'named'
        const wrong =
          (replaced === undefined
            ? await judgeLines(earlier)
            : findRestoredCluster(cluster, found, { earlier, from, starts: [] })) ??
          judgeTree(cluster, found, { earlier, from }) ??
          // of one that it lacks the commit says nothing
          (replaced !== undefined && replaced.cluster(cluster) === undefined
            ? await judgeLines((await past())(cluster))
            : undefined)
        if (wrong !== undefined) {
          problems.push(ifBehind(withSubject(wrong, clusterSubject(cluster)), base))
          continue
        }
        const isMade = found?.object !== undefined && replaced !== undefined && replaced.cluster(cluster) === undefined
        if (isMade && (await isUnknownBefore(cluster, replaced)))
          findings.push(withSubject(unknownBefore(cluster), clusterSubject(cluster)))
      }
      let taken: CommittedTree | undefined
      const head = merge?.head.cluster(cluster)
      for (const { revision, merged, ancestor } of merge?.sides ?? []) {
        const sides = { head, merged: merged.cluster(cluster), revision, ancestor: ancestor?.cluster(cluster) }
        const unclear = findMergeUnderWay(cluster, sides)
        if (unclear === undefined) continue
        // what git has merged is what that side has
        if (selected.from === 'commit' || !isSameStep(found, sides.merged)) throw new StackmasonError(unclear)
        taken = merged
      }
      const { isFrozen = false, decommission } = cluster.options ?? {}
      const source = isFrozen || decommission !== undefined ? (taken ?? (await kept())) : tree
      // disk is no proof where a commit could be one
      const isProof = !isFrozen || source.isCommit || (await findRepository(output, ports)) === undefined
      const committed = isProof ? source.cluster(cluster) : undefined
      const offered = selection.needed
        .filter(({ namespace }) => namespace === cluster.classNamespace)
        .map(({ name }) => name)
      // only between the steps of an upgrade does it matter
      const isSuspended = committed?.target !== undefined && isSuspendedInTree(await source.handoff(cluster))
      const gaps =
        committed !== undefined && isBetweenSteps(committed)
          ? await gapsOf(cluster, { committed, tree: source, output })
          : []
      const awaited =
        selected.awaited !== undefined && committed !== undefined && isBetweenUpgradeSteps(cluster, committed)
          ? await selected.awaited({
              namespace: cluster.namespace,
              name: cluster.name,
              committed,
              units: releaseUnits(await source.handoff(cluster)),
            })
          : []
      const hasNoUnits = isFrozen && (await source.handoff(cluster)).length === 0
      const lost = isFrozen && committed === undefined ? await source.findLost(cluster) : undefined
      const advance = source.isCommit && (source === tree || !isAtSameStage(found, committed))
      const isMended = part.isWhole || gaps.every(({ path }) => isWrittenFor(part.clusters, path))
      const state = {
        advance,
        isSuspended,
        gaps: gaps.map(({ reason }) => reason),
        awaited,
        mendedBy: isMended ? 'this-run' : 'whole-run',
        hasNoUnits,
        commitState:
          committed !== undefined && isBetweenUpgradeSteps(cluster, committed)
            ? commitStateOf(
                cluster,
                committed,
                source.isCommit ? [source] : [await last(), ...(replaced ? [replaced] : [])],
              )
            : 'nowhere',
      } as const
      const unfinished =
        decommission !== undefined && committed === undefined
          ? findUnfinished(cluster, (base === undefined ? history : await past())(cluster))
          : undefined
      const options = {
        offered,
        isLocked,
        ...state,
        isUnfinished: unfinished !== undefined,
        lost,
        isUncommitted: found !== undefined && !isProof,
        isShallow: isFrozen && committed === undefined && (await source.history()) === 'shallow',
      }
      const plan = planSteps(cluster, committed, options)
      const elsewhere = refuseClassNamespace(cluster, committed, plan)
      if (elsewhere !== undefined) throw new StackmasonError(elsewhere)
      // to write it as a new one would take every step at once
      if (plan.due.action === 'create' && tree.isCommit) {
        await tree.refuseBroken(cluster)
        if (await isUnknownBefore(cluster, tree))
          findings.push(withSubject(unknownBefore(cluster), clusterSubject(cluster)))
      }
      if (
        committed?.object !== undefined &&
        cluster.options?.startOver === undefined &&
        beganThere(history(cluster)) &&
        (await tree.history()) === 'shallow'
      )
        findings.push(withSubject(unknownBefore(cluster), clusterSubject(cluster)))
      const isNew = plan.due.action === 'create'
      // a run that makes a cluster is judged by what it writes, and one that checks by what that run would
      const line = history(cluster)
      const pasts = isNew
        ? await beforeNew(cluster, committed)
        : line.length > 0
          ? await linesOf(cluster, { of: tree, line })
          : [line]
      const judged = isNew ? written(cluster) : committed
      if (isNew || selected.from === 'commit') {
        let restored: Diagnostic | undefined
        for (const earlier of pasts)
          restored ??= findRestoredCluster(cluster, judged, {
            earlier,
            from: 'history',
            starts: await startsOf(cluster, earlier),
          })
        if (restored !== undefined) {
          // of a tree that is not whole there is a nearer way back
          await tree.refuseBroken(cluster)
          throw new StackmasonError(restored)
        }
      }
      if (selected.from === 'commit') {
        const earlier = history(cluster)
        const reached = { committed, plan }
        const reverted = findRevertedVersion(cluster, reached, { earlier, from: 'history' })
        if (reverted !== undefined)
          (reverted.severity === 'error' ? problems : findings).push(withSubject(reverted, clusterSubject(cluster)))
        const stuck = findRevertedVersion(cluster, reached, { earlier, from: 'history' }, 'cannot')
        if (stuck !== undefined && reverted?.severity === 'warning')
          stuckReverts.push({
            classes: plan.classes,
            namespace: cluster.classNamespace,
            problem: withSubject(stuck, clusterSubject(cluster)),
          })
      }
      if (unfinished !== undefined) {
        // files of it that are left say more
        await tree.refuseBroken(cluster)
        findings.push(withSubject(unfinished, clusterSubject(cluster)))
      }
      const pastOne = findPastAcknowledgement(cluster, committed)
      if (pastOne !== undefined) findings.push(withSubject(pastOne, clusterSubject(cluster)))
      if (cluster.options?.neverApplied !== undefined) {
        const needless = findNeedlessDenial(cluster, committed, {
          earlier: history(cluster),
          history: (await tree.history()) === 'whole' && replaced === undefined ? 'whole' : 'part',
        })
        if (needless !== undefined) findings.push(withSubject(needless, clusterSubject(cluster)))
      }
      if (cluster.options?.startOver !== undefined) {
        const isWhole = (await tree.history()) === 'whole' && replaced === undefined
        const needless: (Diagnostic | undefined)[] = []
        for (const earlier of pasts)
          needless.push(
            findNeedlessStart(cluster, judged, {
              earlier,
              from: 'history',
              starts: await startsOf(cluster, earlier),
              history: isWhole ? 'whole' : 'part',
            }),
          )
        const [first] = needless
        if (first !== undefined && !needless.includes(undefined))
          findings.push(withSubject(first, clusterSubject(cluster)))
      }
      const releaseOf = (className: string): NeededRelease => {
        const wanted = neededFor(className, { cluster, own }, { ...repository, ...selection })
        needed.set(`${wanted.namespace}/${className}`, wanted)
        return wanted
      }
      for (const className of plan.classes) releaseOf(className)
      // most clusters are at the same point of their lives
      alike = sharingParts({ plan, options, committed }, alike)
      clusters.set(cluster, { ...alike, tree: source, release: releaseOf(plan.due.addons ?? cluster.className) })
    } catch (error) {
      problems.push(
        ...diagnosticsOf(error).map((finding) => ifBehind(withSubject(finding, clusterSubject(cluster)), base)),
      )
    }
  }
  if (replaced !== undefined && base !== undefined)
    problems.push(...(await movesTogether(repository, part, { before: replaced, after: tree, base })))
  const known = tree.clusters.flatMap((cluster) => {
    const committed = tree.cluster(cluster)
    return committed === undefined ? [] : [{ ...cluster, committed }]
  })
  const committedClasses = known.flatMap(({ committed: { className, addons } }) =>
    [className, addons].filter((name) => name !== undefined),
  )
  const orphans = (part.isWhole ? findOrphans(known, repository.clusters) : []).map((orphan) =>
    orphan.file === undefined ? orphan : { ...orphan, file: joinPath(fleet.root, orphan.file) },
  )
  return {
    tree,
    clusters,
    needed: [...needed.values()],
    known,
    committedClasses,
    stuckReverts,
    findings: [...findings, ...orphans],
    problems,
  }
}

/** The first-parent line that ends at the commit of a tree, as far as it tells of one cluster. */
interface CommitLine {
  readonly of: CommittedTree
  /** Newest first. */
  readonly line: readonly EarlierCluster[]
  readonly first?: readonly EarlierCluster[]
}

const noAddons: CommittedAddons = { units: new Map(), objects: new Map() }

/** Moves between units, and ends of them, that take two commits and that the tree makes in one. */
async function movesTogether(
  { fleet: { handoff } }: FleetRepository,
  { clusters }: FleetPart,
  { before, after, base }: { readonly before: CommittedTree; readonly after: CommittedTree; readonly base: string },
): Promise<readonly Diagnostic[]> {
  if (handoff === undefined) return []
  const marks = deletionMarks[handoff.tool]
  const divided = clusters.filter((cluster) => {
    const isThere = [before, after].every((tree) => tree.cluster(cluster)?.object !== undefined)
    const [old = [], now = []] = [before, after].map((tree) => [...tree.addonUnits(cluster).values()])
    return isThere && (new Set([...old, ...now]).size > 1 || now.length < Math.min(1, old.length))
  })
  const [old, now] = await Promise.all([before.addons(divided, { marks }), after.addons(divided, { marks })])
  return divided.flatMap((cluster) => {
    const key = objectPath(cluster)
    const trees = { before: old.get(key) ?? noAddons, after: now.get(key) ?? noAddons }
    const found = findMovesTogether(cluster, trees, base)
    return found === undefined ? [] : [withSubject(found, clusterSubject(cluster))]
  })
}

/** True if a next step of an upgrade may be due. */
function isBetweenUpgradeSteps({ options }: Cluster, { target, className, addons }: CommittedCluster): boolean {
  const { isFrozen = false, decommission } = options ?? {}
  return !isFrozen && decommission === undefined && (target !== undefined || className !== addons)
}

/** The state that a run writes of a cluster that no tree has. */
function written({ object, className, version }: Cluster): CommittedCluster {
  return { object, className, version, addons: className }
}

/** True if commits before a tree that lacks a cluster may have had one of its name, and nobody says that it is over. */
async function isUnknownBefore({ options }: Cluster, tree: CommittedTree): Promise<boolean> {
  return options?.startOver === undefined && (await tree.pastHistory()) === 'shallow'
}

/** A new cluster, where earlier commits that may have had one of its name are not there. */
function unknownBefore({ namespace, name, classAt }: Cluster): Diagnostic {
  return {
    code: 'HISTORY_SHALLOW',
    severity: 'warning',
    message:
      `${namespace}/${name} is new in this shallow clone: nothing shows whether an earlier commit had it, ` +
      'and as a new one it gets everything at once',
    at: classAt,
    hint: `Fetch the earlier commits (${UNSHALLOW}; in CI check out with the whole history), and render again.`,
  }
}

/** The tree of a commit; that on disk where none can be read. */
async function openCommit(
  tree: CommittedTree,
  { output, selected, ports }: { readonly output: string; readonly selected: TreeSelection; readonly ports: Ports },
): Promise<CommittedTree> {
  try {
    return await openCommittedTree(output, { ...selected, from: 'commit' }, ports)
  } catch (error) {
    // a check needs no git
    if (error instanceof StackmasonError && error.cause instanceof GitError) return tree
    throw error
  }
}

/** The trees on the sides of a merge that is not committed yet. */
interface MergedTrees {
  readonly head: CommittedTree
  readonly sides: readonly MergedTree[]
}

/** The tree of one of the commits that are merged. */
interface MergedTree {
  /** The commit, as git takes it: of several, git knows the first as MERGE_HEAD. */
  readonly revision: string
  readonly merged: CommittedTree
  readonly ancestor: CommittedTree | undefined
}

/** Each tree where its commit has it: one side may have moved it. */
async function openMerge(
  repository: FleetRepository,
  selected: TreeSelection,
  ports: Ports,
): Promise<MergedTrees | undefined> {
  const { root, output: path } = repository.fleet
  const output = joinPath(root, path)
  const merge = await merging(output, ports)
  if (merge === undefined) return undefined
  const file = joinPath(root, 'stackmason.yaml')
  const open = async (base: string): Promise<CommittedTree> => {
    const elsewhere = await findCommittedTree(repository, { file, revision: { base }, output }, ports)
    return openCommittedTree(elsewhere ?? output, { ...selected, from: 'commit', base }, ports)
  }
  const { others } = merge
  const ancestor = merge.ancestor === undefined ? undefined : await open(merge.ancestor)
  const sides = others.map(async (commit) => {
    const revision = others.length === 1 ? 'MERGE_HEAD' : shortCommit(commit)
    return { revision, merged: await open(commit), ancestor }
  })
  return { head: await open('HEAD'), sides: await Promise.all(sides) }
}

async function merging(output: string, { git }: Ports): Promise<OpenMerge | undefined> {
  try {
    return await git.merging(output)
  } catch (error) {
    throw error instanceof GitError ? gitProblem(error, output) : error
  }
}

/** The starts that commits of the inputs name; nothing where the tree has commits of its own. */
async function startsAt(root: string, output: string, ports: Ports): Promise<EarlierStarts> {
  const [inputs, tree] = await Promise.all([findRepository(root, ports), findRepository(output, ports)])
  if (inputs === undefined || inputs !== tree) return () => []
  try {
    return await readEarlierStarts(root, ports)
  } catch (error) {
    throw error instanceof GitError ? gitProblem(error, output) : error
  }
}

/** True if the tree on disk holds the step of a decommission that the commit holds: the next one is not written yet. */
function isAtSameStage(disk: CommittedCluster | undefined, committed: CommittedCluster | undefined): boolean {
  const [one, other] = [disk?.decommission, committed?.decommission]
  return one?.step === other?.step && one?.limit === other?.limit
}

/** Says if one of these commits, as far as they have a tree, holds the same step of a cluster. */
function commitStateOf(cluster: Cluster, step: CommittedCluster, trees: readonly CommittedTree[]): CommitState {
  const commits = trees.filter(({ isCommit }) => isCommit)
  if (commits.length === 0) return 'nowhere'
  const isSame = (held: CommittedCluster | undefined): boolean =>
    (['className', 'addons', 'version', 'target'] as const).every((key) => held?.[key] === step[key])
  return commits.some((tree) => isSame(tree.cluster(cluster))) ? 'committed' : 'uncommitted'
}

/** Why what the tree has of a cluster cannot have been applied whole. */
async function gapsOf(
  cluster: Cluster,
  {
    committed,
    tree,
    output,
  }: { readonly committed: CommittedCluster; readonly tree: CommittedTree; readonly output: string },
): Promise<readonly StepGap[]> {
  const gaps = await tree.gaps(cluster)
  if (gaps.length > 0) return gaps
  const display = (path: string): string => joinPath(output, path)
  const path = handoffFolder(cluster.namespace, cluster.name)
  const objects = await tree.handoff(cluster)
  const unapplied = findUnapplied(cluster, committed, { objects, display }).map((reason) => ({ path, reason }))
  const { className, addons, decommission } = committed
  if (unapplied.length > 0 || decommission !== undefined || addons === undefined || addons === className)
    return unapplied
  // a Cluster must not come to a class that nobody has applied: runs for single clusters write no stack
  return tree.stackGaps(cluster.classNamespace, formatTag(parseClassName(addons)))
}

/** True if a run for these clusters writes the file, or the folder. */
function isWrittenFor(clusters: readonly Cluster[], path: string): boolean {
  return clusters.some((cluster) =>
    [clusterTree(cluster), ...handoffFolders([cluster])].some(
      (folder) => path === folder || path.startsWith(`${folder}/`),
    ),
  )
}

/** The problems of the way from the tree before to the one on disk, whatever the inputs say. */
function judgeTree(
  cluster: Cluster,
  after: CommittedCluster | undefined,
  context: VersionContext,
): Diagnostic | undefined {
  const back = findLoweredVersion(cluster, after, context)
  const [before] = context.earlier
  if (back !== undefined || before === undefined) return back
  const [from, to] = [before.committed?.className, after?.object === undefined ? undefined : after.className]
  const changed = from === undefined || to === undefined ? undefined : refuseStackChange(cluster, from, to)
  if (changed !== undefined || context.from === 'history') return changed
  return findStepsTogether(cluster, { before: before.committed, after }, before.commit)
}

/**
 * The release of a class in the namespace of a cluster's classes: one that was chosen, else one that only the committed
 * tree still speaks of.
 */
function neededFor(
  className: string,
  { cluster, own }: { readonly cluster: Cluster; readonly own: NeededRelease },
  asking: AskingFleet,
): NeededRelease {
  const chosen = asking.needed.find(
    ({ namespace, name }) => namespace === own.namespace && formatClassName(name) === className,
  )
  if (chosen !== undefined) return chosen
  const release = { ...own, name: parseClassName(className) }
  const clusterStack = stackOf(release, asking)
  if (clusterStack === own.clusterStack) return release
  // an upgrade to another minor leaves the ClusterStack, which may be gone
  return clusterStack === undefined
    ? { ...release, at: cluster.classAt }
    : { ...release, clusterStack, at: clusterStack.at }
}
