import type { PullRequest, PullRequestChange } from '../../model/forge.ts'

/** The marks of drafts in a title: `WIP:` and `[WIP]` on Gitea, `Draft:`, `[Draft]` and `(Draft)` on GitLab. */
const mark = /^\s*(?:(?:wip|draft):|\[(?:wip|draft)\]|\(draft\))\s*/i

/** A title without what marks a draft. */
export function plainTitle(title: string): string {
  const rest = title.replace(mark, '')
  return rest === '' ? title : rest
}

/** A title of a forge on which the title makes the draft. */
export function draftTitle(
  title: string,
  { isDraft, prefix }: { readonly isDraft: boolean; readonly prefix: string },
): string {
  return isDraft ? prefix + title : title
}

/** The title to write on such a forge for a change; undefined where neither title nor draft changes. */
export function changedTitle(
  current: Pick<PullRequest, 'title' | 'isDraft'>,
  { title, isDraft }: Pick<PullRequestChange, 'title' | 'isDraft'>,
  prefix: string,
): string | undefined {
  if (title === undefined && isDraft === undefined) return undefined
  return draftTitle(title ?? current.title, { isDraft: isDraft ?? current.isDraft, prefix })
}
