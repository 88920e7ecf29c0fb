import { Dict, GoInt, GoObject, type Value } from '../../model/value.ts'

/** A JSON value, with maps as objects that have no prototype: `constructor` and the like are ordinary keys in them. */
export type Plain = null | boolean | number | string | readonly Plain[] | PlainMap

/** A map of {@link Plain}; made without a prototype. */
export interface PlainMap {
  [key: string]: Plain
}

/**
 * Stands for the key `__proto__`, which libraries skip. No YAML or JSON text that passed a parser is likely to hold it.
 */
const PROTO_ALIAS = '__proto__\u0000'

/** The name under which a key is found in a {@link PlainMap}. */
export function toPlainKey(key: string): string {
  return key === '__proto__' ? PROTO_ALIAS : key
}

/** The key that {@link toPlainKey} was given. */
export function fromPlainKey(key: string): string {
  return key === PROTO_ALIAS ? '__proto__' : key
}

/**
 * Converts a value to plain JavaScript data for libraries that know nothing else. Integers become numbers (beyond 2^53
 * the nearest), objects what their JSON is, bytes (which no document can hold) null.
 */
export function toPlain(value: Value): Plain {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof GoInt) return Number(value.value)
  if (Array.isArray(value)) return value.map(toPlain)
  if (value instanceof Dict) {
    const map = createPlainMap()
    for (const [key, item] of value) map[toPlainKey(key)] = toPlain(item)
    return map
  }
  return value instanceof GoObject ? toPlain(value.toValue()) : null
}

/** Makes an empty map without a prototype. */
export function createPlainMap(): PlainMap {
  const map: PlainMap = Object.create(null)
  return map
}

/** True if it is a map. */
export function isPlainMap(value: Plain | undefined): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One text for equal data whatever the order of keys. */
export function canonicalText(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isPlainMap(value)) return JSON.stringify(value)
  const entries = Object.keys(value).sort()
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`).join(',')}}`
}
