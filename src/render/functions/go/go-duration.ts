import { FunctionError } from '../../engine/function.ts'
import { fromByteString, toByteString } from '../../../codec/bytes/byte-text.ts'
import { quoteTimeText } from './quote-time-text.ts'
import { ofValue, say, type ErrorText } from '../../engine/error-text.ts'

const second = 1_000_000_000n
const most = 2n ** 63n

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  // micro sign and Greek letter mu
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['m', 60n * second],
  ['h', 3600n * second],
])

/**
 * Reads `-1h2m3.5s` as nanoseconds, after Go's time.ParseDuration.
 * @throws FunctionError in Go's words
 */
export function parseDuration(text: string): bigint {
  const isNegative = text.startsWith('-')
  const body = isNegative || text.startsWith('+') ? text.slice(1) : text
  if (body === '0') return 0n
  if (body === '') throw durationError(say`invalid duration`, text)
  let total = 0n
  const piece = /([0-9]*)(\.?)([0-9]*)([^.0-9]*)/y
  while (piece.lastIndex < body.length) {
    const [, whole = '', , fraction = '', unit = ''] = piece.exec(body) ?? []
    if (whole === '' && fraction === '') throw durationError(say`invalid duration`, text)
    total += readPiece(text, { whole, fraction, unit })
    if (total > most) throw durationError(say`invalid duration`, text)
  }
  if (isNegative) return -total
  if (total === most) throw durationError(say`invalid duration`, text)
  return total
}

interface Piece {
  readonly whole: string
  readonly fraction: string
  readonly unit: string
}

function readPiece(text: string, { whole, fraction, unit }: Piece): bigint {
  const digits = whole.replace(/^0+/, '')
  const count = digits.length > 19 ? most + 1n : BigInt(digits === '' ? '0' : digits)
  if (count > most) throw durationError(say`invalid duration`, text)
  if (unit === '') throw durationError(say`missing unit in duration`, text)
  const size = units.get(unit)
  if (size === undefined) throw durationError(say`unknown unit ${ofValue(unit, quoteBytes(unit))} in duration`, text)
  if (count > most / size) throw durationError(say`invalid duration`, text)
  const value = count * size + fractionOf(fraction, size)
  if (value > most) throw durationError(say`invalid duration`, text)
  return value
}

/** A fraction of a unit in nanoseconds; digits beyond 63 bits are dropped, and the product is a float64, as in Go. */
function fractionOf(digits: string, size: bigint): bigint {
  let fraction = 0n
  let scale = 1
  for (const digit of digits) {
    const next = fraction * 10n + BigInt(digit)
    if (fraction > (most - 1n) / 10n || next > most) break
    fraction = next
    scale *= 10
  }
  return fraction > 0n ? BigInt(Math.trunc(Number(fraction) * (Number(size) / scale))) : 0n
}

function durationError(problem: ErrorText, text: string): FunctionError {
  return new FunctionError(say`time: ${problem} ${ofValue(text, quoteBytes(text))}`)
}

function quoteBytes(text: string): string {
  return fromByteString(quoteTimeText(toByteString(text)))
}

/** Writes nanoseconds as Go prints a Duration: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(duration: bigint): string {
  const sign = duration < 0n ? '-' : ''
  const magnitude = duration < 0n ? -duration : duration
  if (magnitude === 0n) return '0s'
  if (magnitude < 1000n) return `${sign}${magnitude}ns`
  if (magnitude < 1_000_000n) return `${sign}${withFraction(magnitude, 3)}\u00b5s`
  if (magnitude < second) return `${sign}${withFraction(magnitude, 6)}ms`
  const minutes = magnitude / (60n * second)
  const seconds = `${withFraction(magnitude % (60n * second), 9)}s`
  if (minutes === 0n) return sign + seconds
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

function withFraction(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits)
  const fraction = (value % scale).toString().padStart(digits, '0').replace(/0+$/, '')
  return `${value / scale}${fraction === '' ? '' : `.${fraction}`}`
}

/** Rounds to a multiple of `unit`, halves away from zero; within 64 bits (Go's Duration.Round). */
export function roundDuration(duration: bigint, unit: bigint): bigint {
  if (unit <= 0n) return duration
  const magnitude = duration < 0n ? -duration : duration
  const rest = magnitude % unit
  const rounded = rest * 2n < unit ? magnitude - rest : magnitude - rest + unit
  if (duration < 0n) return rounded > most ? -most : -rounded
  return rounded >= most ? most - 1n : rounded
}
