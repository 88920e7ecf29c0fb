import { CelFailure } from '../cel-failure.ts'
import { type CelData, type CelFunction, celFunction, celMethod, Opaque } from '../cel-values.ts'

/** A quantity of Kubernetes (k8s.io/apimachinery, `resource.Quantity`), exact. */
class Quantity extends Opaque {
  readonly type = 'kubernetes.Quantity'
  /** In units of 10^-9. */
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = nanos
  }

  get key(): bigint {
    return this.nanos
  }
}

const NANOS = 1_000_000_000n
const quantityForm = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?)$/
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binary: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n }

function parseQuantity(text: string): Quantity | undefined {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = quantityForm.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '') return undefined
  const power = binary[suffix]
  const exponent = decimal[suffix] ?? Number(suffix.slice(1))
  if (digits.length > 60 || (power === undefined && Math.abs(exponent) > 60)) return undefined
  const scaled = power === undefined ? exponent - fraction.length + 9 : 9 - fraction.length
  const amount = BigInt(digits) * (power === undefined ? 1n : 1n << power)
  const nanos = scaled >= 0 ? amount * 10n ** BigInt(scaled) : roundedUp(amount, 10n ** BigInt(-scaled))
  return new Quantity(sign === '-' ? -nanos : nanos)
}

/** Rounds up amounts that are finer than nano. */
function roundedUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by
}

function quantityOf(value: CelData | undefined): Quantity {
  if (value instanceof Quantity) return value
  if (typeof value === 'bigint') return new Quantity(value * NANOS)
  const parsed = typeof value === 'string' ? parseQuantity(value) : undefined
  if (parsed === undefined) throw new CelFailure('the text is no quantity')
  return parsed
}

const compared = (name: string, holds: (one: bigint, other: bigint) => boolean): CelFunction =>
  celMethod(name, [Quantity, Quantity], ([one, other]) => holds(quantityOf(one).nanos, quantityOf(other).nanos))

const isWhole = (nanos: bigint): boolean => nanos % NANOS === 0n && fitsInteger(nanos / NANOS)
const fitsInteger = (value: bigint): boolean => value >= -(1n << 63n) && value < 1n << 63n

/** `quantity(text)`, `isQuantity(text)` and what can be asked of quantities. */
export const quantityFunctions: readonly CelFunction[] = [
  celFunction('quantity', ['string'], ([text]) => quantityOf(text)),
  celFunction('isQuantity', ['string'], ([text]) => typeof text === 'string' && parseQuantity(text) !== undefined),
  celMethod('sign', [Quantity], ([value]) => {
    const { nanos } = quantityOf(value)
    return nanos > 0n ? 1n : nanos < 0n ? -1n : 0n
  }),
  compared('isGreaterThan', (one, other) => one > other),
  compared('isLessThan', (one, other) => one < other),
  celMethod('compareTo', [Quantity, Quantity], ([one, other]) => {
    const [a, b] = [quantityOf(one).nanos, quantityOf(other).nanos]
    return a < b ? -1n : a > b ? 1n : 0n
  }),
  ...([Quantity, 'int'] as const).flatMap((type) => [
    celMethod('add', [Quantity, type], ([a, b]) => new Quantity(quantityOf(a).nanos + quantityOf(b).nanos)),
    celMethod('sub', [Quantity, type], ([a, b]) => new Quantity(quantityOf(a).nanos - quantityOf(b).nanos)),
  ]),
  celMethod('isInteger', [Quantity], ([value]) => isWhole(quantityOf(value).nanos)),
  celMethod('asInteger', [Quantity], ([value]) => {
    const { nanos } = quantityOf(value)
    if (!isWhole(nanos)) throw new CelFailure('the quantity is no integer')
    return nanos / NANOS
  }),
  celMethod('asApproximateFloat', [Quantity], ([value]) => Number(quantityOf(value).nanos) / Number(NANOS)),
]
