import { Dict, GoInt, type Value } from '../../model/value.ts'

/**
 * Readers of arguments that the evaluator has already checked against a function's parameter types. A mismatch here is
 * a defect of the caller, so it is a plain Error.
 */
function mismatch(args: readonly Value[], index: number): Error {
  return new Error(`argument ${index} of ${args.length} does not have the declared type`)
}

/** The string at `index`. */
export function textArgument(args: readonly Value[], index: number): string {
  const value = args[index]
  if (typeof value !== 'string') throw mismatch(args, index)
  return value
}

/** The `int` or `int64` at `index` as a bigint. */
export function bigArgument(args: readonly Value[], index: number): bigint {
  const value = args[index]
  if (!(value instanceof GoInt)) throw mismatch(args, index)
  return value.value
}

/** The `int` at `index` as a number; exact up to 2^53, and beyond that still far from any length that matters. */
export function intArgument(args: readonly Value[], index: number): number {
  return Number(bigArgument(args, index))
}

/** The `float64` at `index`. */
export function floatArgument(args: readonly Value[], index: number): number {
  const value = args[index]
  if (typeof value !== 'number') throw mismatch(args, index)
  return value
}

/** The `bool` at `index`. */
export function boolArgument(args: readonly Value[], index: number): boolean {
  const value = args[index]
  if (typeof value !== 'boolean') throw mismatch(args, index)
  return value
}

/** The map at `index`; null is Go's nil map. */
export function dictArgument(args: readonly Value[], index: number): Dict | null {
  const value = args[index]
  if (value === null) return null
  if (!(value instanceof Dict)) throw mismatch(args, index)
  return value
}

/** Anything at `index`; null when it is nil or not there. */
export function anyArgument(args: readonly Value[], index: number): Value {
  return args[index] ?? null
}
