/** The value of a scalar for go-yaml v2; `int` and `float` come with their value. */
export type Resolved =
  | { readonly kind: 'str' | 'timestamp'; readonly value: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null'; readonly value: null }
  | { readonly kind: 'int'; readonly value: number | bigint }
  | { readonly kind: 'float'; readonly value: number }

const NULL: Resolved = { kind: 'null', value: null }
const TRUE: Resolved = { kind: 'bool', value: true }
const FALSE: Resolved = { kind: 'bool', value: false }
const INFINITE: Resolved = { kind: 'float', value: Infinity }

const words: ReadonlyMap<string, Resolved> = new Map<string, Resolved>([
  ...entriesOf(TRUE, 'y Y yes Yes YES true True TRUE on On ON'),
  ...entriesOf(FALSE, 'n N no No NO false False FALSE off Off OFF'),
  ...entriesOf(NULL, '~ null Null NULL'),
  ...entriesOf({ kind: 'float', value: NaN }, '.nan .NaN .NAN'),
  ...entriesOf(INFINITE, '.inf .Inf .INF +.inf +.Inf +.INF'),
  ...entriesOf({ kind: 'float', value: -Infinity }, '-.inf -.Inf -.INF'),
  ['', NULL],
])

function entriesOf(resolved: Resolved, spellings: string): readonly (readonly [string, Resolved])[] {
  return spellings.split(' ').map((spelling) => [spelling, resolved])
}

const NUMBER = 1
const WORD = 2
/** By the first character: whether a scalar can be something else than text (resolve.go resolveTable). */
const hints: Uint8Array = new Uint8Array(128)
for (const character of '+-0123456789.') hints[character.charCodeAt(0)] = NUMBER
for (const character of 'yYnNtTfFoO~') hints[character.charCodeAt(0)] = WORD

/** True if a plain scalar is surely text, judged by its first character alone. */
export function isSurelyText(text: string): boolean {
  const first = text.charCodeAt(0)
  return first > 127 || hints[first] === 0
}

/** Resolves a plain scalar without a tag by YAML 1.1 as go-yaml v2 has it (resolve.go). */
export function resolvePlain(text: string): Resolved {
  const hint = hints[text.charCodeAt(0)]
  if (hint === 0) return { kind: 'str', value: text }
  // the longest words have five letters
  const word = text.length <= 5 ? words.get(text) : undefined
  if (word !== undefined) return word
  if (hint === NUMBER)
    return (
      resolveNumber(text) ?? (isTimestamp(text) ? { kind: 'timestamp', value: text } : { kind: 'str', value: text })
    )
  return { kind: 'str', value: text }
}

const decimal = /^(?:0|[1-9][0-9]{0,14})$/
const yamlFloat = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const dottedFloat = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/
const goInteger = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/
/** go-yaml also takes a sign after the prefix. */
const signedBinary = /^0b([-+])([01]+)$/

/** Resolves text that starts with a digit, a sign or a dot; undefined when it is no number. */
function resolveNumber(text: string): Resolved | undefined {
  if (decimal.test(text)) return { kind: 'int', value: Number(text) }
  if (text.startsWith('.')) return dottedFloat.test(text) ? finite(text.replaceAll('_', '')) : undefined
  const plain = text.includes('_') ? text.replaceAll('_', '') : text
  return resolveInteger(plain) ?? (yamlFloat.test(plain) ? finite(plain) : undefined)
}

function finite(text: string): Resolved | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? { kind: 'float', value } : undefined
}

/** More digits than any 64-bit number has in any base, so that long text costs no time. */
const MAX_DIGITS = 400
const MAX_UINT64 = 2n ** 64n - 1n
const MIN_INT64 = -(2n ** 63n)

/** strconv.ParseInt and ParseUint with base 0: `0x`, `0b`, `0o` and a leading `0` say the base. */
function resolveInteger(plain: string): Resolved | undefined {
  if (plain.length > MAX_DIGITS) return undefined
  const match = goInteger.exec(plain.replace(signedBinary, '$10b$2'))
  if (match === null) return undefined
  const [, sign = '', hex, binary, octal, digits = ''] = match
  const literal =
    hex !== undefined ? `0x${hex}` : binary !== undefined ? `0b${binary}` : octal !== undefined ? `0o${octal}` : digits
  const magnitude = BigInt(literal)
  const value = sign === '-' ? -magnitude : magnitude
  // an unsigned number takes no sign
  const highest = sign === '' ? MAX_UINT64 : -MIN_INT64 - 1n
  if (value > highest || value < MIN_INT64) return undefined
  const small = Number(value)
  return { kind: 'int', value: Number.isSafeInteger(small) ? small + 0 : value }
}

const timestamp =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:(?:[Tt]| +)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(Z|[-+](\d\d):(\d\d))?)?$/

/** True if go-yaml reads the text as a date or time (resolve.go parseTimestamp: four layouts of Go's time.Parse). */
function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text)
  if (match === null) return false
  const [, month = '', day = '', hour, minute = '', second = '', zone, zoneHour = '0', zoneMinute = '0'] = match
  const hasSpace = text.includes(' ')
  // a time after T has a zone, one after a space has none
  if (hour !== undefined && hasSpace === (zone !== undefined)) return false
  return (
    isDate(Number(text.slice(0, 4)), Number(month), Number(day)) &&
    Number(hour ?? 0) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(zoneHour) <= 24 &&
    Number(zoneMinute) <= 60
  )
}

const monthDays: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (monthDays[month - 1] ?? 0) + (isLeap && month === 2 ? 1 : 0)
}
