import { markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import { countChanges } from '../tree-change/format-diff.ts'
import { cutText, formatHeadline, headlineParts } from './headline.ts'
import { type Section, single } from './pack-sections.ts'
import type { PublishedChange, PullRequestFacts } from './pull-request-facts.ts'
import { ranks } from './ranks.ts'

/** Characters of the first sentence, the fewest first. */
const SENTENCES = [120, 600] as const

/** The change in a sentence, and its counts. */
export function summarySection(
  { change, findings, steps }: PublishedChange,
  { draft }: Pick<PullRequestFacts, 'draft'>,
): Section {
  const parts = headlineParts(change, steps)
  const [short, long] = SENTENCES.map((most) => `**${markdownText(sentence(formatHeadline(parts, most)))}**`)
  const count = (severity: string): number =>
    findings.filter((finding) => finding.severity === severity && finding.acknowledgement === undefined).length
  const accepted = findings.filter(({ acknowledgement }) => acknowledgement !== undefined).length
  const counts = [
    countChanges(change),
    ...(count('error') > 0 ? [plural(count('error'), 'error')] : []),
    ...(count('warning') > 0 ? [plural(count('warning'), 'warning')] : []),
    ...(accepted > 0 ? [`${String(accepted)} acknowledged`] : []),
  ]
  const all = `${counts.join(', ')}.`
  if (draft !== undefined) {
    const warning = `**Do not merge this: ${markdownText(cutText(draft, SENTENCES[1]))}**`
    return single([{ rank: ranks.summary[0], text: `${warning}\n\n${all}` }])
  }
  return single([
    { rank: ranks.summary[0], text: all },
    { rank: ranks.summary[1], text: `${short ?? ''}\n\n${all}` },
    { rank: ranks.summary[2], text: `${long ?? ''}\n\n${all}` },
  ])
}

/** Begins with a capital where it begins with a word of ours. */
function sentence(text: string): string {
  return text.replace(/^(?:deletes|changes|new|leaves) /, (word) => word.charAt(0).toUpperCase() + word.slice(1))
}
