import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { say, written, type ErrorText } from './error-text.ts'

const escape = /\\(?:([abfnrtv\\'"])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[\s\S]?)/g

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
])

/**
 * Returns the text of a Go string literal in double quotes or back quotes; undefined when it is none (strconv.Unquote).
 */
export function unquoteString(literal: string): string | undefined {
  const inside = literal.slice(1, -1)
  if (literal.startsWith('`')) return inside.replaceAll('\r', '')
  return inside.includes('\\') ? unescape(inside, '"') : inside
}

/** Returns the code point of a Go character literal, or what Go says is wrong with it (strconv.UnquoteChar). */
export function unquoteChar(literal: string): { readonly codePoint: number } | { readonly problem: ErrorText } {
  const inside = literal.slice(1, -1)
  if (inside === '') return { problem: say`invalid syntax` }
  const first = inside.startsWith('\\')
    ? (inside.match(escape)?.[0] ?? '')
    : String.fromCodePoint(inside.codePointAt(0) ?? 0)
  const byte = first.match(/^\\(?:x(..)|([0-7]{3}))$/)
  const text = unescape(first, "'")
  if (text === undefined) return { problem: say`invalid syntax` }
  if (first.length !== inside.length) return { problem: say`malformed character constant: ${written(literal)}` }
  if (byte !== null) return { codePoint: byte[1] === undefined ? parseInt(byte[2] ?? '', 8) : parseInt(byte[1], 16) }
  const codePoint = text.codePointAt(0) ?? 0
  return { codePoint: codePoint >= 0xdc00 && codePoint <= 0xdfff ? 0xfffd : codePoint }
}

function unescape(inside: string, quote: string): string | undefined {
  let isValid = true
  let hasBytes = false
  const text = inside.replace(
    escape,
    (whole, short?: string, octal?: string, byte?: string, u4?: string, u8?: string) => {
      if (short !== undefined) {
        const plain = shortEscapes.get(short) ?? (short === quote ? short : undefined)
        if (plain === undefined) isValid = false
        return plain ?? whole
      }
      const value = octal === undefined ? undefined : parseInt(octal, 8)
      const number = value ?? (byte === undefined ? undefined : parseInt(byte, 16))
      if (number !== undefined) {
        if (number > 0xff) isValid = false
        if (number >= 0x80) hasBytes = true
        return String.fromCharCode(number < 0x80 ? number : 0xdc00 + (number & 0xff))
      }
      const codePoint = parseInt(u4 ?? u8 ?? '', 16)
      if (Number.isNaN(codePoint) || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
        isValid = false
        return whole
      }
      return String.fromCodePoint(codePoint)
    },
  )
  if (!isValid) return undefined
  // bytes written one by one may form a character
  return hasBytes ? decodeUtf8(encodeUtf8(text)) : text
}
