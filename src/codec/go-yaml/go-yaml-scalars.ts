import {
  type Cursor,
  END,
  columnOf,
  failScan,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  skipBreak,
} from './go-yaml-cursor.ts'

// Scalars as libyaml's scanner (go-yaml v2 scannerc.go) reads them. Each function starts at the scalar's first
// character and leaves the cursor after it.

/** Where a scalar stands. */
export interface ScalarContext {
  /** The indentation of the enclosing block collection; -1 at the top. */
  readonly indent: number
  readonly isFlow: boolean
}

/** Reads a quoted scalar, quotes included, and returns its text. @throws YamlError */
export function scanQuoted(cursor: Cursor, quote: '"' | "'"): string {
  const { text } = cursor
  const code = quote.charCodeAt(0)
  let at = cursor.pos + 1
  // most quoted scalars are one plain piece on one line
  for (let next = text.charCodeAt(at); next !== code; next = text.charCodeAt(++at)) {
    if (next === 0x5c || isBreakOrEnd(next)) return scanQuotedPieces(cursor, code)
  }
  if (text.charCodeAt(at + 1) === code && quote === "'") return scanQuotedPieces(cursor, code)
  const value = text.slice(cursor.pos + 1, at)
  cursor.pos = at + 1
  cursor.scalarEnd = cursor.pos
  return value
}

function scanQuotedPieces(cursor: Cursor, quote: number): string {
  const { text, pos: from } = cursor
  cursor.pos++
  let value = ''
  for (;;) {
    if (isDocumentIndicator(cursor)) throw failScan(cursor, 'found unexpected document indicator', { from })
    if (text.charCodeAt(cursor.pos) === END) throw failScan(cursor, 'found unexpected end of stream', { from })
    const piece = scanQuotedRun(cursor, quote)
    value += piece.text
    const stop = text.charCodeAt(cursor.pos)
    if (stop === quote) break
    value += scanQuotedSpace(cursor, piece.endsLine)
  }
  cursor.pos++
  cursor.scalarEnd = cursor.pos
  return value
}

/** Reads up to a blank, a line's end or the closing quote; `endsLine` after an escaped line break. */
function scanQuotedRun(cursor: Cursor, quote: number): { readonly text: string; readonly endsLine: boolean } {
  const { text } = cursor
  let value = ''
  let start = cursor.pos
  for (;;) {
    const next = text.charCodeAt(cursor.pos)
    if (isBlankOrEnd(next)) break
    if (next === quote) {
      if (quote === 0x22 || text.charCodeAt(cursor.pos + 1) !== quote) break
      value += text.slice(start, cursor.pos + 1)
      cursor.pos += 2
      start = cursor.pos
    } else if (next === 0x5c && quote === 0x22) {
      value += text.slice(start, cursor.pos)
      if (isBreak(text.charCodeAt(cursor.pos + 1))) {
        cursor.pos++
        skipBreak(cursor)
        return { text: value, endsLine: true }
      }
      value += scanEscape(cursor)
      start = cursor.pos
    } else cursor.pos++
  }
  return { text: value + text.slice(start, cursor.pos), endsLine: false }
}

/** Blanks stay unless a line ends among them; then the line breaks fold as {@link foldBreaks} says. */
function scanQuotedSpace(cursor: Cursor, isAfterEscapedBreak: boolean): string {
  const { text } = cursor
  const start = cursor.pos
  let first = ''
  let more = ''
  let isLineStart = isAfterEscapedBreak
  for (;;) {
    const next = text.charCodeAt(cursor.pos)
    if (next === 0x20 || next === 0x09) cursor.pos++
    else if (isBreak(next)) {
      if (isLineStart) more += skipBreak(cursor)
      else first = skipBreak(cursor)
      isLineStart = true
    } else break
  }
  if (!isLineStart) return text.slice(start, cursor.pos)
  return first === '' ? more : foldBreaks(first, more)
}

