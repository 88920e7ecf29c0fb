const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

/** The result of strconv.ParseInt: with a range error the nearest value. */
export interface ParsedInt {
  readonly value: bigint
  readonly problem?: 'syntax' | 'range'
}

const digitPatterns: ReadonlyMap<number, RegExp> = new Map([
  [2, /^[01]+$/],
  [8, /^[0-7]+$/],
  [10, /^[0-9]+$/],
  [16, /^[0-9a-f]+$/],
])
const basePrefixes: ReadonlyMap<string, number> = new Map([
  ['0b', 2],
  ['0o', 8],
  ['0x', 16],
])
const literalPrefixes: ReadonlyMap<number, string> = new Map([
  [2, '0b'],
  [8, '0o'],
  [10, ''],
  [16, '0x'],
])

/** Go's strconv.ParseInt to 64 bits; base 0 goes by the prefix and allows underscores as Go literals do. */
export function parseGoInt(text: string, base: 0 | 8 | 10): ParsedInt {
  const [, sign = '', unsigned = ''] = /^([-+]?)(.*)$/s.exec(text) ?? []
  const [digits, radix] = base === 0 ? splitBase(unsigned.toLowerCase()) : [unsigned.toLowerCase(), base]
  if (!digitPatterns.get(radix)?.test(digits)) return { value: 0n, problem: 'syntax' }
  const magnitude = readDigits(digits, radix)
  const value = sign === '-' ? -magnitude : magnitude
  if (value > maxInt64) return { value: maxInt64, problem: 'range' }
  return value < minInt64 ? { value: minInt64, problem: 'range' } : { value }
}

/** More digits than these are out of range whatever they are. */
const maxDigits = 100

function readDigits(digits: string, radix: number): bigint {
  const significant = digits.replace(/^0+/, '')
  if (significant.length > maxDigits) return 2n ** 64n
  const prefix = literalPrefixes.get(radix) ?? ''
  return BigInt(`${prefix}${significant === '' ? '0' : significant}`)
}

/** Digits and radix of a literal in lower case; digits that fit no radix when the underscores are misplaced. */
function splitBase(text: string): readonly [digits: string, radix: number] {
  const prefix = text.slice(0, 2)
  const known = basePrefixes.get(prefix)
  const radix = known ?? (text.length > 1 && text.startsWith('0') ? 8 : 10)
  // an underscore may follow the prefix (or the octal 0) and stand between digits
  const body = known === undefined ? text : text.slice(2).replace(/^_/, '')
  if (/__|_$|^_/.test(body)) return ['_', radix]
  return [body.replaceAll('_', ''), radix]
}

const decimalFloat = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/
const hexFloat = /^([-+]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([-+]?\d+)$/
const infinity = /^([-+]?)inf(?:inity)?$/

/** Go's strconv.ParseFloat to 64 bits; undefined for a syntax error or a number out of range. */
export function parseGoFloat(text: string): number | undefined {
  const lower = text.toLowerCase()
  if (lower === 'nan') return Number.NaN
  const infinite = infinity.exec(lower)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  const digits = lower.includes('_') ? withoutUnderscores(lower) : lower
  if (digits === undefined) return undefined
  if (decimalFloat.test(digits)) {
    const value = Number(digits)
    return Number.isFinite(value) ? value : undefined
  }
  const hex = hexFloat.exec(digits)
  return hex === null ? undefined : readHexFloat(hex)
}

/** Underscores stand between digits or between the base prefix and a digit (strconv underscoreOK). */
function withoutUnderscores(text: string): string | undefined {
  const body = text.replace(/^[-+]/, '')
  const isHex = body.startsWith('0x')
  const digit = isHex ? '[0-9a-f]' : '\\d'
  const checked = isHex ? `0${body.slice(2)}` : body
  const misplaced = new RegExp(`(?<!${digit})_|_(?!${digit})`)
  return misplaced.test(checked) ? undefined : text.replaceAll('_', '')
}

function readHexFloat([, sign = '', whole = '', fraction = '', exponent = '']: RegExpExecArray): number | undefined {
  const digits = whole + fraction
  if (digits === '') return undefined
  const power = Number(exponent) - 4 * fraction.length
  const mantissa = readDigits(digits, 16)
  if (mantissa >= 2n ** 64n || Math.abs(power) > 2000) return mantissa === 0n ? 0 : undefined
  const value = Number(mantissa) * 2 ** power
  return Number.isFinite(value) ? (sign === '-' ? -value : value) : undefined
}
