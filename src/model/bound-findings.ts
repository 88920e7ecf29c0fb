import type { Span } from './source.ts'

/** The parts of a finding that are compared. */
interface Finding {
  readonly severity: 'error' | 'warning' | 'note'
  readonly message: string
  readonly at?: Span
  readonly hint?: string
  readonly acknowledgement?: { readonly at: Span }
}

/** More findings of one kind in one file are counted, not told. */
const MAX_FINDINGS_OF_A_FILE = 20

/**
 * Keeps the first findings of each severity in each text; in the place of the others stands one that says how many
 * there are more. Findings without a text to point into stay.
 */
export function boundFindings<Found extends Finding>(findings: readonly Found[]): readonly Found[] {
  if (findings.length <= MAX_FINDINGS_OF_A_FILE) return findings
  const counts = new Map<string, number>()
  const keyOf = ({ at, severity, hint, acknowledgement }: Finding): string | undefined =>
    at === undefined || hint === MORE_HINT
      ? undefined
      : `${severity} ${String(acknowledgement?.at.start)} ${at.source.path ?? at.source.name}`
  for (const finding of findings) {
    const key = keyOf(finding)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const seen = new Map<string, number>()
  return findings.flatMap((finding) => {
    const key = keyOf(finding)
    if (key === undefined) return [finding]
    const number = (seen.get(key) ?? 0) + 1
    seen.set(key, number)
    if (number <= MAX_FINDINGS_OF_A_FILE) return [finding]
    const more = (counts.get(key) ?? 0) - MAX_FINDINGS_OF_A_FILE
    return number === MAX_FINDINGS_OF_A_FILE + 1 ? [moreOf(finding, more)] : []
  })
}

const MORE_HINT = 'Correct those above first; the next run reports what is left.'

/** The finding that stands for `count` that are not told, the first of which is `first`. */
export function moreOf<Found extends Finding>(first: Found, count: number): Found {
  const message = `and ${String(count)} more ${count === 1 ? 'finding' : 'findings'} in this file, from here on`
  return { ...first, message, hint: MORE_HINT }
}
