import { sliceBytes, fromByteString, toByteString } from '../../../codec/bytes/byte-text.ts'
import { isSpaceRune } from '../../../codec/text/go-unicode.ts'
import { utf8Length } from '../../../codec/bytes/utf8.ts'

/**
 * goutils' functions, which look at bytes; a byte becomes the character of its number where they take bytes for
 * characters.
 */

/**
 * The text shortened to `width` bytes with `...` (goutils.AbbreviateFull): what is left of `offset` is cut too. sprig
 * gives the text back when the widths are too small.
 */
export function abbreviate(text: string, offset: number, width: number): string {
  if (width < 4 || (offset > 0 && width < 7)) return text
  const length = utf8Length(text)
  if (length <= width) return text
  const start = Math.min(offset, length)
  const first = length - start < width - 3 ? length - (width - 3) : start
  if (first <= 4) return `${sliceBytes(text, 0, width - 3)}...`
  if (width < 7) return ''
  if (first + width - 3 >= length) return `...${sliceBytes(text, length - (width - 3))}`
  const rest = sliceBytes(text, first)
  return `...${abbreviateRest(rest, width - 3)}`
}

function abbreviateRest(text: string, width: number): string {
  return utf8Length(text) <= width ? text : `${sliceBytes(text, 0, width - 3)}...`
}

/** The text without white space (goutils.DeleteWhiteSpace). */
export function deleteSpaces(text: string): string {
  const bytes = toByteString(text)
  const kept = Array.from(bytes).filter((byte) => !isSpaceRune(byte))
  return kept.length === bytes.length ? text : kept.join('')
}

/** The first byte of every word (goutils.Initials). */
export function firstLetters(text: string): string {
  let isAfterGap = true
  let result = ''
  for (const byte of toByteString(text)) {
    if (isSpaceRune(byte)) isAfterGap = true
    else if (isAfterGap) {
      result += byte
      isAfterGap = false
    }
  }
  return result
}

/** Lines between two charges, and what one is worth beside its text. */
const BATCH = 4096
const LINE = 32

/** How {@link wrapText} breaks. */
export interface Wrapping {
  readonly width: number
  /** The text between lines; a line feed when absent or empty. */
  readonly newLine?: string
  /** The treatment of a word longer than a line. */
  readonly longWords: 'keep' | 'break'
  /** Called with the length of text about to be built. */
  readonly charge: (amount: number) => void
}

/** Breaks lines at spaces after at most `width` bytes (goutils.WrapCustom). */
export function wrapText(text: string, { width, newLine, longWords, charge }: Wrapping): string {
  const bytes = toByteString(text)
  const limit = Math.max(width, 1)
  const lines: string[] = []
  let at = 0
  while (bytes.length - at > limit) {
    if (bytes.charAt(at) === ' ') {
      at++
      continue
    }
    // looked for in the line only: a search backwards through the whole text would take quadratic time
    const inLine = bytes.slice(at, at + limit + 1).lastIndexOf(' ')
    const space = inLine === -1 ? -1 : at + inLine
    const end = space >= at ? space : longWords === 'break' ? at + limit : endOfWord(bytes, at + limit)
    lines.push(bytes.slice(at, end))
    // many short lines are more work than their text says, and must be stopped before all of them are there
    if (lines.length % BATCH === 0) charge(BATCH * LINE)
    if (end === bytes.length && space < at && longWords === 'keep') return joinLines(lines, newLine, charge)
    at = space >= at || longWords === 'keep' ? end + 1 : end
  }
  lines.push(bytes.slice(at))
  return joinLines(lines, newLine, charge)
}

function endOfWord(bytes: string, from: number): number {
  const space = bytes.indexOf(' ', from)
  return space === -1 ? bytes.length : space
}

function joinLines(lines: readonly string[], newLine: string | undefined, charge: (amount: number) => void): string {
  const separator = newLine === undefined || newLine === '' ? '\n' : newLine
  charge(lines.reduce((sum, line) => sum + line.length + separator.length, 0))
  return fromByteString(lines.join(toByteString(separator)))
}
