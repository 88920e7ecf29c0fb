import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { CheckException } from '../../model/check-exception.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { PublishTree, RemoteAccess, RemoteRefs } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { blockingBranch } from '../../publish/blocking-branch.ts'
import type { PublishTarget } from '../../publish/choose-target.ts'
import { findExceptions } from '../fleet/find-exceptions.ts'
import { publishedSource } from './published-source.ts'
import { refuseOtherFleet } from './refuse-other-fleet.ts'
import { accessTo, type FleetCheckout, HISTORY } from './open-checkout.ts'
import { askingGit, blockedProblem } from './publish-problem.ts'

/** The branches of a run as the remotes have them now, and a work tree to render in. */
export interface PreparedSource {
  /** The commit that is rendered. */
  readonly source: string
  /** The stackmason.yaml in it, from the root of the repository. */
  readonly file: string
  /** Where the branch is that takes the tree; undefined: it is not there. */
  readonly target: string | undefined
  /** Its name. */
  readonly branch: string
  /** The repository of that branch. */
  readonly remote: RemoteAccess
  /** The folder of the tree in it. */
  readonly path: string
  /** The newest commit of the branch from which upgrades go on; undefined: it is not there. */
  readonly tip: string | undefined
  /** The commit from whose tree upgrades go on, where that is not the one of the work tree. */
  readonly base: string | undefined
  /** The names of all branches there. */
  readonly branches: readonly string[]
  /** Further branches that were asked for, by name. */
  readonly others: ReadonlyMap<string, string>
  /** At `source`, with the tree of `target` in the output folder. */
  readonly tree: PublishTree
  /** The exceptions from the check that the inputs add since the tree of `target` was rendered; looked up once. */
  readonly exceptions: () => Promise<readonly CheckException[]>
}

/** The questions to the remotes. */
export interface PrepareRequest {
  readonly checkout: FleetCheckout
  readonly target: PublishTarget
  /** The branches of the fleet's own repository. */
  readonly refs: RemoteRefs
  /** Names of further branches of the repository that takes the tree, as far as its own branch is known. */
  readonly others: (branch: string, known: readonly string[]) => readonly string[]
}

/**
 * Fetches what a run is about and adds the work tree that it renders in.
 * @throws StackmasonError PUBLISH_BRANCH_MISSING, PUBLISH_REFUSED, PUBLISH_CHECKOUT, WRITE_OTHER_FLEET, FETCH_*,
 * GIT_FAILED
 */
export async function prepareSource(request: PrepareRequest, ports: Ports): Promise<PreparedSource> {
  const { checkout, target } = request
  const { gitWriter } = ports
  const { remote: home, output } = checkout
  const { elsewhere } = target
  const remote = elsewhere?.repository === undefined ? home : await accessTo(elsewhere.repository, checkout, ports)
  const { refs, defaultBranch } =
    remote === home ? request.refs : await askingGit(remote.url, () => gitWriter.listRemote(remote))
  const branch = target.branch ?? defaultBranch
  if (branch === undefined) throw missing('a default branch', remote)
  const branches = Array.from(refs.keys(), (name) => name.slice('refs/heads/'.length))
  if (!target.isReadOnly && !refs.has(branchRef(branch))) refuseBlocked(branch, branches)
  const others = request.others(branch, branches)
  const own = checkout.facts.branch === undefined ? [] : [branchRef(checkout.facts.branch)]
  const base = target.base === undefined ? [] : [branchRef(target.base)]
  const there = [branchRef(branch), ...others.map(branchRef)].filter((name) => refs.has(name))
  const isHome = remote === home
  const fetched = await askingGit(home.url, () =>
    gitWriter.fetch(home, distinct([target.source, ...base, ...own, ...(isHome ? there : [])]), HISTORY),
  )
  const fetchedThere = isHome
    ? fetched
    : await askingGit(remote.url, () => gitWriter.fetch(remote, distinct(there), HISTORY))
  const source = fetched.get(target.source)
  if (source === undefined) throw missing(sourceName(target.source), home, target.kind)
  const baseCommit = target.base === undefined ? undefined : fetched.get(branchRef(target.base))
  const fetchedSource = {
    source,
    file: checkout.file,
    target: fetchedThere.get(branchRef(branch)),
    tip: target.base === undefined ? fetchedThere.get(branchRef(branch)) : baseCommit,
    branch,
    branches,
    remote,
    path: elsewhere?.path ?? output,
    base: baseCommit && (await gitWriter.mergeBase(home.repository, baseCommit, source)),
    others: new Map(
      others.flatMap((name) => {
        const commit = fetchedThere.get(branchRef(name))
        return commit === undefined ? [] : [[name, commit] as const]
      }),
    ),
  }
  return askingGit(home.url, async () => {
    await gitWriter.complete(home, source, { folder: output, history: HISTORY })
    const commit =
      elsewhere === undefined ? source : await compose(fetchedSource, { checkout, refs: request.refs.refs }, ports)
    const tree = await gitWriter.addTree(home.repository, commit)
    let found: Promise<readonly CheckException[]> | undefined
    const find = async (): Promise<readonly CheckException[]> => {
      const revision = await publishedSource(fetchedSource, { isElsewhere: elsewhere !== undefined }, ports)
      if (revision === undefined) return []
      const file = joinPath(tree.folder, checkout.file)
      const { added } = await findExceptions(file, { before: { revision }, after: 'disk' }, ports)
      return added
    }
    return { ...fetchedSource, tree, exceptions: () => (found ??= askingGit(home.url, find)) }
  })
}

