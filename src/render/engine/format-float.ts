import { formatFloatG } from '../../codec/json/go-float.ts'

/** A number as decimal digits: 0.DIGITS times ten to the `point`; no leading or trailing zeros; zero has no digits. */
interface Decimal {
  readonly digits: string
  readonly point: number
}

/** The verbs that Go prints floats with. */
export type FloatVerb = 'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X'

/** Returns a float64 as Go's `%v` does: `1e+06`, `123456.7`, `+Inf`. */
export function formatFloat(value: number): string {
  return formatFloatG(value)
}

/**
 * Returns a float64 as Go's strconv.FormatFloat(value, verb, precision, 64) does. Precision -1 means as many digits as
 * needed, which only `g`, `G`, `x` and `X` take. An infinity is `+Inf` or `-Inf`.
 */
export function formatFloatAs(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const magnitude = Math.abs(value)
  if (verb === 'b') return sign + formatBinary(magnitude)
  if (verb === 'x' || verb === 'X') return sign + formatHex(magnitude, verb, precision)
  if (precision < 0) return sign + (verb === 'G' ? formatFloatG(magnitude).toUpperCase() : formatFloatG(magnitude))
  const exact = exactDecimal(magnitude)
  if (verb === 'f') return sign + plainForm(roundDecimal(exact, exact.point + precision), precision)
  if (verb === 'e' || verb === 'E') return sign + exponentForm(roundDecimal(exact, precision + 1), precision, verb)
  const significant = Math.max(precision, 1)
  const number = roundDecimal(exact, significant)
  const isShort = significant > number.digits.length && number.digits.length >= number.point
  return (
    sign +
    generalForm(number, verb, { precision: significant, threshold: isShort ? number.digits.length : significant })
  )
}

interface GeneralForm {
  readonly precision: number
  /** The exponent from which on the exponent form is used. */
  readonly threshold: number
}

function generalForm(number: Decimal, verb: 'g' | 'G', { precision, threshold }: GeneralForm): string {
  const digits = number.digits.length
  const exponent = number.point - 1
  if (exponent < -4 || exponent >= threshold) {
    return exponentForm(number, Math.min(precision, digits) - 1, verb === 'g' ? 'e' : 'E')
  }
  return plainForm(number, Math.max((precision > number.point ? digits : precision) - number.point, 0))
}

/** `d.ddde±dd` with `precision` digits after the point; a negative precision gives none. */
function exponentForm(number: Decimal, precision: number, letter: 'e' | 'E'): string {
  const first = number.digits === '' ? '0' : number.digits.charAt(0)
  const rest = precision > 0 ? `.${number.digits.slice(1, precision + 1).padEnd(precision, '0')}` : ''
  const exponent = number.digits === '' ? 0 : number.point - 1
  return `${first}${rest}${letter}${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function plainForm(number: Decimal, precision: number): string {
  const whole = number.point > 0 ? number.digits.slice(0, number.point).padEnd(number.point, '0') : '0'
  if (precision <= 0) return whole
  const leading = Math.min(Math.max(-number.point, 0), precision)
  const rest = '0'.repeat(leading) + number.digits.slice(Math.max(number.point, 0))
  return `${whole}.${rest.slice(0, precision).padEnd(precision, '0')}`
}

function exactDecimal(magnitude: number): Decimal {
  const { mantissa, exponent } = splitFloat(magnitude)
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString()
    return trimDecimal(digits, digits.length)
  }
  // m / 2^k = m * 5^k / 10^k
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString()
  return trimDecimal(digits, digits.length + exponent)
}

function trimDecimal(digits: string, point: number): Decimal {
  const significant = digits.replace(/^0+/, '')
  const trimmed = significant.replace(/0+$/, '')
  return trimmed === ''
    ? { digits: '', point: 0 }
    : { digits: trimmed, point: point - (digits.length - significant.length) }
}

/** Keeps `count` digits, rounding half to even; the digits are exact, so a lone 5 is exactly half. */
function roundDecimal(number: Decimal, count: number): Decimal {
  const { digits, point } = number
  if (count >= digits.length) return number
  if (count < 0) return { digits: '', point: 0 }
  const isHalf = digits.slice(count) === '5'
  const isUp = isHalf ? count > 0 && Number(digits.charAt(count - 1)) % 2 === 1 : digits.charAt(count) >= '5'
  const kept = digits.slice(0, count)
  if (!isUp) return trimDecimal(kept, point)
  if (count === 0) return { digits: '1', point: point + 1 }
  const up = (BigInt(kept) + 1n).toString()
  return trimDecimal(up, point + (up.length - count))
}

/** Returns m and e with value = m * 2^e, as the bits hold them. */
function splitFloat(magnitude: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, magnitude)
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> 52n)
  const fraction = bits & ((1n << 52n) - 1n)
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 }
}

function formatBinary(magnitude: number): string {
  const { mantissa, exponent } = splitFloat(magnitude)
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

function formatHex(magnitude: number, verb: 'x' | 'X', precision: number): string {
  const split = splitFloat(magnitude)
  let mantissa = split.mantissa << 8n
  let exponent = mantissa === 0n ? 0 : split.exponent + 52
  const top = 1n << 60n
  while (mantissa !== 0n && mantissa < top) {
    mantissa <<= 1n
    exponent--
  }
  if (precision >= 0 && precision < 15) {
    const shift = BigInt(60 - precision * 4)
    const extra = mantissa & ((1n << shift) - 1n)
    const half = 1n << (shift - 1n)
    mantissa >>= shift
    if (extra > half || (extra === half && mantissa % 2n === 1n)) mantissa++
    mantissa <<= shift
    if (mantissa >= top << 1n) {
      mantissa >>= 1n
      exponent++
    }
  }
  const hex = (mantissa & (top - 1n)).toString(16).padStart(15, '0')
  const fraction = precision < 0 ? hex.replace(/0+$/, '') : hex.slice(0, precision).padEnd(precision, '0')
  const exponentText = `p${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  const text = `0x${mantissa >> 60n}${fraction === '' ? '' : `.${fraction}`}${exponentText}`
  return verb === 'x' ? text : text.toUpperCase()
}
