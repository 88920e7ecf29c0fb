import { GoInt, type Value } from './value.ts'

/** Powers of ten of the suffixes of a quantity. */
const decimal: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
/** Nothing real is larger or smaller, and what people write must not become a number of megabytes. */
const LARGEST_EXPONENT = 40
const DIGITS = 40

/**
 * A quantity of a resource, such as `500m` or `1.5Gi`, in billionths: what is below is cut off. Undefined for what is
 * no quantity (k8s.io/apimachinery/pkg/api/resource), or far from any that is real.
 */
export function billionthsOf(value: Value | undefined): bigint | undefined {
  if (value instanceof GoInt) return value.value * 1_000_000_000n
  const text = typeof value === 'string' ? withoutSpaces(value) : typeof value === 'number' ? String(value) : undefined
  if (text === undefined || text.length > DIGITS) return undefined
  const [, sign = '', whole = '', fraction = '', suffix = ''] =
    /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?)$/.exec(text) ?? []
  if (whole + fraction === '') return undefined
  const power = powerOf(suffix)
  if (power === undefined) return undefined
  const scaled = scale(BigInt(whole + fraction), power.ten + 9 - fraction.length) * power.two
  return sign === '-' ? -scaled : scaled
}

/** A quantity without spaces around it, which servers cut off; to them tabs are escapes of JSON, and stay. */
export function withoutSpaces(text: string): string {
  const rest = text.trim()
  const start = text.indexOf(rest)
  const around = text.slice(0, start) + text.slice(start + rest.length)
  return /^\p{Zs}*$/u.test(around) ? rest : text
}

function powerOf(suffix: string): { readonly ten: number; readonly two: bigint } | undefined {
  const step = binary.findIndex((name) => name === suffix)
  if (step !== -1) return { ten: 0, two: 1024n ** BigInt(step + 1) }
  const known = decimal.get(suffix)
  const ten = known ?? Number(suffix.slice(1))
  return Math.abs(ten) > LARGEST_EXPONENT ? undefined : { ten, two: 1n }
}

function scale(digits: bigint, power: number): bigint {
  return power < 0 ? digits / 10n ** BigInt(-power) : digits * 10n ** BigInt(power)
}
