import { FunctionError } from '../../engine/function.ts'
import { ours, say } from '../../engine/error-text.ts'

/** `coefficient` times ten to the power of `exponent`: shopspring/decimal's numbers. */
export interface Decimal {
  readonly coefficient: bigint
  readonly exponent: number
}

/**
 * The shortest decimal that reads back as `value`.
 * @throws FunctionError for NaN and infinities, in the library's words
 */
export function toDecimal(value: number): Decimal {
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new FunctionError(say`Cannot create a Decimal from ${ours(name)}`)
  }
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { coefficient: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

/** The nearest float64. */
export function fromDecimal({ coefficient, exponent }: Decimal): number {
  return Number(`${coefficient}e${exponent}`)
}

/** a + b. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent)
  return { coefficient: scale(a, exponent) + scale(b, exponent), exponent }
}

/** a - b. */
export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { coefficient: -b.coefficient, exponent: b.exponent })
}

/** a * b. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent }
}

const divisionPrecision = 16

/** a / b to 16 decimal places, half away from zero. @throws FunctionError for division by zero */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (b.coefficient === 0n) throw new FunctionError('decimal division by 0')
  const shift = a.exponent - b.exponent + divisionPrecision
  const dividend = shift > 0 ? a.coefficient * 10n ** BigInt(shift) : a.coefficient
  const divisor = shift < 0 ? b.coefficient * 10n ** BigInt(-shift) : b.coefficient
  const quotient = dividend / divisor
  const rest = dividend % divisor
  const isHalfOrMore = magnitude(rest) * 2n >= magnitude(divisor)
  const away = dividend < 0n === divisor < 0n ? 1n : -1n
  return { coefficient: isHalfOrMore ? quotient + away : quotient, exponent: -divisionPrecision }
}

function scale({ coefficient, exponent }: Decimal, to: number): bigint {
  return coefficient * 10n ** BigInt(exponent - to)
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
