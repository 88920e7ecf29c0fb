import type { RandomSource } from './random-source.ts'

function charactersOf(first: string, last: string): string {
  const from = first.charCodeAt(0)
  return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, index) => String.fromCharCode(from + index)).join('')
}

const digits = charactersOf('0', '9')
const letters = charactersOf('A', 'Z') + charactersOf('a', 'z')

/** The characters that each kind of random text is made of. Rule: Masterminds goutils cryptorandomstringutils.go. */
export const randomAlphabets: ReadonlyMap<string, string> = new Map([
  ['randAlphaNum', digits + letters],
  ['randAlpha', letters],
  ['randNumeric', digits],
  ['randAscii', charactersOf(' ', '~')],
])

/** Draws `count` characters of an alphabet. */
export function drawText(alphabet: string, count: number, random: RandomSource): string {
  return Array.from({ length: count }, () => alphabet.charAt(random.below(alphabet.length))).join('')
}

/** Draws a UUID (RFC 9562, version 4). */
export function drawUuid(random: RandomSource): string {
  const hex = Array.from(random.bytes(16), (byte, index) => {
    const fixed = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte
    return fixed.toString(16).padStart(2, '0')
  }).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
