import type { ReportedFinding } from '../describe-finding.ts'
import { plural } from '../plural.ts'
import { type FindingList, type FormatList, formatPlace, openFindings } from './finding-list.ts'
import { formatFindingEntry } from './finding-entry.ts'
import { markdownCode, markdownText } from './markdown-text.ts'

/** A step summary of GitHub takes 1 MiB, a comment 65,536 characters: this fits into both. */
const MOST = 60_000
const headings = { error: 'Errors', warning: 'Warnings', note: 'Notes' } as const
const kinds = ['error', 'warning', 'note'] as const

/**
 * The findings as Markdown: the sum first, then errors, warnings folded away, notes counted only. It never gets longer
 * than a comment may be; what does not fit is counted.
 */
export const formatMarkdownList: FormatList = (list) => {
  const open = openFindings(list)
  const accepted = list.findings.length - open.length
  const lines = [`## ${titleOf(list)}`, '', sumOf(open, accepted), '']
  let length = lines.join('\n').length
  for (const kind of kinds) {
    const found = kind === 'note' ? [] : open.filter(({ severity }) => severity === kind)
    if (found.length === 0) continue
    const entries: string[] = []
    for (const finding of found) {
      const entry = entryOf(finding)
      if (length + entry.length > MOST) break
      length += entry.length
      entries.push(entry)
    }
    const left = found.length - entries.length
    if (left > 0) entries.push(`- … and ${plural(left, 'more finding')}: \`stackmason check\` lists all`)
    const heading = `${headings[kind]} (${String(found.length)})`
    lines.push(
      ...(kind === 'error'
        ? [`### ${heading}`, '', ...entries, '']
        : [`<details><summary>${heading}</summary>`, '', ...entries, '', '</details>', '']),
    )
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function titleOf({ title, isPassed }: FindingList): string {
  const what = title === '' ? 'check' : `check of ${markdownText(title)}`
  return `${isPassed ? '✅' : '❌'} stackmason ${what}: ${isPassed ? 'passed' : 'failed'}`
}

function sumOf(open: readonly ReportedFinding[], accepted: number): string {
  const counts = kinds
    .map((kind) => ({ kind, count: open.filter(({ severity }) => severity === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => plural(count, kind))
  const all = accepted === 0 ? counts : [...counts, `${String(accepted)} acknowledged in the fleet`]
  return all.length === 0 ? 'Nothing found.' : `${all.join(', ')}.`
}

function entryOf(finding: ReportedFinding): string {
  const { place } = finding
  return `- ${formatFindingEntry(finding, place === undefined ? '' : ` — ${markdownCode(formatPlace(place))}`)}`
}
