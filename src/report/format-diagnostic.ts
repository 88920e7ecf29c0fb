import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import { pathOf, positionAt, type Span } from '../model/source.ts'
import { formatSubjects } from './format-subjects.ts'
import { hintOf } from './hint-of.ts'
import type { Palette } from './palette.ts'
import { printable, printableMessage } from './printable.ts'
import { redactLine } from './redact-line.ts'
import type { ShortenPath } from './shorten-path.ts'
import { wrapWords } from './wrap-words.ts'

const MAX_EXCERPT = 120
const CONTEXT = 40
/** Nobody reads longer lines, and what they hide cannot be told in a glance. */
const LONGEST_LINE = 4096

/** How diagnostics are shown. */
export interface DiagnosticFormat {
  readonly palette: Palette
  readonly shorten: ShortenPath
  /** Columns of the terminal; absent: lines stay whole, so that programs find them. */
  readonly width?: number | undefined
}

/**
 * Formats a diagnostic for people: `error CODE file:line:column: message`, the line it points to with a caret, the call chain, what it
 * is about (`about`: everything, where it was found several times), and what to do next. Ends with a newline.
 */
export function formatDiagnostic(
  diagnostic: Diagnostic,
  { palette, shorten, width }: DiagnosticFormat,
  about: readonly FindingSubject[] = diagnostic.about === undefined ? [] : [diagnostic.about],
): string {
  const { code, severity, message, at, file, trace } = diagnostic
  const place = at === undefined ? (file === undefined ? '' : `${shorten(file)}: `) : `${formatPlace(at, shorten)}: `
  const head = `${palette[severity](severity)} ${palette.strong(code)} ${printable(place)}${printableMessage(shorten.inText(message))}`
  const fit = (text: string): string =>
    width === undefined
      ? text
      : text
          .split('\n')
          .map((line) => wrapWords(line, { width, indent: '    ' }))
          .join('\n')
  const lines = [
    fit(head),
    ...(at === undefined ? [] : excerpt(at, palette)),
    ...(trace ?? []).map((step) => {
      const where = step.at === undefined ? '' : ` at ${formatPlace(step.at, shorten)}`
      return palette.faint(fit(`  in ${printable(shorten.inText(step.what) + where)}`))
    }),
    ...(about.length === 0 ? [] : [palette.faint(fit(`  for ${printable(formatSubjects(about))}`))]),
    fit(`  ${palette.good('→')} ${printable(shorten.inText(hintOf(diagnostic)))}`),
  ]
  return `${lines.join('\n')}\n`
}

/** `file:line:column` */
function formatPlace(span: Span, shorten: ShortenPath): string {
  const { line, column } = positionAt(span.source, span.start)
  return `${shorten(pathOf(span.source))}:${String(line)}:${String(column)}`
}

function excerpt(span: Span, palette: Palette): readonly string[] {
  const { text } = span.source
  const { line: number, column } = positionAt(span.source, span.start)
  const lineStart = Math.min(span.start, text.length) - (column - 1)
  const lineEnd = text.indexOf('\n', lineStart)
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd).replace(/\r$/, '')
  if (line.length > LONGEST_LINE) return []
  const shown = redactLine(span.source, lineStart, line)
  if (shown.trim() === '') return []
  const { start, length } = markOf({
    line,
    shown,
    from: column - 1,
    to: Math.max(span.end, span.start + 1) - lineStart,
  })
  const window = cutAround(shown, start)
  const gutter = String(number)
  const before = printable(window.text.slice(0, start - window.offset))
  const marked = printable(window.text.slice(start - window.offset, start - window.offset + length))
  const carets = '^'.repeat(Math.max(1, marked.length))
  return [
    `  ${palette.faint(`${gutter} |`)} ${printable(window.text)}`,
    `  ${palette.faint(`${' '.repeat(gutter.length)} |`)} ${before.replaceAll(/[^\t]/g, ' ')}${palette.error(carets)}`,
  ]
}

/** Where the carets go; a mask has another length than what it hides. */
function markOf(place: { readonly line: string; readonly shown: string; readonly from: number; readonly to: number }): {
  readonly start: number
  readonly length: number
} {
  const { line, shown, from, to } = place
  let same = 0
  while (same < from && line[same] === shown[same]) same++
  const start = Math.min(same, shown.length)
  const length = shown === line ? Math.min(to, line.length) - start : shown.length - start
  return { start, length: Math.max(1, length) }
}

function cutAround(text: string, at: number): { readonly text: string; readonly offset: number } {
  if (text.length <= MAX_EXCERPT) return { text, offset: 0 }
  const offset = Math.max(0, Math.min(at - CONTEXT, text.length - MAX_EXCERPT))
  return { text: text.slice(offset, offset + MAX_EXCERPT), offset }
}
