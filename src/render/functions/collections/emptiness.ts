import { Dict, GoBytes, GoInt, type GoObject, type Value } from '../../../model/value.ts'

/**
 * sprig's `empty`: the zero value of its type; a text that holds a token is never empty. Structs and pointers are never
 * empty.
 */
export function isEmpty(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (typeof value !== 'object') return false
  if (value instanceof GoInt) return value.value === 0n
  if (Array.isArray(value)) return value.length === 0
  if (value instanceof Dict) return value.size === 0
  if (value instanceof GoBytes) return value.bytes.length === 0
  return isEmptyObject(value)
}

function isEmptyObject(value: GoObject): boolean {
  if (value.kind !== 'map' && value.kind !== 'slice') return false
  const content = value.toValue()
  return (Array.isArray(content) && content.length === 0) || (content instanceof Dict && content.size === 0)
}
