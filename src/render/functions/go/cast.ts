import { GoInt, type Value } from '../../../model/value.ts'
import { parseGoFloat, parseGoInt } from './go-numbers.ts'

/** Go's conversion of a float64 to int64 on amd64: what does not fit, NaN included, is the smallest int64. */
function truncateFloat(value: number): bigint {
  if (!(value > -(2 ** 63) - 1 && value < 2 ** 63)) return -(2n ** 63n)
  return BigInt(Math.trunc(value))
}

/**
 * spf13/cast's ToInt64 and ToInt: text as a Go literal (`0x1F`, `010`, `1_000`, `3.0`), 0 for all that is no number.
 */
export function castInt(value: Value): bigint {
  return toInt(value, (text) => {
    const { value: parsed, problem } = parseGoInt(trimZeroDecimal(text), 0)
    return problem === undefined ? parsed : 0n
  })
}

/** The same in slim-sprig, which reads text as decimal and holds back large unsigned integers. */
export function castIntSlim(value: Value): bigint {
  if (value instanceof GoInt && value.value > 2n ** 63n - 1n) return 2n ** 63n - 1n
  return toInt(value, (text) => {
    const { value: parsed, problem } = parseGoInt(text, 10)
    return problem === undefined ? parsed : 0n
  })
}

function toInt(value: Value, parse: (text: string) => bigint): bigint {
  if (value instanceof GoInt) return BigInt.asIntN(64, value.value)
  if (typeof value === 'number') return truncateFloat(value)
  if (typeof value === 'string') return parse(value)
  return value === true ? 1n : 0n
}

/** `3.0` is read as `3` (spf13/cast trimZeroDecimal). */
function trimZeroDecimal(text: string): string {
  const point = text.lastIndexOf('.')
  return point >= 0 && point < text.length - 1 && /^0+$/.test(text.slice(point + 1)) ? text.slice(0, point) : text
}

/** spf13/cast's ToFloat64 (and slim-sprig's): 0 for all that is no number. */
export function castFloat(value: Value): number {
  if (typeof value === 'number') return value
  if (value instanceof GoInt) return Number(value.value)
  if (typeof value === 'string') return parseGoFloat(value) ?? 0
  return value === true ? 1 : 0
}
