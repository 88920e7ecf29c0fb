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
