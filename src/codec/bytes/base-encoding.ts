import { encodeUtf8 } from './utf8.ts'

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

const lineFeed = 10
const carriageReturn = 13
const padding = 0x3d

/** Encodes with padding. */
export function encodeBase(bytes: Uint8Array, encoding: BaseEncoding): string {
  const { alphabet, bits, group } = shapes[encoding]
  const mask = 2 ** bits - 1
  let text = ''
  let buffer = 0
  let held = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    held += 8
    for (; held >= bits; held -= bits) text += alphabet.charAt((buffer >> (held - bits)) & mask)
  }
  if (held > 0) text += alphabet.charAt((buffer << (bits - held)) & mask)
  return text.padEnd(Math.ceil(text.length / group) * group, '=')
}

/** Decodes text with padding; line breaks are skipped. Gives Go's error message when it is not valid. */
export function decodeBase(text: string, encoding: BaseEncoding): Uint8Array | string {
  const bytes = encodeUtf8(text)
  const digits = encoding === 'base64' ? readBase64(bytes) : readBase32(bytes.filter((byte) => !isLineBreak(byte)))
  return typeof digits === 'number'
    ? `illegal ${encoding} data at input byte ${digits}`
    : joinDigits(digits, shapes[encoding].bits)
}

function joinDigits(digits: Uint8Array, bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor((digits.length * bits) / 8))
  let length = 0
  let buffer = 0
  let held = 0
  for (const digit of digits) {
    buffer = ((buffer << bits) | digit) & 0xffff
    held += bits
    if (held < 8) continue
    held -= 8
    bytes[length++] = (buffer >> held) & 0xff
  }
  return bytes
}

/** Digit values by character code; -1 where there is none. */
function digitTable({ alphabet }: Shape): Int8Array {
  const table = new Int8Array(256).fill(-1)
  for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value
  return table
}

const digits64 = digitTable(shapes.base64)
const digits32 = digitTable(shapes.base32)

function isLineBreak(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn
}

/** The digits, or the offset that Go's error names. */
function readBase64(text: Uint8Array): Uint8Array | number {
  const digits = new Uint8Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    const digit = digits64[byte] ?? -1
    if (digit >= 0) digits[count++] = digit
    else if (byte === padding) {
      const inGroup = count % 4
      return inGroup < 2 ? at : (checkPadding64(text, at + 1, inGroup) ?? digits.subarray(0, count))
    } else if (!isLineBreak(byte)) return at
  }
  return count % 4 === 0 ? digits.subarray(0, count) : text.length - (count % 4)
}

/** The offset of the first problem after the first `=` of a group of `inGroup` digits. */
function checkPadding64(text: Uint8Array, from: number, inGroup: number): number | undefined {
  let at = skipLineBreaks(text, from)
  if (inGroup === 2) {
    if (at === text.length) return at
    if (text[at] !== padding) return at - 1
    at = skipLineBreaks(text, at + 1)
  }
  return at < text.length ? at : undefined
}

function skipLineBreaks(text: Uint8Array, from: number): number {
  let at = from
  while (isLineBreak(text[at])) at++
  return at
}

/** The same for base32, of text without line breaks. What follows complete padding is not looked at. */
function readBase32(text: Uint8Array): Uint8Array | number {
  const digits = new Uint8Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    const inGroup = count % 8
    if (byte === padding && inGroup >= 2 && text.length - at - 1 < 8) {
      return checkPadding32(text, at, inGroup) ?? digits.subarray(0, count)
    }
    const digit = digits32[byte] ?? -1
    if (digit < 0) return at
    digits[count++] = digit
  }
  return count % 8 === 0 ? digits.subarray(0, count) : text.length - (count % 8)
}

/** The offset of the problem with padding that starts at `at` after `inGroup` digits of a group. */
function checkPadding32(text: Uint8Array, at: number, inGroup: number): number | undefined {
  const rest = text.subarray(at + 1)
  if (rest.length + inGroup < 7) return text.length
  const wrong = rest.subarray(0, 7 - inGroup).findIndex((byte) => byte !== padding)
  if (wrong !== -1) return at + wrong
  return inGroup === 3 || inGroup === 6 ? at : undefined
}
