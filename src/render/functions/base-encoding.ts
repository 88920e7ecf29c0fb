import { encodeUtf8 } from '../../codec/utf8.ts'

/** Go's base64.StdEncoding and base32.StdEncoding. */
export type BaseEncoding = 'base64' | 'base32'

interface Shape {
  readonly alphabet: string
  /** Bits of one digit. */
  readonly bits: number
  /** Digits of a full group. */
  readonly group: number
}

const shapes: Readonly<Record<BaseEncoding, Shape>> = {
  base64: { alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', bits: 6, group: 4 },
  base32: { alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', bits: 5, group: 8 },
}

/** Encodes with padding. */
export function encodeBase(bytes: Uint8Array, encoding: BaseEncoding): string {
  const { alphabet, bits, group } = shapes[encoding]
  let text = ''
  let buffer = 0
  let held = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    held += 8
    for (; held >= bits; held -= bits) text += alphabet.charAt((buffer >> (held - bits)) & (2 ** bits - 1))
  }
  if (held > 0) text += alphabet.charAt((buffer << (bits - held)) & (2 ** bits - 1))
  return text.padEnd(Math.ceil(text.length / group) * group, '=')
}

/** Decodes text with padding; line breaks are skipped. Gives Go's error message when it is not valid. */
export function decodeBase(text: string, encoding: BaseEncoding): Uint8Array | string {
  const characters = Array.from(encodeUtf8(text), (byte) => String.fromCharCode(byte))
  const result =
    encoding === 'base64'
      ? readBase64(characters)
      : readBase32(characters.filter((character) => !isLineBreak(character)))
  if (typeof result === 'number') return `illegal ${encoding} data at input byte ${result}`
  const { bits } = shapes[encoding]
  const bytes: number[] = []
  let buffer = 0
  let held = 0
  for (const digit of result) {
    buffer = ((buffer << bits) | digit) & 0xffff
    held += bits
    if (held < 8) continue
    held -= 8
    bytes.push((buffer >> held) & 0xff)
  }
  return Uint8Array.from(bytes)
}

function isLineBreak(character: string): boolean {
  return character === '\n' || character === '\r'
}

/** The digits, or the offset that Go's error names. */
function readBase64(text: readonly string[]): readonly number[] | number {
  const digits: number[] = []
  let inGroup = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (isLineBreak(character)) continue
    if (character === '=') return inGroup < 2 ? at : (checkPadding64(text, at + 1, inGroup) ?? digits)
    const digit = shapes.base64.alphabet.indexOf(character)
    if (digit === -1) return at
    digits.push(digit)
    inGroup = (inGroup + 1) % 4
  }
  return inGroup === 0 ? digits : text.length - inGroup
}

/** The offset of the first problem after the first `=` of a group of `inGroup` digits. */
function checkPadding64(text: readonly string[], from: number, inGroup: number): number | undefined {
  let at = skipLineBreaks(text, from)
  if (inGroup === 2) {
    if (at === text.length) return at
    if (text[at] !== '=') return at - 1
    at = skipLineBreaks(text, at + 1)
  }
  return at < text.length ? at : undefined
}

function skipLineBreaks(text: readonly string[], from: number): number {
  let at = from
  while (isLineBreak(text[at] ?? '')) at++
  return at
}

/** The same for base32, of text without line breaks. What follows complete padding is not looked at. */
function readBase32(text: readonly string[]): readonly number[] | number {
  const digits: number[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    const inGroup = digits.length % 8
    if (character === '=' && inGroup >= 2 && text.length - at - 1 < 8)
      return checkPadding32(text, at, inGroup) ?? digits
    const digit = shapes.base32.alphabet.indexOf(character)
    if (digit === -1) return at
    digits.push(digit)
  }
  const inGroup = digits.length % 8
  return inGroup === 0 ? digits : text.length - inGroup
}

/** The offset of the problem with padding that starts at `at` after `inGroup` digits of a group. */
function checkPadding32(text: readonly string[], at: number, inGroup: number): number | undefined {
  const rest = text.slice(at + 1)
  if (rest.length + inGroup < 7) return text.length
  const wrong = rest.slice(0, 7 - inGroup).findIndex((character) => character !== '=')
  if (wrong !== -1) return at + wrong
  return inGroup === 3 || inGroup === 6 ? at : undefined
}
