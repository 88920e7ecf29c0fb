import type { Diagnostic } from './diagnostic.ts'

/**
 * Looks at the day: a finding whose acknowledgement has ended says so, and is one like any other. `now` is in
 * milliseconds since 1970; a day ends at midnight UTC, so that it is the same day on every machine.
 */
export function endAcknowledgements(findings: readonly Diagnostic[], now: number): readonly Diagnostic[] {
  const today = new Date(now).toISOString().slice(0, '2027-03-31'.length)
  return findings.map((finding) => {
    const { acknowledgement, ...plain } = finding
    if (acknowledgement === undefined || today <= acknowledgement.until) return finding
    return { ...plain, message: `${plain.message}; its acknowledgement ended on ${acknowledgement.until}` }
  })
}
