import { decodeUtf8 } from '../../../codec/bytes/utf8.ts'
import { GoBytes, type Value } from '../../../model/value.ts'
import { formatValue } from '../../engine/format.ts'
import type { CallContext } from '../../engine/function.ts'

/** The cost of a piece of text besides its characters: lists within lists are written in many small ones. */
const pieceCost = 8

/** The text of any value as sprig's `toString` gives it: []byte as text, everything else as `%v`. */
export function textOf(value: Value, context: CallContext): string {
  if (typeof value === 'string') return value
  return value instanceof GoBytes ? decodeUtf8(value.bytes) : plainText(value, context)
}

/** The text of any value as Go's `%v`. */
export function plainText(value: Value, context: CallContext): string {
  return formatValue(value, { charge: (amount) => context.charge(amount + pieceCost) })
}
