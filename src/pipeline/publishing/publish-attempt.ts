import { joinPath } from '../../codec/path.ts'
import type { StackmasonError } from '../../model/diagnostic.ts'
import type { BranchPush, CommittedFile, PlannedTree, PublishTree } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { blockingBranch } from '../../publish/blocking-branch.ts'
import { commitMessage, type PublishedFile } from '../../publish/commit-message.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit, blockedProblem, pushProblem, type PushPurpose } from './publish-problem.ts'
import type { SourceChange, TreeFile } from './source-change.ts'

/** Who makes commits in CI where git has nobody. */
export interface Committer {
  readonly name: string
  readonly email: string
}

/** The files of a rendered tree, in the repository that takes it. */
export function targetFiles(
  { inputs }: Pick<SourceChange, 'inputs'>,
  files: readonly TreeFile[],
  { path }: Pick<PreparedSource, 'path'>,
): { readonly files: readonly PublishedFile[]; readonly committed: readonly CommittedFile[] } {
  const rendered = files.map(({ path: name, change, from }) => ({
    path: path === '' ? name : joinPath(path, name),
    change,
    from,
  }))
  const all = [...rendered, ...inputs.map((file) => ({ ...file, change: 'changed' as const }))]
  return { files: all.map(({ path: name, change }) => ({ path: name, change })), committed: all }
}

/** The inputs of a commit. */
export interface CommitRequest {
  readonly tree: PlannedTree
  readonly text: string
  readonly digest: string | undefined
  readonly fallback: Committer | undefined
}

/** The trees that the branch would have, in order. */
export function wantedTrees(
  { remote, target }: Pick<PreparedSource, 'remote' | 'target'>,
  committed: readonly (readonly CommittedFile[])[],
  { gitWriter }: Ports,
): Promise<readonly PlannedTree[]> {
  const changes = committed.map((files) => ({ base: target, files }))
  return askingGit(remote.url, () => gitWriter.planTrees(remote.repository, changes))
}

/** Makes commits on top of the branch. @throws StackmasonError PUBLISH_IDENTITY, PUBLISH_SIGNATURE, GIT_FAILED */
export async function makeCommits(
  { remote, target, source, file }: Pick<PreparedSource, 'remote' | 'target' | 'source' | 'file'>,
  requests: readonly CommitRequest[],
  { gitWriter, crypto }: Ports,
): Promise<readonly string[]> {
  const commits = requests.map(({ tree, text, digest, fallback }) => ({
    tree,
    parents: target === undefined ? [] : [target],
    message: commitMessage(text, { source, fleet: file, tree: tree.id, digest }, crypto),
    ...(fallback !== undefined && { fallback }),
  }))
  return askingGit(remote.url, () => gitWriter.commit(remote.repository, commits))
}

/** Where branches are pushed to, and what for. */
interface PushPlace extends Pick<PreparedSource, 'remote' | 'branches'> {
  readonly purpose: PushPurpose
}

/** The outcome of a push: `outdated` where another push was first, else why it was refused. */
export type PushOutcome = 'pushed' | 'outdated' | StackmasonError

/**
 * Moves branches of the repository that takes the tree, as many together as its forge likes; what became of each, in
 * order. @throws StackmasonError FETCH_*, GIT_FAILED
 */
export async function pushBranches(
  { remote, branches, purpose, atOnce }: PushPlace & { readonly atOnce: number },
  pushes: readonly BranchPush[],
  ports: Ports,
): Promise<readonly PushOutcome[]> {
  const outcomes = new Map<BranchPush, PushOutcome>()
  for (const push of pushes) {
    const isNew = push.commit !== undefined && push.expected === undefined
    const blocking = isNew ? blockingBranch(push.branch, branches) : undefined
    if (blocking !== undefined) outcomes.set(push, blockedProblem(push.branch, blocking))
  }
  const free = pushes.filter((push) => !outcomes.has(push))
  for (let at = 0; at < free.length; at += atOnce) {
    const some = free.slice(at, at + atOnce)
    const ends = await pushTogether({ remote, purpose }, some, ports)
    for (const [index, push] of some.entries()) outcomes.set(push, ends[index] ?? 'outdated')
  }
  return pushes.map((push) => outcomes.get(push) ?? 'outdated')
}

/** A hook that does not want one of them refuses all that come with it, so then each is pushed alone. */
async function pushTogether(
  { remote, purpose }: Omit<PushPlace, 'branches'>,
  pushes: readonly BranchPush[],
  ports: Ports,
): Promise<readonly PushOutcome[]> {
  const results = await askingGit(remote.url, () => ports.gitWriter.push(remote, pushes))
  const outcomes: PushOutcome[] = []
  for (const [index, push] of pushes.entries()) {
    const result = results[index] ?? { status: 'outdated' as const, message: '' }
    if (result.status === 'pushed' || result.status === 'outdated') outcomes.push(result.status)
    else if (pushes.length === 1) outcomes.push(pushProblem({ ...result, status: result.status }, { ...push, purpose }))
    else outcomes.push(...(await pushTogether({ remote, purpose }, [push], ports)))
  }
  return outcomes
}

/** Runs work with a work tree that is gone afterwards. */
export async function withTree<Result>(
  { tree }: { readonly tree: PublishTree },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } finally {
    await tree.remove()
  }
}
