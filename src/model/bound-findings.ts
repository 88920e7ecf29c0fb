import type { Span } from './source.ts'

/** The parts of a finding that are compared. */
interface Finding {
  readonly severity: 'error' | 'warning' | 'note'
  readonly message: string
  readonly at?: Span | undefined
  readonly hint?: string | undefined
  readonly about?: object
  readonly acknowledgement?: { readonly at: Span }
}

/** More findings of one kind in one file are counted, not told. */
const MAX_FINDINGS_OF_A_FILE = 20

/**
 * Keeps the first findings of each severity in each text; in the place of the others stands one that says how many
 * there are more. What is found in one place for many clusters counts once, a finding that is there twice is dropped,
 * and findings without a text to point into stay.
 */
export function boundFindings<Found extends Finding>(findings: readonly Found[]): readonly Found[] {
  if (findings.length <= MAX_FINDINGS_OF_A_FILE) return findings
  const files = new Map<string, FindingsOfFile>()
  const fileOf = (finding: Finding): FindingsOfFile | undefined => {
    const { at, severity, acknowledgement } = finding
    if (at === undefined || isMore(finding)) return undefined
    const key = `${severity} ${String(acknowledgement?.at.start)} ${at.source.path ?? at.source.name}`
    const file = files.get(key) ?? { numbers: new Map<string, number>(), seen: new Set<string>(), isCounted: false }
    files.set(key, file)
    return file
  }
  const numbered = findings.flatMap((finding): readonly Numbered<Found>[] => {
    const file = fileOf(finding)
    if (file === undefined) return [{ finding, number: 0 }]
    const words = `${String(finding.at?.start)} ${finding.message}`
    const subject = `${words} ${JSON.stringify(finding.about)}`
    if (file.seen.has(subject)) return []
    file.seen.add(subject)
    const number = file.numbers.get(words) ?? file.numbers.size + 1
    file.numbers.set(words, number)
    return [{ finding, file, number }]
  })
  return numbered.flatMap(({ finding, file, number }) => {
    if (file === undefined || number <= MAX_FINDINGS_OF_A_FILE) return [finding]
    if (file.isCounted) return []
    file.isCounted = true
    return [moreOf(finding, file.numbers.size - MAX_FINDINGS_OF_A_FILE)]
  })
}

interface Numbered<Found> {
  readonly finding: Found
  readonly file?: FindingsOfFile
  readonly number: number
}

interface FindingsOfFile {
  /** From 1, by place and message. */
  readonly numbers: Map<string, number>
  /** By place, message and what it is about. */
  readonly seen: Set<string>
  /** True if the findings that are not listed have been counted. */
  isCounted: boolean
}

const MORE_HINT = 'Correct those above first; the next run reports what is left.'

/** True for a finding that stands for others. */
export function isMore({ hint }: Pick<Finding, 'hint'>): boolean {
  return hint === MORE_HINT
}

/** The finding that stands for `count` that are not told, the first of which is `first`. */
export function moreOf<Found extends Finding>(first: Found, count: number): Found {
  const message = `and ${String(count)} more ${count === 1 ? 'finding' : 'findings'} in this file, from here on`
  return { ...first, message, hint: MORE_HINT }
}
