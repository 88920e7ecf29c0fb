import { isPrintable } from './printable.ts'

/**
 * Go's package unicode for one character (a string of one code point). Case mappings are the simple ones, which never
 * change the number of characters (`ß` stays). Characters newer than Unicode 15.0, the version of Go 1.21 to 1.26, have
 * no properties, whatever this Node knows.
 */
const replacement = '\uFFFD'

/** Go's ToUpper. */
export function upperRune(rune: string): string {
  const code = rune.codePointAt(0) ?? 0
  if (code < 0x80) return rune.toUpperCase()
  const special = upperSpecial(code)
  return special === undefined ? simple(rune, rune.toUpperCase()) : String.fromCodePoint(special)
}

/** Greek letters with iota subscript: JavaScript writes two letters, the simple mapping one. */
function upperSpecial(code: number): number | undefined {
  if (code < 0x1f80 || code > 0x1ff3) return undefined
  if (code <= 0x1fa7) return (code & 0xf) < 8 ? code + 8 : undefined
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? code + 9 : undefined
}

/** Go's ToLower. */
export function lowerRune(rune: string): string {
  const code = rune.codePointAt(0) ?? 0
  if (code < 0x80) return rune.toLowerCase()
  return code === 0x130 ? 'i' : simple(rune, rune.toLowerCase())
}

/** Go's ToTitle: as upper case but for digraphs and Georgian. */
export function titleRune(rune: string): string {
  const code = rune.codePointAt(0) ?? 0
  if (code >= 0x1c4 && code <= 0x1cc) return String.fromCodePoint(code - ((code - 0x1c4) % 3) + 1)
  if (code >= 0x1f1 && code <= 0x1f3) return '\u01f2'
  if (code >= 0x10d0 && code <= 0x10ff) return rune
  return upperRune(rune)
}

function simple(rune: string, mapped: string): string {
  const code = mapped.codePointAt(0) ?? 0
  const isOne = mapped.length === (code > 0xffff ? 2 : 1)
  return isOne && isAssigned(rune) && isPrintable(code) ? mapped : rune
}

function isAssigned(rune: string): boolean {
  return isPrintable(rune.codePointAt(0) ?? 0)
}

/** Go's IsUpper. */
export function isUpperRune(rune: string): boolean {
  return /^\p{Lu}$/u.test(rune) && isAssigned(rune)
}

/** Go's IsLower. */
export function isLowerRune(rune: string): boolean {
  return (/^\p{Ll}$/u.test(rune) && isAssigned(rune)) || rune === '\u0295'
}

/** Go's IsTitle. */
export function isTitleRune(rune: string): boolean {
  return /^\p{Lt}$/u.test(rune) && isAssigned(rune)
}

/** Go's IsLetter. */
export function isLetterRune(rune: string): boolean {
  return /^\p{L}$/u.test(rune) && isAssigned(rune)
}

/** Go's IsDigit. */
export function isDigitRune(rune: string): boolean {
  return /^\p{Nd}$/u.test(rune) && isAssigned(rune)
}

/** Go's IsNumber. */
export function isNumberRune(rune: string): boolean {
  return /^\p{N}$/u.test(rune) && isAssigned(rune)
}

/** Go's IsPunct. */
export function isPunctRune(rune: string): boolean {
  return /^\p{P}$/u.test(rune) && isAssigned(rune)
}

/** The characters for which Go's IsSpace holds, as the inside of a character class. */
export const spaceClass = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const space = new RegExp(`^[${spaceClass}]$`)

/** Go's IsSpace. */
export function isSpaceRune(rune: string): boolean {
  return space.test(rune)
}

/** Go's []rune of a string: an invalid byte is U+FFFD. */
export function runesOf(text: string): string[] {
  return Array.from(text, (rune) => (isEscapedByte(rune) ? replacement : rune))
}

/** True if a character stands for a byte that is not UTF-8 (see `model/value.ts`). */
export function isEscapedByte(rune: string): boolean {
  const unit = rune.charCodeAt(0)
  return rune.length === 1 && unit >= 0xdc00 && unit <= 0xdfff
}

/** Applies `mapping` to every character, as Go's strings.Map; ASCII text takes `ascii` at once. */
export function mapRunes(text: string, mapping: (rune: string) => string): string {
  let result = ''
  for (const rune of text) result += isEscapedByte(rune) ? replacement : mapping(rune)
  return result
}
