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

/** The exceptions of a fleet from a check, in sentences. */
export interface ListedExceptions {
  readonly added: readonly { readonly text: string; readonly place: ReportedPlace | undefined }[]
  /** Absent: no rule is off or lowered. */
  readonly standing?: string | undefined
}

/** The findings of a run for programs that know nothing of us: CI servers, code scanning, editors. */
export interface FindingList {
  /** Of this program. */
  readonly version: string
  /** The name of the fleet that was judged, where it is known. */
  readonly title: string
  readonly isPassed: boolean
  /** One sentence on the part that was not judged; absent: all was. */
  readonly incomplete?: string | undefined
  /** The exceptions of the fleet: rules that are off or lowered, and those that are new against the base. */
  readonly exceptions: ListedExceptions
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
export function openFindings({ findings }: Pick<FindingList, 'findings'>): readonly ReportedFinding[] {
  return findings.filter(({ acknowledgement }) => acknowledgement === undefined)
}

/** One text for each exception, new ones first. */
export function exceptionTexts({ exceptions }: Pick<FindingList, 'exceptions'>): readonly string[] {
  const { added, standing } = exceptions
  return [...added.map(({ text }) => `New in this change: ${text}.`), ...(standing === undefined ? [] : [standing])]
}

/** The message, and what the finding is about in brackets. */
export function messageOf({ message, about }: ReportedFinding): string {
  const subjects = formatSubjects(about)
  return subjects === '' ? message : `${message} (${subjects})`
}
