/**
 * True if `value` is a whole multiple of `divisor` in decimal arithmetic, as JSON Schema means it: 0.3 is a multiple of
 * 0.1. Both must be finite, the divisor not 0.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  const a = decimalOf(value)
  const b = decimalOf(divisor)
  const exponent = Math.min(a.exponent, b.exponent)
  const scaled = a.digits * 10n ** BigInt(a.exponent - exponent)
  return scaled % (b.digits * 10n ** BigInt(b.exponent - exponent)) === 0n
}

/** The number as digits times a power of ten, exact for the shortest text that means it. */
function decimalOf(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const fraction = mantissa.split('.')[1] ?? ''
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - fraction.length }
}
