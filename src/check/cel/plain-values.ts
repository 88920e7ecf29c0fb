import { Dict, GoInt, type Value } from '../../model/value.ts'
import { type CelInput, partlyKnown } from './cel-program.ts'
import type { UnknownValues } from './unknown-values.ts'

/** A value as policies see it, without a schema. Null in a map is a field that is not set. */
export function plainInput(value: Value, unknown: UnknownValues): CelInput {
  if (value instanceof GoInt) return value.value
  if (Array.isArray(value)) return value.map((item) => plainInput(item, unknown))
  if (value instanceof Dict) {
    const map = new Map<string, CelInput>()
    for (const [key, child] of value) if (child !== null) map.set(key, plainInput(child, unknown))
    return partlyKnown(map, unknown.get(value))
  }
  return value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
    ? value
    : null
}
