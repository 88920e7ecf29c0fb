import type { Diagnostic } from '../model/diagnostic.ts'
import { positionAt, type Span } from '../model/source.ts'
import { hintOf } from './hint-of.ts'
import type { ShortenPath } from './shorten-path.ts'

/** A finding as the JSON reports write it. */
export function jsonFinding(finding: Diagnostic, shorten: ShortenPath): object {
  const { code, severity, message, at, file, trace } = finding
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
  }
}

function jsonPlace(span: Span, shorten: ShortenPath): object {
  return { file: shorten(span.source.name), ...positionAt(span.source, span.start) }
}
