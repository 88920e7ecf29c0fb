import type { BranchCommit } from '../model/git-writer.ts'
import type { Crypto } from '../model/ports.ts'
import type { PublishConfig } from '../model/publish-config.ts'
import { isHeadOfAny } from './head-branch.ts'
import { findForeign } from './own-commits.ts'

/**
 * Why the branch of a pull request is no author's: it is the one that the fleet is published from or into, or it is
 * that of a proposal, of this fleet or another one.
 */
export type KeptBranch = 'base' | 'proposal'

/** The branch of a pull request. */
export interface AskedBranch {
  readonly head: string
  /** The branch that the pull request goes into. */
  readonly base: string
  readonly defaultBranch: string | undefined
  readonly publish: Pick<PublishConfig, 'base' | 'branch' | 'branchPrefix' | 'repository'>
  /** Those that the pull request brings. */
  readonly commits: readonly BranchCommit[]
}

/** Why nothing may be pushed into the branch of a pull request; undefined for one of an author. */
export function keptBranch(
  { head, base, defaultBranch, publish, commits }: AskedBranch,
  crypto: Crypto,
): KeptBranch | undefined {
  const source = publish.base ?? defaultBranch
  const isOwn = head === source || (publish.repository === undefined && head === publish.branch)
  if (isOwn) return 'base'
  const bases = source === undefined ? [base] : [base, source]
  // another fleet may have another prefix
  const isAllOurs = commits.length > 0 && findForeign(commits, crypto) === undefined
  return isAllOurs || isHeadOfAny(publish.branchPrefix, bases, head) ? 'proposal' : undefined
}
