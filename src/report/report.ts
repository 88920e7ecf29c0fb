import type { Diagnostic } from '../model/diagnostic.ts'
import { describeFinding, type ReportedFinding } from './describe-finding.ts'
import { foldFindings } from './fold-findings.ts'
import type { ShortenPath } from './shorten-path.ts'

/** The content of a report, before it takes a form: its subject, and the findings. */
export interface Report {
  /** Of the envelope: `RenderReport`. */
  readonly kind: string
  /** Plain data, in the order in which it is written. */
  readonly content: object
  /** Undefined where none can be made. */
  readonly findings: readonly Diagnostic[] | undefined
}

/**
 * The report as JSON (schemas/), in the one envelope of all reports; ends with a newline. Findings that differ by what
 * they are about only are one.
 */
export function formatJsonReport({ kind, content, findings }: Report, shorten: ShortenPath): string {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind,
    ...content,
    ...(findings !== undefined && {
      findings: foldFindings(findings).map((folded) => jsonFinding(describeFinding(folded, shorten))),
    }),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

function jsonFinding(finding: ReportedFinding): object {
  const { code, severity, message, place, trace, about, hint, docs, acknowledgement } = finding
  return {
    code,
    severity,
    message,
    ...place,
    ...(trace.length > 0 && { trace: trace.map((step) => ({ what: step.what, ...step.place })) }),
    hint,
    ...(about.length > 0 && { about }),
    ...(acknowledgement !== undefined && {
      acknowledged: { reason: acknowledgement.reason, until: acknowledgement.until },
    }),
    docs,
  }
}
