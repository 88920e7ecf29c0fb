import { docsPageOf } from '../../model/docs-address.ts'
import type { ReportedFinding } from '../describe-finding.ts'
import { formatSubjects } from '../format-subjects.ts'
import { markdownText } from './markdown-text.ts'

/** A finding as an entry of a list in Markdown: its code leads to its page, `where` stands behind the message. */
export function formatFindingEntry(
  { code, message, about, hint, acknowledgement, isNew }: ReportedFinding,
  where: string,
): string {
  const subjects = formatSubjects(about)
  const whom = subjects === '' ? '' : `<br>About ${markdownText(subjects)}.`
  const advice =
    acknowledgement === undefined
      ? markdownText(hint)
      : `Acknowledged until ${markdownText(acknowledgement.until)}: ${markdownText(acknowledgement.reason)}`
  return `**[${markdownText(code)}](${docsPageOf(code)})**${isNew ? ' (new)' : ''} ${markdownText(message)}${where}${whom}<br>${advice}`
}
