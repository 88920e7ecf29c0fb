import { formatFloatAs, type FloatVerb } from './format-float.ts'
import { write, writePadded, type Printer } from './format-printer.ts'
import { isPrintable } from '../../codec/text/printable.ts'

/** How an integer is written: `0o` before octal digits or capital hex digits where asked for. */
export interface IntegerForm {
  readonly base: 2 | 8 | 10 | 16
  readonly prefix?: '0o'
  readonly letters?: 'upper'
}

/** Writes an integer with the printer's flags, after Go's fmt (format.go, fmtInteger). */
export function writeInteger(printer: Printer, value: bigint, { base, prefix, letters }: IntegerForm): void {
  const { flags } = printer
  const magnitude = value < 0n ? -value : value
  if (flags.precision === 0 && value === 0n) {
    if (flags.width !== undefined) write(printer, ' '.repeat(flags.width))
    return
  }
  const sign = value < 0n ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  let least = flags.precision ?? 0
  if (flags.precision === undefined && flags.zero && !flags.minus && flags.width !== undefined) {
    least = flags.width - (sign === '' ? 0 : 1)
  }
  let digits = magnitude.toString(base).padStart(least, '0')
  if (letters === 'upper') digits = digits.toUpperCase()
  if (flags.sharp) {
    if (base === 2) digits = `0b${digits}`
    else if (base === 8 && !digits.startsWith('0')) digits = `0${digits}`
    else if (base === 16) digits = `${letters === 'upper' ? '0X' : '0x'}${digits}`
  }
  writePadded(printer, sign + (prefix ?? '') + digits, 'space')
}

/** Writes `U+0041`, with `#` the character too, after Go's fmt (fmtUnicode). `value` is unsigned. */
export function writeUnicode(printer: Printer, value: bigint): void {
  const { flags } = printer
  const digits = value
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, flags.precision ?? 0), '0')
  const shown = flags.sharp && value <= 0x10ffffn && isPrintable(Number(value))
  writePadded(printer, `U+${digits}${shown ? ` '${String.fromCodePoint(Number(value))}'` : ''}`, 'space')
}

/**
 * Writes a float64 with the printer's flags, after Go's fmt (fmtFloat); `precision` applies when the verb gives none.
 */
export function writeFloat(printer: Printer, value: number, { verb, precision }: FloatForm): void {
  const { flags } = printer
  const used = flags.precision ?? precision
  const bare = formatFloatAs(value, verb, used)
  const isSigned = bare.startsWith('-') || bare.startsWith('+')
  let sign = isSigned ? bare.charAt(0) : '+'
  let digits = isSigned ? bare.slice(1) : bare
  if (sign === '+' && flags.space && !flags.plus) sign = ' '
  if (digits === 'NaN' || digits === 'Inf') {
    const isBare = digits === 'NaN' && !flags.space && !flags.plus
    return writePadded(printer, isBare ? digits : sign + digits, 'space')
  }
  if (flags.sharp && verb !== 'b') digits = keepPoint(digits, verb, used)
  if (sign === '+' && !flags.plus) return writePadded(printer, digits)
  const missing = (flags.width ?? 0) - digits.length - 1
  if (flags.zero && !flags.minus && missing > 0) return write(printer, sign + '0'.repeat(missing) + digits)
  writePadded(printer, sign + digits)
}

/** How a float is written. */
export interface FloatForm {
  readonly verb: FloatVerb
  readonly precision: number
}

/**
 * The effect of `#` on a float: always a point, and for `%g` and `%x` as many digits as the precision says, zeros
 * included.
 */
function keepPoint(digits: string, verb: FloatVerb, precision: number): string {
  const isHex = verb === 'x' || verb === 'X'
  const tailAt = digits.search(isHex ? /[pP]/ : /[eE]/)
  const tail = tailAt === -1 ? '' : digits.slice(tailAt)
  let body = tailAt === -1 ? digits : digits.slice(0, tailAt)
  // Go counts for x but not for X, and counts the x of the prefix as a digit
  let missing = verb === 'g' || verb === 'G' || verb === 'x' ? (precision === -1 ? 6 : precision) : 0
  missing -= body.replace('.', '').replace(/^0+/, '').length
  if (!body.includes('.')) {
    if (body === '0') missing--
    body += '.'
  }
  return body + '0'.repeat(Math.max(missing, 0)) + tail
}
