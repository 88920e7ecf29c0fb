import type { Diagnostic } from '../model/diagnostic.ts'
import { docsAddressOf } from '../model/docs-address.ts'
import { pathOf, positionAt, type Span } from '../model/source.ts'
import { type FoldedFinding, foldFindings } from './fold-findings.ts'
import { hintOf } from './hint-of.ts'
import type { ShortenPath } from './shorten-path.ts'

/** Findings as the JSON reports write them: those that differ by what they are about only are one. */
export function jsonFindings(findings: readonly Diagnostic[], shorten: ShortenPath): readonly object[] {
  return foldFindings(findings).map((folded) => jsonFinding(folded, shorten))
}

function jsonFinding({ finding, about }: FoldedFinding, shorten: ShortenPath): object {
  const { code, severity, message, at, file, trace, acknowledgement } = finding
  return {
    code,
    severity,
    message: shorten.inText(message),
    ...(at === undefined ? (file === undefined ? {} : { file: shorten(file) }) : jsonPlace(at, shorten)),
    ...(trace === undefined || trace.length === 0
      ? {}
      : {
          trace: trace.map((step) => ({
            what: shorten.inText(step.what),
            ...(step.at === undefined ? {} : jsonPlace(step.at, shorten)),
          })),
        }),
    hint: shorten.inText(hintOf(finding)),
    ...(about.length === 0 ? {} : { about }),
    ...(acknowledgement !== undefined && {
      acknowledged: { reason: acknowledgement.reason, until: acknowledgement.until },
    }),
    docs: docsAddressOf(code),
  }
}

function jsonPlace(span: Span, shorten: ShortenPath): object {
  return { file: shorten(pathOf(span.source)), ...positionAt(span.source, span.start) }
}
