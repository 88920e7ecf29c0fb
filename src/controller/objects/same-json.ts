import { isRecord } from '../../kube/json-field.ts'

/** True if two values of JSON are equal; the order of keys does not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    const others: readonly unknown[] = b
    return a.every((item, index) => isSameJson(item, others[index]))
  }
  if (!isRecord(a) || !isRecord(b)) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  )
}
