import type { Acknowledgement } from '../model/acknowledgement.ts'
import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import { docsAddressOf } from '../model/docs-address.ts'
import type { Code } from '../model/error-codes.ts'
import { pathOf, positionAt, type Span } from '../model/source.ts'
import type { FoldedFinding } from './fold-findings.ts'
import { hintOf } from './hint-of.ts'
import type { ShortenPath } from './shorten-path.ts'

/** Where something stands, as reports say it. */
export interface ReportedPlace {
  readonly file: string
  /** Both from 1; absent where there is no text to point into. */
  readonly line?: number
  readonly column?: number
  /** The commit that has the file, which is no longer on disk. */
  readonly revision?: string | undefined
}

/** A place as editors open it, `file:line:column`, or as git shows it, `HEAD:file:line:column`. */
export function formatPlace({ revision, file, line, column }: ReportedPlace): string {
  return [revision, file, line, column].filter((part) => part !== undefined).join(':')
}

/**
 * A finding as every form of report shows it: places looked up, paths short, advice and address of its page beside it.
 */
export interface ReportedFinding {
  readonly code: Code
  readonly severity: Diagnostic['severity']
  readonly message: string
  readonly place: ReportedPlace | undefined
  /** For forms that show the line: see `excerptOf`. */
  readonly at: Span | undefined
  /** Innermost first. */
  readonly trace: readonly { readonly what: string; readonly place: ReportedPlace | undefined }[]
  readonly about: readonly FindingSubject[]
  readonly hint: string
  readonly docs: string
  readonly acknowledgement: Acknowledgement | undefined
  /** It was not there before the change. */
  readonly isNew: boolean
}

/** Describes one finding. */
export function describeFinding({ finding, about }: FoldedFinding, shorten: ShortenPath): ReportedFinding {
  const { code, severity, message, at, file, trace = [], acknowledgement, isNew = false } = finding
  return {
    code,
    severity,
    message: shorten.inText(message),
    place: at === undefined ? (file === undefined ? undefined : { file: shorten(file) }) : placeOf(at, shorten),
    at,
    trace: trace.map((step) => ({
      what: shorten.inText(step.what),
      place: step.at === undefined ? undefined : placeOf(step.at, shorten),
    })),
    about,
    hint: shorten.inText(hintOf(finding)),
    docs: docsAddressOf(code),
    acknowledgement,
    isNew,
  }
}

/** The place that a span begins at. */
export function placeOf(span: Span, shorten: ShortenPath): ReportedPlace {
  const { source, start } = span
  return {
    file: shorten(pathOf(source)),
    ...positionAt(source, start),
    revision: source.revision,
  }
}
