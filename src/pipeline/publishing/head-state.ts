import type { BranchCommit } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { findForeign } from '../../publish/own-commits.ts'
import type { PreparedSource } from './prepare-source.ts'

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
  if (target === undefined || commits.length === 0) return { kind: 'stale', commit }
  const isOnTop = (await gitWriter.mergeBase(repository, target, commit)) === target
  const made = isOnTop
    ? await gitWriter.treeOf(repository, commit, '')
    : await gitWriter.mergedTree(repository, target, commit)
  return { kind: made === wanted ? 'current' : 'stale', commit }
}
