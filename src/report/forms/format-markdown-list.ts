import { formatPlace, type ReportedFinding, type ReportedPlace } from '../describe-finding.ts'
import { plural } from '../plural.ts'
import { exceptionTexts, type FindingList, openFindings } from './finding-list.ts'
import { formatFindingEntry } from './finding-entry.ts'
import { markdownCode, markdownText } from './markdown-text.ts'

/** A step summary of GitHub takes 1 MiB, a comment 65,536 characters: this fits into both. */
const MOST = 60_000
const kinds = ['error', 'warning', 'note'] as const

/** Findings, and what Markdown shows of the run. */
export type MarkdownList = Pick<FindingList, 'title' | 'isPassed' | 'incomplete' | 'exceptions' | 'findings'>

/**
 * The findings as Markdown: the sum first, then errors and warnings that are new, the other warnings folded away, notes
 * counted only. It never gets longer
 * than a comment may be; what does not fit is counted. `addressOf` gives the page of a place, where there is one.
 */
export function formatMarkdownList(
  list: MarkdownList,
  addressOf: (place: ReportedPlace) => string | undefined = () => undefined,
): string {
  const open = openFindings(list)
  const accepted = list.findings.length - open.length
  const incomplete = list.incomplete === undefined ? [] : [`**${markdownText(list.incomplete)}**`, '']
  const left = exceptionTexts(list).map((text) => `- ${markdownText(text)}`)
  const exceptions = left.length === 0 ? [] : [...left, '']
  const lines = [`## ${titleOf(list, open)}`, '', ...incomplete, sumOf(open, accepted), '', ...exceptions]
  let length = lines.join('\n').length
  for (const { title, isFolded, has } of parts) {
    const found = open.filter(has)
    if (found.length === 0) continue
    const entries: string[] = []
    for (const finding of found) {
      const entry = entryOf(finding, addressOf)
      if (length + entry.length > MOST) break
      length += entry.length
      entries.push(entry)
    }
    const left = found.length - entries.length
    if (left > 0) entries.push(`- … and ${plural(left, 'more finding')}: \`stackmason check\` lists all`)
    const heading = `${title} (${String(found.length)})`
    lines.push(
      ...(isFolded
        ? [`<details><summary>${heading}</summary>`, '', ...entries, '', '</details>', '']
        : [`### ${heading}`, '', ...entries, '']),
    )
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** How many findings there are of each kind, in a line. */
export function sumOfFindings(list: Pick<FindingList, 'findings'>): string {
  const open = openFindings(list)
  return sumOf(open, list.findings.length - open.length)
}

const parts: readonly {
  readonly title: string
  readonly isFolded: boolean
  readonly has: (finding: ReportedFinding) => boolean
}[] = [
  { title: 'Errors', isFolded: false, has: ({ severity }) => severity === 'error' },
  { title: 'New warnings', isFolded: false, has: ({ severity, isNew }) => severity === 'warning' && isNew },
  { title: 'Warnings', isFolded: true, has: ({ severity, isNew }) => severity === 'warning' && !isNew },
]

function titleOf({ title, isPassed }: MarkdownList, open: readonly ReportedFinding[]): string {
  const what = title === '' ? 'check' : `check of ${markdownText(title)}`
  if (!isPassed) return `❌ stackmason ${what}: failed`
  const warnings = open.filter(({ severity }) => severity === 'warning').length
  return warnings === 0
    ? `✅ stackmason ${what}: passed`
    : `⚠️ stackmason ${what}: passed with ${plural(warnings, 'warning')}`
}

function sumOf(open: readonly ReportedFinding[], accepted: number): string {
  const counts = kinds
    .map((kind) => ({ kind, count: open.filter(({ severity }) => severity === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => plural(count, kind))
  const all = accepted === 0 ? counts : [...counts, `${String(accepted)} acknowledged in the fleet`]
  return all.length === 0 ? 'Nothing found.' : `${all.join(', ')}.`
}

function entryOf(finding: ReportedFinding, addressOf: (place: ReportedPlace) => string | undefined): string {
  const { place } = finding
  if (place === undefined) return `- ${formatFindingEntry(finding, '')}`
  const [code, address] = [
    markdownCode(formatPlace(place)),
    place.revision === undefined ? addressOf(place) : undefined,
  ]
  return `- ${formatFindingEntry(finding, ` — ${address === undefined ? code : `[${code}](${address})`}`)}`
}
