import { type QuotingProblem, YamlError } from './go-yaml-error.ts'
import { encodeUtf8, utf8Length } from '../bytes/utf8.ts'

/** The code that ends the text of a {@link Cursor}; YAML may not contain it. */
export const END = 0

/** A place in YAML text that moves forward. */
export interface Cursor {
  /** The text with every line break but U+2028 and U+2029 as `\n`, and {@link END} after it. */
  readonly text: string
  /** The text as it was given. */
  readonly original: string
  /** The character at which the text was cut: what is wrong with it, and its offset in the original. */
  readonly unreadable: { readonly problem: string; readonly offset: number } | undefined
  pos: number
  /** Where the current line starts. */
  lineStart: number
  /** Where the text of the scalar read last ends. */
  scalarEnd: number
}

// all that readerc.go refuses; the mark of a token (U+DBFF) passes
const unreadable = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}\udbff]/u
const otherBreak = /\r\n?|\x85/g

/** Puts a cursor at the start of the text; a byte order mark is skipped. */
export function createCursor(original: string): Cursor {
  const body = original.startsWith(BYTE_ORDER_MARK) ? original.slice(1) : original
  const bad = body.search(unreadable)
  const readable = bad < 0 ? body : body.slice(0, startOfBlock(body, bad))
  const text = /[\r\x85]/.test(readable) ? readable.replace(otherBreak, '\n') : readable
  return {
    text: `${text}\0`,
    original,
    unreadable:
      bad < 0
        ? undefined
        : { problem: describeUnreadable(body.slice(bad, bad + 4)), offset: bad + original.length - body.length },
    // the scanner skips another one, which then takes a column
    pos: text.startsWith(BYTE_ORDER_MARK) ? 1 : 0,
    lineStart: 0,
    scalarEnd: 0,
  }
}

const BYTE_ORDER_MARK = '\ufeff'
const BLOCK = 512

/**
 * go-yaml decodes 512 bytes at a time, so a character it refuses comes to light when the block is needed, not when the
 * character is: text before the block can still hold an earlier error or end the document.
 */
function startOfBlock(text: string, bad: number): number {
  let start = 0
  let size = 0
  let at = 0
  for (const character of text.slice(0, bad)) {
    const width = utf8Length(character)
    if (size + width > BLOCK) {
      start = at
      size = 0
    }
    size += width
    at += character.length
  }
  return size >= BLOCK ? bad : start
}

/** readerc.go yaml_parser_update_buffer */
function describeUnreadable(text: string): string {
  const bytes = encodeUtf8(text)
  const first = bytes[0] ?? 0
  if (first < 0x80 || !isEscapedByte(text.charCodeAt(0))) return 'control characters are not allowed'
  const width = first >= 0xf8 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0
  if (width === 0) return 'invalid leading UTF-8 octet'
  if (width > bytes.length) return 'incomplete UTF-8 octet sequence'
  if (bytes.subarray(1, width).some((byte) => (byte & 0xc0) !== 0x80)) return 'invalid trailing UTF-8 octet'
  const second = bytes[1] ?? 0
  const isOverlong = width === 2 || (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90)
  return isOverlong ? 'invalid length of a UTF-8 sequence' : 'invalid Unicode character'
}

function isEscapedByte(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdcff
}

/** The column, counted from 0. */
export function columnOf(cursor: Cursor): number {
  return cursor.pos - cursor.lineStart
}

/** True if the code ends a line. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x2028 || code === 0x2029
}

/** True if the code ends a line or the text. */
export function isBreakOrEnd(code: number): boolean {
  return code === 0x0a || code === END || code === 0x2028 || code === 0x2029
}

/** True if the code is a space, a tab, or ends a line or the text. */
export function isBlankOrEnd(code: number): boolean {
  return code <= 0x20
    ? code === 0x20 || code === 0x0a || code === 0x09 || code === END
    : code === 0x2028 || code === 0x2029
}

/** Moves over a line break and returns it; moves over nothing else. */
export function skipBreak(cursor: Cursor): string {
  const code = cursor.text.charCodeAt(cursor.pos)
  if (!isBreak(code)) return ''
  cursor.pos++
  cursor.lineStart = cursor.pos
  return code === 0x0a ? '\n' : String.fromCharCode(code)
}

/** Where an error stands: where it was found, and where the thing began that it is about. */
export interface ErrorPlace {
  readonly at?: number
  readonly from?: number
}

/**
 * The error that go-yaml's scanner gives, at the cursor by default. It names the line, counted from 1, but never the
 * first.
 */
export function failScan(cursor: Cursor, problem: string, { at = cursor.pos, from = at }: ErrorPlace = {}): YamlError {
  if (cursor.unreadable !== undefined && at >= cursor.text.length - 1) return failRead(cursor)
  return createError(cursor, problem, { at, from, line: lineAt(cursor, at) + 1, firstLine: 1 })
}

/**
 * The error that go-yaml's parser gives for a token that starts at `at`. It counts lines from 0 (yes) and leaves out a
 * 0.
 */
export function failParse(cursor: Cursor, at: number, problem: string, from: number = at): YamlError {
  return createError(cursor, problem, { at, from, line: lineAt(cursor, at), firstLine: 0 })
}

/** The error for the character at which the text was cut. */
export function failRead({ unreadable: found }: Cursor): YamlError {
  const { problem, offset } = found ?? { problem: 'input error', offset: 0 }
  return new YamlError(`${PREFIX}${problem}`, offset, { text: problem, from: offset })
}

const PREFIX = 'error converting YAML to JSON: yaml: '

/** An error in go-yaml's words that names no line. */
export function failAt(cursor: Cursor, at: number, problem: string | QuotingProblem): YamlError {
  return createError(cursor, problem, { at, from: at, line: 0, firstLine: 0 })
}

interface NumberedPlace extends Required<ErrorPlace> {
  readonly line: number
  /** The number of the first line, which is never named. */
  readonly firstLine: number
}

function createError(
  cursor: Cursor,
  problem: string | QuotingProblem,
  { at, from, line, firstLine }: NumberedPlace,
): YamlError {
  const where = line === firstLine ? '' : `line ${line}: `
  const text = typeof problem === 'string' ? problem : problem.quoting
  return new YamlError(`${PREFIX}${where}${text}`, originalOffset(cursor, at), {
    text,
    from: originalOffset(cursor, from),
    ...(typeof problem !== 'string' && { unquoted: problem.unquoted }),
  })
}

/** The number of line breaks before `at`; a place after the end is in a line of its own. */
function lineAt(cursor: Cursor, at: number): number {
  const { text } = cursor
  const end = text.length - 1
  let line = 0
  let start = 0
  for (let index = 0; index < Math.min(at, end); index++) {
    if (!isBreak(text.charCodeAt(index))) continue
    line++
    start = index + 1
  }
  return at > end && start < end ? line + 1 : line
}

function originalOffset(cursor: Cursor, at: number): number {
  return createOffsetMap(cursor)(at)
}

/**
 * Returns a function from offsets in the cursor's text to offsets in the original, where line breaks may have been two
 * characters.
 */
export function createOffsetMap({ original }: Cursor): (at: number) => number {
  const skipped = original.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  // where in the cursor's text each `\r\n` ended
  const pairs: number[] = []
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) {
    pairs.push(at + 1 - pairs.length - skipped)
  }
  return (at) => Math.min(at + skipped + countUpTo(pairs, at), original.length)
}

/** How many of the sorted numbers are not above `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
