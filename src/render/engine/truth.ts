import { Dict, GoBytes, GoInt, type Value } from '../../model/value.ts'

/** True if `if` takes a value for true: not Go's zero value, and not empty. A token is text, and so true. */
export function isTrue(value: Value | undefined): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value !== ''
  if (value === null || value === undefined) return false
  if (typeof value === 'number') return value !== 0
  if (value instanceof Dict) return value.size > 0
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof GoInt) return value.value !== 0n
  if (value instanceof GoBytes) return value.bytes.length > 0
  return value.kind === 'map' || value.kind === 'slice' ? isTrue(value.toValue()) : true
}
