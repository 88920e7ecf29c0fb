import { GoBytes, goInt, GoInt, goKindOf, GoObject, type Value } from '../../../model/value.ts'
import { FunctionError } from '../../engine/function.ts'
import { ours, say, toErrorText, type ErrorMessage } from '../../engine/error-text.ts'

/** The message of Go's runtime when a method is called on nil, e.g. on the type of an untyped nil. */
export const nilDereference = 'runtime error: invalid memory address or nil pointer dereference'

/** The elements of a Go slice of any kind ([]byte gives its bytes), or undefined for everything else. */
export function sliceElements(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value
  if (value instanceof GoBytes) return Array.from(value.bytes, (byte) => new GoInt(BigInt(byte), 'uint8'))
  if (value instanceof GoObject && value.kind === 'slice') {
    const elements = value.toValue()
    return Array.isArray(elements) ? elements : undefined
  }
  return undefined
}

/**
 * The elements of the list that a sprig list function was given.
 * @throws FunctionError `<complaint> <kind>` when it is no list, Go's nil dereference when it is nil
 */
export function requireElements<Text extends string>(value: Value, complaint: ErrorMessage<Text>): readonly Value[] {
  if (value === null) throw new FunctionError(nilDereference)
  const elements = sliceElements(value)
  if (elements === undefined) throw new FunctionError(say`${toErrorText(complaint)} ${ours(goKindOf(value))}`)
  return elements
}

/** The list of `int` from `start` by `step`, `count` long. */
export function intList(start: bigint, step: bigint, count: number): Value[] {
  return Array.from({ length: count }, (_, index) => goInt(start + step * BigInt(index)))
}
