import type { BranchCommit } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { findForeign } from '../../publish/own-commits.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit } from './publish-problem.ts'

/** How far back a branch of ours is looked at: it has one commit, unless people push to it. */
const MAX_COMMITS = 100

/** What stands on the branch of a pull request. */
export type HeadState =
  /** `current`: merged, it makes what is wanted. */
  | { readonly kind: 'none' | 'current' | 'stale'; readonly commit: string | undefined }
  /** Somebody else has put a commit there, or changed ours. */
  | { readonly kind: 'foreign'; readonly commit: string; readonly by: BranchCommit }

/** Looks at the branch of a pull request; `wanted` is the tree that the base is to have. */
export async function readHeadState(
  { remote: { repository }, target, others }: Pick<PreparedSource, 'remote' | 'target' | 'others'>,
  { head, wanted }: { readonly head: string; readonly wanted: string },
  { gitWriter }: Ports,
): Promise<HeadState> {
  const commit = others.get(head)
  if (commit === undefined) return { kind: 'none', commit }
  const commits = await gitWriter.commitsBetween(repository, { from: target, to: commit, limit: MAX_COMMITS })
  const by = findForeign(commits)
  if (by !== undefined) return { kind: 'foreign', commit, by }
  const [newest] = commits
  if (target === undefined || newest === undefined) return { kind: 'stale', commit }
  // seldom: somebody has merged something since, and git is asked what the merge would be
  const made = isOnTop(commits, target) ? newest.tree : await gitWriter.mergedTree(repository, target, commit)
  return { kind: made === wanted ? 'current' : 'stale', commit }
}

/** True if commits, newest first, stand on another in a line. */
function isOnTop(commits: readonly BranchCommit[], base: string): boolean {
  return commits.every(
    ({ parents: [first, ...more] }, index) => more.length === 0 && first === (commits[index + 1]?.commit ?? base),
  )
}

/** True if a branch is elsewhere by now, or the branch that it is to be merged into. @throws StackmasonError FETCH_*, GIT_FAILED */
export async function hasMoved(
  { remote, target, branch }: Pick<PreparedSource, 'remote' | 'target' | 'branch'>,
  { head, commit }: { readonly head: string; readonly commit: string | undefined },
  { gitWriter }: Ports,
): Promise<boolean> {
  const { refs } = await askingGit(remote.url, () => gitWriter.listRemote(remote))
  return refs.get(`refs/heads/${head}`) !== commit || refs.get(`refs/heads/${branch}`) !== target
}
