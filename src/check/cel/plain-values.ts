import { Dict, GoInt, type Value } from '../../model/value.ts'
import type { CelInput } from './cel-program.ts'
import type { LateValues } from './late-values.ts'
import { type Watch, WatchedMap } from './watched-map.ts'

/** A value as policies see it, without a schema. Null in a map is a field that is not set. */
export function plainInput(value: Value, late: LateValues, watch: Watch): CelInput {
  if (value instanceof GoInt) return value.value
  if (Array.isArray(value)) return value.map((item) => plainInput(item, late, watch))
  if (value instanceof Dict) {
    const keys = late.get(value)
    const map = keys === undefined ? new Map<string, CelInput>() : new WatchedMap(keys, watch)
    for (const [key, child] of value) if (child !== null) map.set(key, plainInput(child, late, watch))
    return map
  }
  return value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
    ? value
    : null
}
