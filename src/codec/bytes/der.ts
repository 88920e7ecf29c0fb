import { encodeUtf8 } from './utf8.ts'

/** A DER value: its tag, and where its content lies. */
export interface DerValue {
  readonly tag: number
  readonly content: Uint8Array
  /** Tag and length included. */
  readonly whole: Uint8Array
}

/** Returns a DER value with the parts one after the other as content (X.690, 8.1). */
export function derValue(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | bytesOf(length).length, ...bytesOf(length)]
  const bytes = new Uint8Array(head.length + length)
  bytes.set(head)
  let at = head.length
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function bytesOf(number: number): readonly number[] {
  return number === 0 ? [] : [...bytesOf(Math.floor(number / 256)), number % 256]
}

/** SEQUENCE. */
export function derSequence(...parts: readonly Uint8Array[]): Uint8Array {
  return derValue(0x30, ...parts)
}

/** OBJECT IDENTIFIER, from its dotted form. */
export function derObjectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc % 128]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | (left % 128))
    return digits
  })
  return derValue(0x06, Uint8Array.from(bytes))
}

/** A string of a type such as UTF8String (0x0c), PrintableString (0x13) or IA5String (0x16). */
export function derText(tag: number, text: string): Uint8Array {
  return derValue(tag, encodeUtf8(text))
}

/** Takes content apart into the values in it. @throws RangeError when it is no DER */
export function readDer(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = []
  let at = 0
  while (at < bytes.length) {
    const short = bytes[at + 1] ?? 0
    const count = short < 0x80 ? 0 : short & 0x7f
    let length = count === 0 ? short : 0
    for (let index = 0; index < count; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0)
    const start = at + 2 + count
    const end = start + length
    if (end > bytes.length || short === 0x80) throw new RangeError('a DER value goes beyond its end')
    values.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) })
    at = end
  }
  return values
}
