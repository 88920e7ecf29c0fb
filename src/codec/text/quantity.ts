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

/** True if texts below a field of this name are amounts. */
export function isQuantityField(name: string): boolean {
  return quantityFields.has(name)
}

/** The amount in billionths, exact; undefined for what is no quantity. */
export function quantityOf(text: string): bigint | undefined {
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
