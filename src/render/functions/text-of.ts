import { decodeUtf8 } from '../../codec/utf8.ts'
import { GoBytes, type Value } from '../../model/value.ts'
import { formatValue } from '../engine/format.ts'

/** The text of any value as sprig's `toString` gives it: []byte as text, everything else as `%v`. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  return value instanceof GoBytes ? decodeUtf8(value.bytes) : formatValue(value)
}
