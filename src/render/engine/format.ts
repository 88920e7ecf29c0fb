import { GoInt, GoObject, goTypeOf, type Value } from '../../model/value.ts'
import { formatFloat } from './format-float.ts'
import { clearFlags, createPrinter, write, type FormatOptions, type Printer } from './format-printer.ts'
import { quoteGo } from './format-quote.ts'
import { writeVerb } from './format-verb.ts'
import { TokenRefusedError } from './token-refused.ts'

export { formatFloat, quoteGo }

/** Returns what Go's fmt.Sprint gives: spaces only between two arguments of which neither is a string. */
export function formatPrint(args: readonly Value[], options?: FormatOptions): string {
  if (args.length === 1) return formatValue(args[0] ?? null, options)
  const printer = createPrinter(options)
  args.forEach((arg, index) => {
    if (index > 0 && typeof arg !== 'string' && typeof args[index - 1] !== 'string') write(printer, ' ')
    writeVerb(printer, arg, 'v')
  })
  return printer.text
}

/** Returns what Go's fmt.Sprintln gives: a space between any two arguments and a final newline. */
export function formatPrintln(args: readonly Value[], options?: FormatOptions): string {
  return `${args.map((arg) => formatValue(arg, options)).join(' ')}\n`
}

/** Returns a value as Go's `%v` does. */
export function formatValue(value: Value, options?: FormatOptions): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatFloat(value)
  if (value === null) return '<nil>'
  const printer = createPrinter(options)
  writeVerb(printer, value, 'v')
  return printer.text
}

/** Returns what a template action prints for `value`: `%v`, but `<no value>` for nil. */
export function toDisplay(value: Value, options?: FormatOptions): string {
  if (value instanceof GoObject) return value.toDisplay()
  return value === null ? '<no value>' : formatValue(value, options)
}

/**
 * Returns what Go's fmt.Sprintf gives, mistakes included: `%!d(string=x)`, `%!s(MISSING)`, `%!(EXTRA string=x)`,
 * `%!(BADINDEX)`, `%!(BADWIDTH)`, `%!(BADPREC)`, `%!(NOVERB)`. Tokens pass through `%s`, `%v`, `%q` and plain text.
 * @throws TokenRefusedError when a width, precision or verb would need the text behind a token
 * @throws FunctionError for `%p` of a reference, and for values that contain themselves
 */
export function formatPrintf(format: string, args: readonly Value[], options?: FormatOptions): string {
  if (!format.includes('%') && args.length === 0) return format
  const reader: Reader = {
    printer: createPrinter(options),
    format,
    args,
    at: 0,
    next: 0,
    isReordered: false,
    isGoodIndex: true,
    isAfterIndex: false,
  }
  while (reader.at < format.length) {
    const percent = format.indexOf('%', reader.at)
    const end = percent === -1 ? format.length : percent
    if (end > reader.at) write(reader.printer, format.slice(reader.at, end))
    if (percent === -1) break
    reader.at = end + 1
    reader.isGoodIndex = true
    writeDirective(reader)
  }
  if (!reader.isReordered && reader.next < args.length) writeExtra(reader)
  return reader.printer.text
}

/** Where formatPrintf stands in the format and in its arguments. */
interface Reader {
  readonly printer: Printer
  readonly format: string
  readonly args: readonly Value[]
  at: number
  next: number
  isReordered: boolean
  isGoodIndex: boolean
  isAfterIndex: boolean
}

/** Writes the directive whose `%` is just passed, after Go's fmt (print.go, doPrintf). */
function writeDirective(reader: Reader): void {
  const { printer, format, args } = reader
  printer.flags = clearFlags()
  readFlags(reader)
  reader.isAfterIndex = false
  readIndex(reader)
  readWidth(reader)
  if (format.charAt(reader.at) === '.' && reader.at + 1 < format.length) readPrecision(reader)
  if (!reader.isAfterIndex) readIndex(reader)
  if (reader.at >= format.length) return write(printer, '%!(NOVERB)')
  const verb = readVerb(reader)
  if (verb === '%') return write(printer, '%')
  if (!reader.isGoodIndex) return write(printer, `%!${verb}(BADINDEX)`)
  if (reader.next >= args.length) return write(printer, `%!${verb}(MISSING)`)
  if (verb === 'v' || verb === 'w') {
    printer.flags.sharpV = printer.flags.sharp
    printer.flags.plusV = printer.flags.plus
    printer.flags.sharp = false
    printer.flags.plus = false
  }
  writeVerb(printer, args[reader.next] ?? null, verb)
  reader.next++
}