/** @throws StackmasonError PUBLISH_REFUSED */
function refuseBlocked(branch: string, branches: readonly string[]): void {
  const blocking = blockingBranch(branch, branches)
  if (blocking !== undefined) throw blockedProblem(branch, blocking)
}

/**
 * A commit of the fleet's inputs with the tree that the other branch has: so rendering goes on from what is applied.
 * @throws StackmasonError WRITE_OTHER_FLEET
 */
async function compose(
  fetched: Omit<PreparedSource, 'tree' | 'exceptions'>,
  { checkout, refs }: { readonly checkout: FleetCheckout; readonly refs: RemoteRefs['refs'] },
  ports: Ports,
): Promise<string> {
  const { fleet, output, remote: home } = checkout
  const { source, target, remote, path } = fetched
  const { gitWriter } = ports
  const { repository } = remote
  const tree = target === undefined ? undefined : await gitWriter.treeOf(repository, target, path)
  if (target !== undefined) {
    await gitWriter.complete(remote, target, { folder: path === '' ? '.' : path, history: HISTORY })
    await refuseOtherFleet({ ...fetched, target, fleet: fleet.name, home, refs }, ports)
  }
  const planned = await gitWriter.planTrees(repository, [{ base: source, graft: { folder: output, tree }, files: [] }])
  const composed = planned.map((one) => ({
    tree: one,
    // the steps of a cluster go by what the commits before have of it, where the branch has it
    parents: target === undefined ? [] : [target],
    message: 'Inputs of the fleet, and the tree of the branch that takes it\n',
    fallback: { name: 'stackmason', email: 'stackmason@invalid' },
    isSigned: false as const,
  }))
  const [made] = await gitWriter.commit(repository, composed)
  if (made === undefined) throw new Error('git made no commit')
  return made
}

/** Problems of commits in somebody's checkout that no branch of the remote has: what the remote has is published. */
export async function findUnpushed(
  { facts, remote }: FleetCheckout,
  { source, refs, rendered }: { readonly source: string; readonly refs: RemoteRefs['refs']; readonly rendered: string },
  { gitWriter }: Ports,
): Promise<readonly Diagnostic[]> {
  if (facts.commit === undefined) return []
  const commits = distinct([source, ...refs.values()])
  if (commits.includes(facts.commit)) return []
  for (const commit of commits)
    if ((await gitWriter.mergeBase(remote.repository, facts.commit, commit)) === facts.commit) return []
  return [
    {
      code: 'PUBLISH_NOT_PUSHED',
      severity: 'error',
      message: `${shownUrl(remote.url)} does not have the commit that is checked out (${facts.commit.slice(0, 12)}): what it has of ${sourceName(rendered)} is published`,
      hint: `${wayToPush(facts.branch, rendered)} \`--dry-run\` shows what would be published without it.`,
    },
  ]
}

/** The way of a commit of somebody's checkout into the ref that is rendered. */
function wayToPush(branch: string | undefined, rendered: string): string {
  if (branch === undefined) return `Bring it into ${sourceName(rendered)} and push that.`
  if (branchRef(branch) === rendered) return `\`git push\`, and publish again.`
  return (
    `\`git push -u origin ${shellWord(branch)}\`, and let the branch be merged into ${sourceName(rendered)}; ` +
    `or render that branch itself, after the push: \`stackmason publish --branch ${shellWord(branch)}\`.`
  )
}

function sourceName(ref: string): string {
  return ref.replace('refs/heads/', 'branch ')
}

function branchRef(name: string): string {
  return `refs/heads/${name}`
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}

function missing(what: string, { url }: RemoteAccess, kind?: PublishTarget['kind']): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_BRANCH_MISSING',
    severity: 'error',
    message: `${shownUrl(url)} has no ${what.replace(/^a default/, 'default')}`,
    hint: `Push the branch first, or name another one ${kind === 'author' ? 'with --branch' : 'in spec.publish of stackmason.yaml'}.`,
  })
}
