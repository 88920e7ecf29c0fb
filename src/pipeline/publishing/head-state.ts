import type { BranchCommit } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { findForeign } from '../../publish/own-commits.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit } from './publish-problem.ts'
import { refuseNamesake } from './refuse-namesake.ts'

/** How far back a branch of ours is looked at: it has one commit, unless people push to it. */
const MAX_COMMITS = 100

/** The state of the branch of a pull request. */
export type HeadState =
  /** `current`: merged, it makes what is wanted. */
  | { readonly kind: 'none' | 'current' | 'stale'; readonly commit: string | undefined }
  /** Somebody else has put a commit there, or changed ours. */
  | { readonly kind: 'foreign'; readonly commit: string; readonly by: BranchCommit }

/** A branch of a pull request, and the tree that the base is to have by it. */
export interface WantedHead {
  readonly head: string
  readonly wanted: string
}

/** Looks at branches of pull requests; the states are in order. @throws StackmasonError WRITE_OTHER_FLEET */
export async function readHeadStates(
  prepared: Pick<PreparedSource, 'remote' | 'source' | 'file' | 'target' | 'others'>,
  heads: readonly WantedHead[],
  ports: Ports,
): Promise<readonly HeadState[]> {
  const {
    remote: { repository },
    target,
    others,
  } = prepared
  const { gitWriter, crypto } = ports
  const tips = heads.flatMap(({ head }) => others.get(head) ?? [])
  const read = await gitWriter.commitsOfBranches(repository, { from: target, to: tips, limit: MAX_COMMITS })
  const commitsOf = new Map(tips.map((tip, index) => [tip, read[index] ?? []]))
  for (const { head } of heads)
    await refuseNamesake({ ...prepared, branch: head, commits: commitsOf.get(others.get(head) ?? '') ?? [] }, ports)
  // somebody has merged something since, and git is asked what the merges would be
  const apart =
    target === undefined
      ? []
      : tips.filter((tip) => {
          const commits = commitsOf.get(tip) ?? []
          return commits.length > 0 && findForeign(commits, crypto) === undefined && !isOnTop(commits, target)
        })
  const merged = target === undefined ? [] : await gitWriter.mergedTrees(repository, target, apart)
  const mergedOf = new Map(apart.map((tip, index) => [tip, merged[index]]))
  return heads.map(({ head, wanted }): HeadState => {
    const commit = others.get(head)
    if (commit === undefined) return { kind: 'none', commit }
    const commits = commitsOf.get(commit) ?? []
    const by = findForeign(commits, crypto)
    if (by !== undefined) return { kind: 'foreign', commit, by }
    const [newest] = commits
    if (target === undefined || newest === undefined) return { kind: 'stale', commit }
    const made = mergedOf.has(commit) ? mergedOf.get(commit) : newest.tree
    return { kind: made === wanted ? 'current' : 'stale', commit }
  })
}

/** True if commits, newest first, stand on another in a line. */
function isOnTop(commits: readonly BranchCommit[], base: string): boolean {
  return commits.every(
    ({ parents: [first, ...more] }, index) => more.length === 0 && first === (commits[index + 1]?.commit ?? base),
  )
}

/**
 * True if a branch is elsewhere by now, or the branch that it is to be merged into. @throws StackmasonError FETCH_*,
 * GIT_FAILED
 */
export async function hasMoved(
  { remote, target, branch }: Pick<PreparedSource, 'remote' | 'target' | 'branch'>,
  { head, commit }: { readonly head: string; readonly commit: string | undefined },
  { gitWriter }: Ports,
): Promise<boolean> {
  const { refs } = await askingGit(remote.url, () => gitWriter.listRemote(remote))
  return refs.get(`refs/heads/${head}`) !== commit || refs.get(`refs/heads/${branch}`) !== target
}
