import { markdownCode } from '../forms/markdown-text.ts'
import type { PullRequestFacts } from './pull-request-facts.ts'

/** A longer address would take the room of what it is about. */
const LONGEST = 250

/** Where what is left out can be read, as the end of a sentence in Markdown; the address is told once. */
export function reportPointer(facts: PullRequestFacts): string {
  return reportOf(facts) === undefined ? 'in `stackmason diff --all`' : 'in the report'
}

/** The same with the address, or the name of the file. */
export function reportAddress(facts: PullRequestFacts): string {
  const report = reportOf(facts)
  if (report === undefined) return 'what `stackmason diff --all` shows'
  return isAddress(report)
    ? `in the [report](<${report}>)`
    : `in the report ${markdownCode(report)}, an artifact of the run`
}

function reportOf({ run: { report } }: PullRequestFacts): string | undefined {
  return report === undefined || report.length > LONGEST ? undefined : report
}

/** True for an address that a link can hold as it is. */
export function isAddress(report: string): boolean {
  return /^https?:\/\/[!-;=?-~]+$/.test(report)
}