/** One line break becomes a space, of several the first is dropped; U+2028 and U+2029 stay. */
function foldBreaks(first: string, more: string): string {
  if (first !== '\n') return first + more
  return more === '' ? ' ' : more
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
])
const codeLengths: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

function scanEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.pos + 1)
  const simple = simpleEscapes.get(letter)
  if (simple !== undefined) {
    cursor.pos += 2
    return simple
  }
  const length = codeLengths.get(letter)
  if (length === undefined) throw failScan(cursor, 'found unknown escape character')
  cursor.pos += 2
  const digits = cursor.text.slice(cursor.pos, cursor.pos + length)
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) {
    throw failScan(cursor, 'did not find expected hexdecimal number')
  }
  const code = Number.parseInt(digits, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    throw failScan(cursor, 'found invalid Unicode character escape code')
  }
  cursor.pos += length
  return String.fromCodePoint(code)
}

/** The result of {@link scanPlain}; `endsLine`: the cursor is at a later line. */
export interface PlainScalar {
  readonly value: string
  readonly endsLine: boolean
}

/** Reads a plain scalar, over several lines where it goes on. @throws YamlError for a tab as indentation */
export function scanPlain(cursor: Cursor, context: ScalarContext): PlainScalar {
  const { text } = cursor
  let start = cursor.pos
  let end = endOfPlainLine(cursor, context.isFlow)
  let value = text.slice(start, end)
  for (;;) {
    const next = text.charCodeAt(cursor.pos)
    if (!isBreak(next)) return { value, endsLine: false }
    const breaks = scanPlainBreaks(cursor, context.indent + 1)
    if (!context.isFlow && columnOf(cursor) <= context.indent) return { value, endsLine: true }
    if (isDocumentIndicator(cursor) || text.charCodeAt(cursor.pos) === 0x23) return { value, endsLine: true }
    start = cursor.pos
    end = endOfPlainLine(cursor, context.isFlow)
    if (end === start) return { value, endsLine: true }
    value += breaks + text.slice(start, end)
  }
}

/** Moves to where the scalar stops in this line, blanks skipped, and returns where its text ends. */
function endOfPlainLine(cursor: Cursor, isFlow: boolean): number {
  const { text } = cursor
  let at = cursor.pos
  let end = at
  for (;;) {
    const next = text.charCodeAt(at)
    if (next === 0x3a) {
      if (isBlankOrEnd(text.charCodeAt(at + 1))) break
    } else if (next <= 0x20) {
      if (next !== 0x20 && next !== 0x09) break
      at++
      // a # after a blank starts a comment
      if (text.charCodeAt(at) === 0x23) break
      continue
    } else if (isFlow && isFlowIndicator(next)) break
    else if (isBreak(next)) break
    end = ++at
  }
  if (end > cursor.pos) cursor.scalarEnd = end
  cursor.pos = at
  return end
}

/** `,` `?` `[` `]` `{` `}` end a plain scalar inside of a flow collection. */
function isFlowIndicator(code: number): boolean {
  return code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d
}

function scanPlainBreaks(cursor: Cursor, indent: number): string {
  const { text } = cursor
  const first = skipBreak(cursor)
  let more = ''
  for (;;) {
    const next = text.charCodeAt(cursor.pos)
    if (next === 0x20) cursor.pos++
    else if (next === 0x09) {
      if (columnOf(cursor) < indent) throw failScan(cursor, 'found a tab character that violates indentation')
      cursor.pos++
    } else if (isBreak(next)) more += skipBreak(cursor)
    else return foldBreaks(first, more)
  }
}

/** True if `---` or `...` stands alone at the start of this line. */
function isDocumentIndicator(cursor: Cursor): boolean {
  const { text, pos } = cursor
  if (pos !== cursor.lineStart) return false
  const code = text.charCodeAt(pos)
  return (
    (code === 0x2d || code === 0x2e) &&
    text.charCodeAt(pos + 1) === code &&
    text.charCodeAt(pos + 2) === code &&
    isBlankOrEnd(text.charCodeAt(pos + 3))
  )
}

