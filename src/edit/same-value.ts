import { Dict, GoInt, type Value } from '../model/value.ts'

/** True if two values as read from YAML are the same; of maps the order does not matter. */
export function isSameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSameValue(item, b[at]))
  }
  if (a instanceof Dict && b instanceof Dict) {
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && isSameValue(item, b.get(key)))
  }
  return a instanceof GoInt && b instanceof GoInt ? a.value === b.value : Object.is(a, b)
}
