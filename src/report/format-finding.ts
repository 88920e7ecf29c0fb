import type { FoldedFinding } from './fold-findings.ts'
import { describeFinding, type ReportedPlace, formatPlace } from './describe-finding.ts'
import { type Excerpt, excerptOf } from './excerpt.ts'
import { formatSubjects } from './format-subjects.ts'
import type { Palette } from './palette.ts'
import { printable, printableMessage } from './printable.ts'
import type { ShortenPath } from './shorten-path.ts'
import { wrapWords } from './wrap-words.ts'

/** How findings are shown. */
export interface FindingFormat {
  readonly palette: Palette
  readonly shorten: ShortenPath
  /** Columns of the terminal; absent: lines stay whole, so that programs find them. */
  readonly width?: number | undefined
}

/**
 * Formats a finding for people: `error CODE file:line:column: message`, the line it points to with a caret, the call
 * chain, what it is about, and what to do next. Ends with a newline.
 */
export function formatFinding(folded: FoldedFinding, { palette, shorten, width }: FindingFormat): string {
  const { code, severity, message, place, at, trace, about, hint, isNew } = describeFinding(folded, shorten)
  const where = place === undefined || startsWith(message, place) ? '' : `${formatPlace(place)}: `
  const head = `${palette[severity](severity)} ${palette.strong(code)} ${isNew ? '(new) ' : ''}${printable(where)}${printableMessage(message)}`
  const fit = (text: string): string =>
    width === undefined
      ? text
      : text
          .split('\n')
          .map((line) => wrapWords(line, { width, indent: '    ' }))
          .join('\n')
  const excerpt = at === undefined ? undefined : excerptOf(at)
  const lines = [
    fit(head),
    ...(excerpt === undefined ? [] : formatExcerpt(excerpt, palette)),
    ...trace.map((step) => {
      const from = step.place === undefined ? '' : ` at ${formatPlace(step.place)}`
      return palette.faint(fit(`  in ${printable(step.what + from)}`))
    }),
    ...(about.length === 0 ? [] : [palette.faint(fit(`  for ${printable(formatSubjects(about))}`))]),
    fit(`  ${palette.good('→')} ${printable(hint)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** True if a message about a file as a whole begins with its path: once is enough. */
function startsWith(message: string, { file, line }: ReportedPlace): boolean {
  return line === undefined && message.startsWith(`${file} `)
}

function formatExcerpt({ line, text, start, length }: Excerpt, palette: Palette): readonly string[] {
  const gutter = String(line)
  const before = printable(text.slice(0, start))
  const marked = printable(text.slice(start, start + length))
  const carets = '^'.repeat(Math.max(1, marked.length))
  return [
    `  ${palette.faint(`${gutter} |`)} ${printable(text)}`,
    `  ${palette.faint(`${' '.repeat(gutter.length)} |`)} ${before.replaceAll(/[^\t]/g, ' ')}${palette.error(carets)}`,
  ]
}
