import type { Diagnostic } from '../model/diagnostic.ts'
import { describeFinding, type ReportedFinding } from './describe-finding.ts'
import { foldFindings } from './fold-findings.ts'
import type { ShortenPath } from './shorten-path.ts'

/** The content of a report, before it takes a form: its subject, and the findings. */
export interface Report {
  /** Of the envelope: `RenderReport`. */
  readonly kind: string
  /** Plain data, in the order in which it is written. A list may be anything that can be gone through. */
  readonly content: object
  /** Undefined where none can be made. */
  readonly findings: readonly Diagnostic[] | undefined
}

/** Changes a text of a report before it is shown; `field` is the name of its field. */
export type MaskField = (field: string, text: string) => string

/** Items that are written at once. */
const BATCH = 500

/**
 * The report as JSON (schemas/), in the one envelope of all reports; ends with a newline. Findings that differ by what
 * they are about only are one. It comes in parts: a list that is no array is written as it is gone through, and never
 * there as a whole.
 */
export function* formatJsonReport(
  { kind, content, findings }: Report,
  shorten: ShortenPath,
  maskField?: MaskField,
): Generator<string> {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind,
    ...content,
    findings: findings && foldFindings(findings).map((folded) => jsonFinding(describeFinding(folded, shorten))),
  }
  const format = (value: unknown): string =>
    JSON.stringify(
      value,
      maskField && ((field, entry: unknown) => (typeof entry === 'string' ? maskField(field, entry) : entry)),
      2,
    )
  let separator = '{\n'
  for (const [key, value] of entriesOf(report)) {
    if (value === undefined) continue
    yield separator
    separator = ',\n'
    if (isStream(value)) yield* formatStream(key, value, format)
    else yield withoutBrackets(format({ [key]: value }))
  }
  yield '\n}\n'
}

function entriesOf(report: object): readonly (readonly [string, unknown])[] {
  return Object.entries(report)
}

function isStream(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value)
}

function* formatStream(key: string, items: Iterable<unknown>, format: (value: unknown) => string): Generator<string> {
  const head = `  ${JSON.stringify(key)}: [`
  let separator = `${head}\n`
  let batch: unknown[] = []
  const written = function* (): Generator<string> {
    if (batch.length === 0) return
    yield `${separator}  ${withoutBrackets(format(batch)).replaceAll('\n', '\n  ')}`
    separator = ',\n'
    batch = []
  }
  for (const item of items) {
    batch.push(item)
    if (batch.length === BATCH) yield* written()
  }
  yield* written()
  yield separator === ',\n' ? '\n  ]' : `${head}]`
}

/** The lines between the first and the last, which are brackets. */
function withoutBrackets(json: string): string {
  return json.slice(2, -2)
}

function jsonFinding(finding: ReportedFinding): object {
  const { code, severity, message, place, trace, about, hint, docs, acknowledgement, isNew } = finding
  return {
    code,
    severity,
    new: isNew || undefined,
    message,
    ...place,
    trace: trace.length === 0 ? undefined : trace.map((step) => ({ what: step.what, ...step.place })),
    hint,
    about: about.length === 0 ? undefined : about,
    acknowledged: acknowledgement && { reason: acknowledgement.reason, until: acknowledgement.until },
    docs,
  }
}
