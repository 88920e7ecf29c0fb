import type { Diagnostic } from '../../model/diagnostic.ts'
import type { BranchCommit } from '../../model/git-writer.ts'
import type { HeadState } from './head-state.ts'

/** Tells that a branch is left, and who has changed it. */
export function branchChanged(head: string, { by }: HeadState & { readonly by: BranchCommit }): Diagnostic {
  return {
    code: 'PUBLISH_BRANCH_CHANGED',
    severity: 'warning',
    message: `branch ${head} is left as it is: commit ${by.commit.slice(0, 12)} on it is by ${by.author}, or was changed since we made it`,
    hint: 'Merge the pull request, or take that commit off its branch.',
  }
}
