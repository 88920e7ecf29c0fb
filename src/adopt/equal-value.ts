import { isQuantityField, quantityOf } from '../codec/text/quantity.ts'
import { formatGoJson } from '../codec/json/go-json.ts'
import { GoInt, type Value } from '../model/value.ts'

/**
 * True if two scalars say the same, as the API server stores them: numbers by value, and quantities and durations by
 * what they amount to.
 */
export function isEqualScalar(rendered: Value, live: Value, path: readonly string[]): boolean {
  const [a, b] = [scalarText(rendered), scalarText(live)]
  if (a === b && kindOf(rendered) === kindOf(live)) return true
  if (isFreeText(path)) return false
  if (path.some(isQuantityField)) {
    const amount = quantityOf(a)
    return amount !== undefined && amount === quantityOf(b)
  }
  // the server writes durations in one way only
  const duration = durationOf(a)
  return (
    typeof rendered === 'string' && typeof live === 'string' && duration !== undefined && duration === durationOf(b)
  )
}

/** True if the API server drops such a value when it stores an object. */
export function isEmptyValue(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0) return true
  if (value instanceof GoInt) return value.value === 0n
  if (Array.isArray(value)) return value.length === 0
  return value instanceof Map && [...value.values()].every(isEmptyValue)
}

/** True in maps of texts, of which the server drops nothing. */
export function keepsEmpty(path: readonly string[]): boolean {
  return path.length === 2 ? path[0] === 'data' : ['labels', 'annotations'].includes(path.at(-2) ?? '')
}

/**
 * Where texts mean only what they say: contents of ConfigMaps and Secrets, metadata, what a container is started with,
 * schemas.
 */
function isFreeText(path: readonly string[]): boolean {
  return freeRoots.has(path[0] ?? '') || path.some((step) => freeFields.has(step))
}

const freeRoots: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData', 'metadata', 'parameters'])
const freeFields: ReadonlySet<string> = new Set(['args', 'command', 'env', 'labels', 'annotations', 'openAPIV3Schema'])

function kindOf(value: Value): string {
  return value instanceof GoInt ? 'number' : typeof value
}

function scalarText(value: Value): string {
  if (typeof value === 'string') return value
  return value instanceof GoInt ? String(value.value) : formatGoJson(value)
}

const units: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }

/** A duration as Go writes it, in nanoseconds; undefined for what is none. */
function durationOf(text: string): number | undefined {
  if (!/^(?:\d{1,12}(?:\.\d{1,9})?(?:ns|us|\u00b5s|ms|s|m|h))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|\u00b5s|ms|s|m|h)/g))
    sum += Number(amount) * (units[unit] ?? 0)
  return sum
}
