import { formatPlace, type ReportedFinding } from '../describe-finding.ts'

import { formatFindingEntry } from '../forms/finding-entry.ts'
import { markdownCode, markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import { fileAddress } from './file-address.ts'
import { cutText } from './headline.ts'
import type { RankedForm, Section } from './pack-sections.ts'
import type { PullRequestFacts } from './pull-request-facts.ts'
import { FIRST, ranks } from './ranks.ts'
import { reportPointer } from './report-pointer.ts'

/** Characters of a message in its short form. */
const SHORT = 160

/** Errors, then warnings, then what the fleet acknowledges, each with its place. */
export function findingSection(findings: readonly ReportedFinding[], facts: PullRequestFacts): Section {
  const open = findings.filter(({ acknowledgement }) => acknowledgement === undefined)
  const kinds = [
    {
      found: open.filter(({ severity }) => severity === 'error'),
      rank: ranks.errors,
      more: ranks.moreErrors,
      light: '🔴',
    },
    {
      found: open.filter(({ severity }) => severity === 'warning'),
      rank: ranks.warnings,
      more: ranks.moreWarnings,
      light: '🟠',
    },
    {
      found: findings.filter(({ acknowledgement }) => acknowledgement !== undefined),
      rank: ranks.acknowledged,
      more: ranks.moreWarnings,
      light: '⚪',
    },
  ]
  return {
    head: '### Findings\n\n',
    entries: kinds.flatMap(({ found, rank, more, light }) =>
      found.map((finding, index): readonly RankedForm[] => {
        const [short, long] = index < FIRST ? rank : more
        return [
          { rank: short, text: `${shortEntry(finding, facts, light)}\n` },
          { rank: long, text: `${fullEntry(finding, facts, light)}\n` },
        ]
      }),
    ),
    foot: '',
    rest: (left) => `- … and ${plural(left, 'more finding')}, ${reportPointer(facts)}\n`,
  }
}

function shortEntry(finding: ReportedFinding, facts: PullRequestFacts, light: string): string {
  const message = markdownText(cutText(finding.message.split('\n', 1)[0] ?? '', SHORT))
  return `- ${light} **${markdownText(finding.code)}** ${message}${whereOf(finding, facts)}`
}

function fullEntry(finding: ReportedFinding, facts: PullRequestFacts, light: string): string {
  return `- ${light} ${formatFindingEntry(finding, whereOf(finding, facts))}`
}

function whereOf({ place }: ReportedFinding, facts: PullRequestFacts): string {
  if (place === undefined) return ''
  const [code, address] = [
    markdownCode(formatPlace(place)),
    place.revision === undefined ? fileAddress(place, facts) : undefined,
  ]
  return ` — ${address === undefined ? code : `[${code}](${address})`}`
}
