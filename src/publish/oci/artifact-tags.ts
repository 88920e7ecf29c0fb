/** Characters of a commit in a tag. */
const SHORT = 12
const MAX_TAG = 128

/** The tag that follows a branch: characters that no tag holds become dashes. */
export function branchTag(branch: string): string {
  const tag = branch.replaceAll(/[^\w.-]/g, '-').slice(0, MAX_TAG)
  return /^[.-]/.test(tag) ? `_${tag.slice(1)}` : tag
}

/** The tag of a commit, which never moves. */
export function commitTag(commit: string): string {
  return commit.slice(0, SHORT)
}
