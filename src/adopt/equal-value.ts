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
  if (path.some((step) => quantityFields.has(step))) {
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

/** Fields below which texts are amounts (resource.Quantity). */
const quantityFields: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'capacity',
  'hard',
  'sizeLimit',
  'divisor',
  'min',
  'max',
  'default',
  'defaultRequest',
  'overhead',
  'averageValue',
])

const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binary: readonly string[] = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** The amount in billionths, exact; undefined for what is no quantity. */
function quantityOf(text: string): bigint | undefined {
  const match = /^([+-]?)(\d{0,30})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2})|([A-Za-z]{0,2}))$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  const power = exponent === undefined ? decimal[suffix] : Number(exponent)
  const step = binary.indexOf(suffix)
  if (power === undefined && step === -1) return undefined
  const factor = step === -1 ? 1n : 1024n ** BigInt(step + 1)
  const shift = 9 + (power ?? 0) - fraction.length
  const digits = BigInt(`${whole}${fraction}`) * factor
  // what is below a billionth is rounded up, as the server does
  const divisor = 10n ** BigInt(Math.max(-shift, 0))
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : (digits + divisor - 1n) / divisor
  return sign === '-' ? -amount : amount
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
