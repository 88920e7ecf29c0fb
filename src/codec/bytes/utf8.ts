const INVALID = 0xdc00
const loneSurrogate = /\p{Surrogate}/u

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/**
 * Decodes UTF-8 without loss: a byte `b` that is not part of a valid sequence becomes the lone low surrogate U+DC00 + b
 * (as Python's surrogateescape, see `model/value.ts`). A byte order mark is kept.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return decodeWithEscapes(bytes)
  }
}

/** Where a decoded text has the first byte that was no UTF-8; undefined if all of it was. */
export function escapedByteAt(text: string): number | undefined {
  const start = text.search(/(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/)
  return start === -1 ? undefined : start
}

function decodeWithEscapes(bytes: Uint8Array): string {
  let text = ''
  let valid = 0
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += strictDecoder.decode(bytes.subarray(valid, at)) + String.fromCharCode(INVALID + (bytes[at] ?? 0))
    valid = ++at
  }
  return text + strictDecoder.decode(bytes.subarray(valid))
}

/** The length of the valid sequence at `at`; 0 when there is none (Unicode standard, table 3-7). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  const second = bytes[at + 1] ?? 0
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < low || second > high) return 0
  for (let next = 2; next < length; next++) {
    if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0
  }
  return length
}

/**
 * Encodes as UTF-8; the inverse of {@link decodeUtf8}. Any other lone surrogate (the mark of a token) is written as the
 * three bytes that its number would take.
 */
export function encodeUtf8(text: string): Uint8Array {
  return loneSurrogate.test(text) ? encodeEscaped(text) : encoder.encode(text)
}

function encodeEscaped(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  for (const character of text) {
    const code = character.charCodeAt(0)
    if (character.length === 1 && code >= INVALID && code <= INVALID + 0xff) bytes[length++] = code - INVALID
    else if (character.length === 1 && code >= 0xd800 && code <= 0xdfff) {
      bytes[length++] = 0xe0 | (code >> 12)
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f)
      bytes[length++] = 0x80 | (code & 0x3f)
    } else length += encoder.encodeInto(character, bytes.subarray(length)).written
  }
  return bytes.slice(0, length)
}

/** The number of bytes that {@link encodeUtf8} would write: Go's `len` of a string. */
export function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    if (code < 0x800) length++
    else if (code < 0xd800 || code > 0xdfff) length += 2
    else if (code < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      length += 2
      at++
    } else if (code < INVALID || code > INVALID + 0xff) length += 2
  }
  return length
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
