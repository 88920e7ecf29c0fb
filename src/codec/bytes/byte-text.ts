import { decodeUtf8, encodeUtf8, utf8Length } from './utf8.ts'

/**
 * Go's `text[start:end]`, which counts bytes. Offsets must lie within the text. Cutting inside a character leaves its
 * bytes as escapes (see `model/value.ts`).
 */
export function sliceBytes(text: string, start: number, end: number = Number.POSITIVE_INFINITY): string {
  // each unit is a byte: ASCII and escaped bytes only
  if (utf8Length(text) === text.length) return text.slice(start, end)
  return decodeUtf8(encodeUtf8(text).subarray(start, end))
}

/** The text as one character per byte (U+0000 to U+00FF): a form in which string methods count bytes. */
export function toByteString(text: string): string {
  let result = ''
  for (const byte of encodeUtf8(text)) result += String.fromCharCode(byte)
  return result
}

/** The inverse of {@link toByteString}. */
export function fromByteString(bytes: string): string {
  return decodeUtf8(Uint8Array.from(bytes, (unit) => unit.charCodeAt(0)))
}

/** True if the text is ASCII, so that characters, units and bytes are the same. */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}
