import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { goEscapes } from '../../codec/text/go-escapes.ts'
import { isPrintable } from '../../codec/text/printable.ts'

/** Text that needs nothing but the quotes around it; the common case. */
const plain = /^[ !#-[\]-~]*$/

/** Which characters stay as they are: all printable ones (`%q`) or ASCII only (`%+q`). */
export type QuoteCharset = 'printable' | 'ascii'

/**
 * Returns `text` as a Go string literal in double quotes, as `%q` and strconv.Quote do: bytes that are no UTF-8 become
 * `\xNN`, tokens stay verbatim.
 */
export function quoteGo(text: string, charset: QuoteCharset = 'printable'): string {
  if (plain.test(text)) return `"${text}"`
  const whole = joinBytes(text)
  let result = '"'
  for (let at = 0; at < whole.length;) {
    const codePoint = whole.codePointAt(at) ?? 0
    if (isTokenAt(whole, at)) {
      result += whole.slice(at, at + 2)
      at += 2
      continue
    }
    if (codePoint >= 0xdc80 && codePoint <= 0xdcff) result += `\\x${(codePoint - 0xdc00).toString(16)}`
    else result += escapeRune(codePoint, '"', charset)
    at += codePoint > 0xffff ? 2 : 1
  }
  return result + '"'
}

/**
 * Returns a code point as a Go character literal, as `%q` of an integer does; anything that is no character is U+FFFD.
 */
export function quoteRune(codePoint: number, charset: QuoteCharset = 'printable'): string {
  const isCharacter = codePoint >= 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff)
  return `'${escapeRune(isCharacter ? codePoint : 0xfffd, "'", charset)}'`
}

/**
 * True if Go's `%#q` can write `text` in back quotes: valid UTF-8 on one line, no control character but tab, no back
 * quote.
 */
export function canBackquote(text: string): boolean {
  for (const character of joinBytes(text)) {
    const codePoint = character.codePointAt(0) ?? 0
    if (codePoint < 0x20 && codePoint !== 9) return false
    if (codePoint === 0x60 || codePoint === 0x7f || codePoint === 0xfeff) return false
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) return false
  }
  return true
}

/**
 * Lone bytes that stand side by side may form a character once they meet (Go sees bytes only): returns `text` in the
 * one form that its bytes have.
 */
export function joinBytes(text: string): string {
  return text.replace(/(?<![\ud800-\udbff])[\udc80-\udcff]{2,}/g, (bytes) => decodeUtf8(encodeUtf8(bytes)))
}

function isTokenAt(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0xdbff) return false
  const next = text.charCodeAt(at + 1)
  return next >= 0xe000 && next <= 0xf8ff
}

function escapeRune(codePoint: number, quote: string, charset: QuoteCharset): string {
  const character = String.fromCodePoint(codePoint)
  if (character === quote || character === '\\') return `\\${character}`
  if (isPrintable(codePoint) && (charset === 'printable' || codePoint < 0x80)) return character
  const short = goEscapes.get(codePoint)
  if (short !== undefined) return short
  if (codePoint < 0x20 || codePoint === 0x7f) return `\\x${codePoint.toString(16).padStart(2, '0')}`
  if (codePoint < 0x10000) return `\\u${codePoint.toString(16).padStart(4, '0')}`
  return `\\U${codePoint.toString(16).padStart(8, '0')}`
}
