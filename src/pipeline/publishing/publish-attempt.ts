import { joinPath } from '../../codec/path.ts'
import type { CommittedFile, PublishTree } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { commitMessage, type PublishedFile } from '../../publish/commit-message.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit, pushProblem } from './publish-problem.ts'
import type { SourceChange, TreeFile } from './source-change.ts'

/** Who makes commits in CI where git has nobody. */
export interface Committer {
  readonly name: string
  readonly email: string
}

/** The files of a rendered tree, in the repository that takes it. */
export function placedFiles(
  { inputs }: Pick<SourceChange, 'inputs'>,
  files: readonly TreeFile[],
  { path }: Pick<PreparedSource, 'path'>,
): { readonly files: readonly PublishedFile[]; readonly committed: readonly CommittedFile[] } {
  const placed = files.map(({ path: name, change, from }) => ({
    path: path === '' ? name : joinPath(path, name),
    change,
    from,
  }))
  const all = [...placed, ...inputs.map((file) => ({ ...file, change: 'changed' as const }))]
  return { files: all.map(({ path: name, change }) => ({ path: name, change })), committed: all }
}

/** What a commit is made of. */
export interface CommitRequest {
  readonly prepared: PreparedSource
  readonly committed: readonly CommittedFile[]
  readonly text: string
  readonly digest: string | undefined
  readonly fallback: Committer | undefined
}

/** The tree that the branch would have. */
export function wantedTree(
  { prepared, committed }: Pick<CommitRequest, 'prepared' | 'committed'>,
  ports: Ports,
): Promise<string> {
  const { remote, target } = prepared
  return askingGit(remote.url, () => ports.gitWriter.makeTree(remote.repository, { base: target, files: committed }))
}

/** Makes the commit on top of the branch. @throws StackmasonError PUBLISH_IDENTITY, PUBLISH_SIGNATURE, GIT_FAILED */
export async function makeCommit(request: CommitRequest, tree: string, ports: Ports): Promise<string> {
  const { prepared, text, digest, fallback } = request
  const { remote, target, source } = prepared
  return askingGit(remote.url, () =>
    ports.gitWriter.commit(remote.repository, {
      tree,
      parents: target === undefined ? [] : [target],
      message: commitMessage(text, { source, tree, digest }),
      ...(fallback !== undefined && { fallback }),
    }),
  )
}

/**
 * Moves a branch of the repository that takes the tree. @returns whether somebody was faster
 * @throws StackmasonError PUBLISH_PROTECTED, PUBLISH_PERMISSION, PUBLISH_REFUSED, FETCH_*, GIT_FAILED
 */
export async function pushCommit(
  { remote }: Pick<PreparedSource, 'remote'>,
  push: {
    readonly branch: string
    readonly commit: string
    readonly expected: string | undefined
    readonly mode: 'fast-forward' | 'lease'
  },
  { gitWriter }: Ports,
): Promise<'pushed' | 'outdated'> {
  const result = await askingGit(remote.url, () => gitWriter.push(remote, push))
  if (result.status === 'pushed' || result.status === 'outdated') return result.status
  throw pushProblem({ status: result.status, message: result.message }, push.branch)
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