interface BlockHeader {
  readonly chomping: '' | '+' | '-'
  readonly increment: number
}

/** Reads a `|` or `>` scalar, header included. @throws YamlError */
export function scanBlock(cursor: Cursor, parentIndent: number): string {
  const isLiteral = cursor.text.charCodeAt(cursor.pos) === 0x7c
  const { chomping, increment } = scanBlockHeader(cursor)
  cursor.scalarEnd = cursor.pos
  const known = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment
  const leading = scanBlockBreaks(cursor, known)
  const indent = known === 0 ? Math.max(leading.indent, parentIndent + 1, 1) : known
  let value = ''
  let lastBreak = ''
  let breaks = leading.breaks
  let wasBlank = false
  while (columnOf(cursor) === indent && cursor.text.charCodeAt(cursor.pos) !== END) {
    const next = cursor.text.charCodeAt(cursor.pos)
    const isBlank = next === 0x20 || next === 0x09
    if (!isLiteral && !wasBlank && !isBlank && lastBreak === '\n') value += breaks === '' ? ' ' : breaks
    else value += lastBreak + breaks
    wasBlank = isBlank
    value += scanLine(cursor)
    cursor.scalarEnd = cursor.pos
    lastBreak = skipBreak(cursor)
    breaks = scanBlockBreaks(cursor, indent).breaks
  }
  if (chomping === '-') return value
  return value + lastBreak + (chomping === '+' ? breaks : '')
}

function scanBlockHeader(cursor: Cursor): BlockHeader {
  const { text } = cursor
  cursor.pos++
  let chomping = scanChomping(cursor)
  let increment = 0
  const digit = text.charCodeAt(cursor.pos)
  if (digit >= 0x30 && digit <= 0x39) {
    if (digit === 0x30) throw failScan(cursor, 'found an indentation indicator equal to 0')
    increment = digit - 0x30
    cursor.pos++
    if (chomping === '') chomping = scanChomping(cursor)
  }
  skipBlanks(cursor)
  if (text.charCodeAt(cursor.pos) === 0x23) scanLine(cursor)
  const end = text.charCodeAt(cursor.pos)
  if (!isBreakOrEnd(end)) throw failScan(cursor, 'did not find expected comment or line break')
  if (end !== END) skipBreak(cursor)
  return { chomping, increment }
}

function scanChomping(cursor: Cursor): '' | '+' | '-' {
  const sign = cursor.text.charAt(cursor.pos)
  if (sign !== '+' && sign !== '-') return ''
  cursor.pos++
  return sign
}

/** Skips indentation and empty lines; `indent` is the deepest column reached, 0 as `known` means not yet known. */
function scanBlockBreaks(cursor: Cursor, known: number): { readonly breaks: string; readonly indent: number } {
  const { text } = cursor
  let breaks = ''
  let indent = 0
  for (;;) {
    while ((known === 0 || columnOf(cursor) < known) && text.charCodeAt(cursor.pos) === 0x20) cursor.pos++
    const column = columnOf(cursor)
    if (column > indent) indent = column
    const next = text.charCodeAt(cursor.pos)
    if (next === 0x09 && (known === 0 || column < known)) {
      throw failScan(cursor, 'found a tab character where an indentation space is expected')
    }
    if (!isBreak(next)) return { breaks, indent }
    breaks += skipBreak(cursor)
  }
}

/** Moves to the line's end and returns what it skipped. */
function scanLine(cursor: Cursor): string {
  const { text, pos } = cursor
  let at = pos
  while (!isBreakOrEnd(text.charCodeAt(at))) at++
  cursor.pos = at
  return text.slice(pos, at)
}

function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const next = cursor.text.charCodeAt(cursor.pos)
    if (next !== 0x20 && next !== 0x09) return
    cursor.pos++
  }
}
