import type { Code } from '../../model/error-codes.ts'
import type { Crypto } from '../../model/ports.ts'
import type { ReportedFinding, ReportedPlace } from '../describe-finding.ts'
import { formatSubjects } from '../format-subjects.ts'

/** A rule that was applied, as forms list it. */
export interface ListedRule {
  readonly code: Code
  readonly severity: ReportedFinding['severity']
  /** One sentence each. */
  readonly summary: string
  readonly advice: string
}

/** The findings of a run for programs that know nothing of us: CI servers, code scanning, editors. */
export interface FindingList {
  /** Of this program. */
  readonly version: string
  /** What was judged: the name of the fleet, where it is known. */
  readonly title: string
  readonly isPassed: boolean
  /** What was not judged, in a sentence; absent: nothing. */
  readonly incomplete?: string
  /** Equal ones once, and no secret value in them. */
  readonly findings: readonly ReportedFinding[]
  /** Every rule that was applied, found or not; in their order. */
  readonly rules: readonly ListedRule[]
  /** The file that stands for findings without a place, where a form demands one. */
  readonly file: string
  readonly crypto: Crypto
  /** Hides secret values in a text: for lines of files, and forms whose escapes would hide a secret from a search. */
  readonly mask: (text: string) => string
}

/** Shows a list in one form; ends with a newline. */
export type FormatList = (list: FindingList) => string

/** The findings that count: those that the fleet does not acknowledge. */
export function openFindings({ findings }: FindingList): readonly ReportedFinding[] {
  return findings.filter(({ acknowledgement }) => acknowledgement === undefined)
}

/** The message, and what the finding is about in brackets. */
export function messageOf({ message, about }: ReportedFinding): string {
  const subjects = formatSubjects(about)
  return subjects === '' ? message : `${message} (${subjects})`
}

/** A place as editors open it: `file:line:column`. */
export function formatPlace({ file, line, column }: ReportedPlace): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}
