import { encodeUtf8 } from '../bytes/utf8.ts'

const surrogate = /[\uD800-\uDFFF]/
const letter = /^\p{L}$/u
const digit = /^\p{Nd}$/u

/** Compares by UTF-8 bytes, Go's order of strings: negative, 0 or positive. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const unitA = a.charCodeAt(at)
    const unitB = b.charCodeAt(at)
    if (unitA === unitB) continue
    return isSurrogate(unitA) || isSurrogate(unitB) ? compareEncoded(a, b) : unitA - unitB
  }
  return a.length - b.length
}

/** Code units order surrogates before U+E000, bytes do not; an escaped byte sorts as the byte. */
function compareEncoded(a: string, b: string): number {
  const bytesA = encodeUtf8(a)
  const bytesB = encodeUtf8(b)
  const length = Math.min(bytesA.length, bytesB.length)
  for (let at = 0; at < length; at++) {
    const difference = (bytesA[at] ?? 0) - (bytesB[at] ?? 0)
    if (difference !== 0) return difference
  }
  return bytesA.length - bytesB.length
}

/** The order of map keys that go-yaml v2 writes (sorter.go `keyList.Less`): numbers inside a key sort by value. */
export function compareNatural(a: string, b: string): number {
  return compareKeys(a, b, 'v2')
}

/** The same for go-yaml v3, where after a digit a letter sorts before anything else. */
export function compareNaturalV3(a: string, b: string): number {
  return compareKeys(a, b, 'v3')
}

/**
 * Sorts keys in place, the same for every order that they come in. That takes a first sort by something else because
 * go-yaml's order is not transitive where digits meet letters (`1k` < `2` < `10` < `1k`); there Go's own output varies.
 */
export function sortNaturally(keys: string[], compare: (a: string, b: string) => number): string[] {
  return keys.sort().sort(compare)
}

function compareKeys(a: string, b: string, rule: 'v2' | 'v3'): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  const unitA = a.charCodeAt(at)
  const unitB = b.charCodeAt(at)
  if (isAsciiLetter(unitA) && isAsciiLetter(unitB)) return unitA - unitB
  return compareRunes(runesOf(a), runesOf(b), rule)
}

function compareRunes(a: readonly string[], b: readonly string[], rule: 'v2' | 'v3'): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  const runeA = a[at]
  const runeB = b[at]
  if (runeA === undefined || runeB === undefined) return a.length - b.length
  const isLetterA = letter.test(runeA)
  const isLetterB = letter.test(runeB)
  if (isLetterA && isLetterB) return codeOf(runeA) - codeOf(runeB)
  if (isLetterA || isLetterB) {
    const isAfterDigit = rule === 'v3' && at > 0 && digit.test(a[at - 1] ?? '')
    return isLetterA === isAfterDigit ? -1 : 1
  }
  const start = (runeA === '0' || runeB === '0') && followsNonZeroDigit(a, at) ? 1n : 0n
  const numberA = digitsAt(a, at, start)
  const numberB = digitsAt(b, at, start)
  if (numberA.value !== numberB.value) return numberA.value < numberB.value ? -1 : 1
  if (numberA.end !== numberB.end) return numberA.end - numberB.end
  return codeOf(runeA) - codeOf(runeB)
}

/** Go's []rune: an invalid byte is U+FFFD. */
function runesOf(text: string): readonly string[] {
  if (!surrogate.test(text)) return text.split('')
  return Array.from(text, (rune) => (rune.length === 1 && isEscapedByte(rune) ? '\uFFFD' : rune))
}

function followsNonZeroDigit(runes: readonly string[], at: number): boolean {
  for (let before = at - 1; before >= 0 && digit.test(runes[before] ?? ''); before--) {
    if (runes[before] !== '0') return true
  }
  return false
}

/** The run of digits from `at` on as Go's int64 arithmetic sees it, overflow included. */
function digitsAt(
  runes: readonly string[],
  at: number,
  start: bigint,
): { readonly value: bigint; readonly end: number } {
  let value = start
  let end = at
  for (; end < runes.length && digit.test(runes[end] ?? ''); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(runes[end] ?? '0') - 0x30))
  }
  return { value, end }
}

function codeOf(rune: string): number {
  return rune.codePointAt(0) ?? 0
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function isEscapedByte(rune: string): boolean {
  const unit = rune.charCodeAt(0)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function isAsciiLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)
}
