/**
 * Returns a finite float64 as Go's strconv.FormatFloat(value, 'g', -1, 64) does: the fewest digits that read back,
 * exponent form (two exponent digits at least) when the exponent is below -4 or above 5. Infinities and NaN are `+Inf`,
 * `-Inf`, `NaN`.
 */
export function formatFloatG(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  if (Number.isInteger(value) && value > -1e6 && value < 1e6) return String(value)
  return layout(value.toExponential())
}

/** The same for the float32 nearest to `value`: FormatFloat(value, 'g', -1, 32). */
export function formatFloat32G(value: number): string {
  const narrow = Math.fround(value)
  if (!Number.isFinite(narrow) || narrow === 0) return formatFloatG(narrow)
  for (let digits = 0; digits < 9; digits++) {
    const text = narrow.toExponential(digits)
    if (Math.fround(Number(text)) === narrow) return layout(text)
  }
  return layout(narrow.toExponential())
}

function layout(exponential: string): string {
  const [mantissa = '', power = '0'] = exponential.split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 6) {
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`
  }
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return sign + whole + (fraction === '' ? '' : `.${fraction}`)
}

/** Returns a finite float64 as Go's encoding/json does: plain from 1e-6 up to 1e21, else `1e-7`, `1e+21`. */
export function formatJsonFloat(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}