function readFlags(reader: Reader): void {
  const { flags } = reader.printer
  for (; reader.at < reader.format.length; reader.at++) {
    const flag = reader.format.charAt(reader.at)
    if (flag === '#') flags.sharp = true
    else if (flag === '0') flags.zero = true
    else if (flag === '+') flags.plus = true
    else if (flag === '-') flags.minus = true
    else if (flag === ' ') flags.space = true
    else return
  }
}

function readWidth(reader: Reader): void {
  const { printer, format } = reader
  if (format.charAt(reader.at) !== '*') {
    printer.flags.width = readNumber(reader)
    if (reader.isAfterIndex && printer.flags.width !== undefined) reader.isGoodIndex = false
    return
  }
  reader.at++
  const width = takeInteger(reader)
  if (width === undefined) write(printer, '%!(BADWIDTH)')
  printer.flags.width = width === undefined ? undefined : Math.abs(width)
  if (width !== undefined && width < 0) {
    printer.flags.minus = true
    printer.flags.zero = false
  }
  reader.isAfterIndex = false
}

function readPrecision(reader: Reader): void {
  const { printer, format } = reader
  reader.at++
  if (reader.isAfterIndex) reader.isGoodIndex = false
  readIndex(reader)
  if (format.charAt(reader.at) !== '*') {
    printer.flags.precision = readNumber(reader) ?? 0
    return
  }
  reader.at++
  const precision = takeInteger(reader)
  printer.flags.precision = precision === undefined || precision < 0 ? undefined : precision
  if (printer.flags.precision === undefined) write(printer, '%!(BADPREC)')
  reader.isAfterIndex = false
}

/** Reads `[3]`; anything else in brackets makes the directive a BADINDEX. */
function readIndex(reader: Reader): void {
  const { format, args } = reader
  reader.isAfterIndex = false
  if (format.charAt(reader.at) !== '[') return
  reader.isReordered = true
  const close = format.indexOf(']', reader.at + 1)
  if (close === -1 || format.length - reader.at < 3) {
    reader.isGoodIndex = false
    reader.at++
    return
  }
  const inside = format.slice(reader.at + 1, close)
  reader.at = close + 1
  const number = /^[0-9]+$/.test(inside) && isWithinLimit(inside) ? Number(inside) : undefined
  reader.isAfterIndex = number !== undefined
  if (number !== undefined && number >= 1 && number <= args.length) reader.next = number - 1
  else reader.isGoodIndex = false
}

/** Reads decimal digits; a number that is too large swallows the rest of the format, as Go has it. */
function readNumber(reader: Reader): number | undefined {
  const start = reader.at
  while (/^[0-9]$/.test(reader.format.charAt(reader.at))) reader.at++
  if (reader.at === start) return undefined
  const digits = reader.format.slice(start, reader.at)
  if (isWithinLimit(digits)) return Number(digits)
  reader.at = reader.format.length
  return undefined
}

const limit = 1e6

/** Go's parsenum gives up when another digit follows a number beyond a million. */
function isWithinLimit(digits: string): boolean {
  return Number(digits.slice(0, -1)) <= limit
}

/** The integer that `*` takes from the arguments; undefined when it is none or beyond a million. */
function takeInteger(reader: Reader): number | undefined {
  if (reader.next >= reader.args.length) return undefined
  const arg = reader.args[reader.next] ?? null
  reader.next++
  if (!(arg instanceof GoInt)) return undefined
  return arg.value > limit || arg.value < -limit ? undefined : Number(arg.value)
}

function readVerb(reader: Reader): string {
  const codePoint = reader.format.codePointAt(reader.at) ?? 0
  reader.at += codePoint > 0xffff ? 2 : 1
  if (codePoint === 0xdbff) throw new TokenRefusedError('cannot use a value that is only known later as a verb')
  return codePoint >= 0xdc80 && codePoint <= 0xdcff ? '\ufffd' : String.fromCodePoint(codePoint)
}

function writeExtra(reader: Reader): void {
  const { printer, args } = reader
  printer.flags = clearFlags()
  write(printer, '%!(EXTRA ')
  args.slice(reader.next).forEach((arg, index) => {
    if (index > 0) write(printer, ', ')
    if (arg === null) return write(printer, '<nil>')
    write(printer, `${goTypeOf(arg)}=`)
    writeVerb(printer, arg, 'v')
  })
  write(printer, ')')
}
