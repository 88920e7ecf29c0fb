import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { Dict, GoBytes, GoInt, elementType, goTypeOf, type Value } from '../../model/value.ts'
import { canBackquote, joinBytes, quoteGo, quoteRune } from './format-quote.ts'
import { writeFloat, writeInteger, writeUnicode } from './format-number.ts'
import { firstCharacters, write, writePadded, type Printer } from './format-printer.ts'
import { FunctionError } from './function.ts'
import { TokenRefusedError, holdsToken } from './token-refused.ts'
import { ours, say } from './error-text.ts'

const maxDepth = 1000

/**
 * Writes one argument with one verb, after Go's fmt (print.go, printArg): a verb that does not fit gives
 * `%!d(string=x)`.
 * @throws FunctionError for `%p` of a reference (an address differs from run to run) and for values that contain
 * themselves
 * @throws TokenRefusedError when the text of a token would have to be known
 */
export function writeVerb(printer: Printer, arg: Value, verb: string): void {
  if (arg === null) {
    if (verb === 'T' || verb === 'v') writePadded(printer, '<nil>')
    else writeBadVerb(printer, arg, verb)
    return
  }
  if (verb === 'T') {
    // what it stands for may be a number
    if (typeof arg === 'string' && holdsToken(arg))
      throw new TokenRefusedError('cannot format a value that is only known later (%T)')
    return writeText(printer, goTypeOf(arg), 's')
  }
  if (verb === 'p') return writePointer(printer, arg)
  if (verb === 'w' && !isBasic(arg)) return writeBadVerb(printer, arg, verb)
  writeValue(printer, arg, { verb, depth: 0, type: 'interface {}' })
}

interface Place {
  readonly verb: string
  readonly depth: number
  /** The static type that the value is held by; matters for nil only. */
  readonly type: string
}

function isBasic(value: Value): boolean {
  return typeof value !== 'object' || value instanceof GoInt || value instanceof GoBytes
}

function writeValue(printer: Printer, value: Value, place: Place): void {
  const { verb, depth } = place
  if (depth > maxDepth) throw new FunctionError('value is nested too deeply to print, it may contain itself')
  if (value === null) return write(printer, printer.flags.sharpV ? `${place.type}(nil)` : '<nil>')
  if (typeof value === 'string') return writeText(printer, value, verb)
  if (typeof value === 'number') return writeNumber(printer, value, verb)
  if (typeof value === 'boolean') {
    return verb === 't' || verb === 'v' ? writePadded(printer, String(value)) : writeBadVerb(printer, value, verb)
  }
  if (value instanceof GoInt) return writeGoInt(printer, value, verb)
  if (value instanceof GoBytes) {
    return writeBytes(printer, value, {
      verb,
      depth,
      type: depth === 0 && (verb === 'v' || verb === 'd') ? '[]byte' : '[]uint8',
    })
  }
  if (Array.isArray(value)) return writeList(printer, value, place)
  if (value instanceof Dict) return writeMap(printer, value, place)
  if ('vsqxX'.includes(verb)) return writeText(printer, value.toText(), verb)
  writeBadVerb(printer, value, verb)
}

function writeList(printer: Printer, list: readonly Value[], { verb, depth }: Place): void {
  const { sharpV } = printer.flags
  const type = elementType(list)
  write(printer, sharpV ? `[]${type}{` : '[')
  list.forEach((element, index) => {
    if (index > 0) write(printer, sharpV ? ', ' : ' ')
    writeValue(printer, element, { verb, depth: depth + 1, type })
  })
  write(printer, sharpV ? '}' : ']')
}

function writeMap(printer: Printer, map: Dict, { verb, depth }: Place): void {
  const { sharpV } = printer.flags
  const type = map.elementType
  write(printer, sharpV ? `${map.goType}{` : 'map[')
  const keys = [...map.keys()].sort(compareBytes)
  keys.forEach((key, index) => {
    if (index > 0) write(printer, sharpV ? ', ' : ' ')
    writeText(printer, key, verb)
    write(printer, ':')
    writeValue(printer, map.get(key) ?? null, { verb, depth: depth + 1, type })
  })
  write(printer, sharpV ? '}' : ']')
}

function writeNumber(printer: Printer, value: number, verb: string): void {
  switch (verb) {
    case 'v':
      return writeFloat(printer, value, { verb: 'g', precision: -1 })
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return writeFloat(printer, value, { verb, precision: -1 })
    case 'f':
    case 'e':
    case 'E':
      return writeFloat(printer, value, { verb, precision: 6 })
    case 'F':
      return writeFloat(printer, value, { verb: 'f', precision: 6 })
    default:
      writeBadVerb(printer, value, verb)
  }
}

function writeGoInt(printer: Printer, int: GoInt, verb: string): void {
  switch (verb) {
    case 'v':
      if (!printer.flags.sharpV || !int.kind.startsWith('u')) return writeInteger(printer, int.value, { base: 10 })
      return writeHexConstant(printer, int.value)
    case 'd':
      return writeInteger(printer, int.value, { base: 10 })
    case 'b':
      return writeInteger(printer, int.value, { base: 2 })
    case 'o':
      return writeInteger(printer, int.value, { base: 8 })
    case 'O':
      return writeInteger(printer, int.value, { base: 8, prefix: '0o' })
    case 'x':
      return writeInteger(printer, int.value, { base: 16 })
    case 'X':
      return writeInteger(printer, int.value, { base: 16, letters: 'upper' })
    case 'c':
      return writePadded(printer, String.fromCodePoint(toCharacter(int.value)))
    case 'q':
      return writePadded(printer, quoteRune(toCharacter(int.value), printer.flags.plus ? 'ascii' : 'printable'))
    case 'U':
      return writeUnicode(printer, BigInt.asUintN(64, int.value))
    default:
      writeBadVerb(printer, int, verb)
  }
}

/** `%#v` of an unsigned integer: hexadecimal with `0x`, whatever the other flags say. */
function writeHexConstant(printer: Printer, value: bigint): void {
  const { sharp } = printer.flags
  printer.flags.sharp = true
  writeInteger(printer, value, { base: 16 })
  printer.flags.sharp = sharp
}

function toCharacter(value: bigint): number {
  const isCharacter = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn)
  return isCharacter ? Number(value) : 0xfffd
}

function writeText(printer: Printer, text: string, verb: string): void {
  const { flags } = printer
  if (holdsToken(text)) checkToken(printer, text, verb)
  switch (verb) {
    case 'v':
      return flags.sharpV ? writeQuoted(printer, text) : writePadded(printer, cut(printer, text))
    case 's':
      return writePadded(printer, cut(printer, text))
    case 'x':
    case 'X':
      return writeHex(printer, encodeUtf8(text), verb)
    case 'q':
      return writeQuoted(printer, text)
    default:
      if (verb === 'd' && holdsToken(text)) write(printer, text)
      else writeBadVerb(printer, text, verb)
  }
}

/** Tokens pass as text; a width, a precision, hexadecimal digits or a number would need the text behind them. */
function checkToken(printer: Printer, text: string, verb: string): void {
  const { flags } = printer
  if (flags.precision !== undefined || (flags.width ?? 0) > 0) {
    throw new TokenRefusedError(say`cannot pad or cut a value that is only known later (%${ours(verb)})`)
  }
  if (verb === 'v' || verb === 's' || (verb === 'q' && !flags.sharp)) return
  const isInteger = verb === 'd' && text.length === 2 && printer.options.isIntegerToken?.(text) === true
  if (!isInteger || flags.plus || flags.space) {
    throw new TokenRefusedError(say`cannot format a value that is only known later (%${ours(verb)})`)
  }
}

function cut(printer: Printer, text: string): string {
  const { precision, width } = printer.flags
  if (precision === undefined && width === undefined) return text
  const whole = joinBytes(text)
  return precision === undefined ? whole : firstCharacters(whole, precision)
}

function writeQuoted(printer: Printer, text: string): void {
  const { flags } = printer
  const shown = cut(printer, text)
  if (flags.sharp && canBackquote(shown)) return writePadded(printer, '`' + shown + '`')
  writePadded(printer, quoteGo(shown, flags.plus ? 'ascii' : 'printable'))
}

function writeHex(printer: Printer, bytes: Uint8Array, verb: 'x' | 'X'): void {
  const { flags } = printer
  const shown = flags.precision === undefined ? bytes : bytes.subarray(0, flags.precision)
  const prefix = flags.sharp ? '0x' : ''
  const pairs = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0'))
  const text = flags.space
    ? pairs.map((pair) => prefix + pair).join(' ')
    : (pairs.length > 0 ? prefix : '') + pairs.join('')
  writePadded(printer, verb === 'X' ? text.toUpperCase() : text)
}

function writeBytes(printer: Printer, value: GoBytes, { verb, depth, type }: Place): void {
  const { flags } = printer
  switch (verb) {
    case 's':
      return writePadded(printer, cut(printer, decodeUtf8(value.bytes)))
    case 'x':
    case 'X':
      return writeHex(printer, value.bytes, verb)
    case 'q':
      return writeQuoted(printer, decodeUtf8(value.bytes))
    default: {
      write(printer, flags.sharpV ? `${type}{` : '[')
      value.bytes.forEach((byte, index) => {
        if (index > 0) write(printer, flags.sharpV ? ', ' : ' ')
        writeValue(printer, new GoInt(BigInt(byte), 'uint8'), { verb, depth: depth + 1, type: 'uint8' })
      })
      write(printer, flags.sharpV ? '}' : ']')
    }
  }
}

function writePointer(printer: Printer, arg: Value): void {
  if (isBasic(arg) && !(arg instanceof GoBytes)) return writeBadVerb(printer, arg, 'p')
  throw new FunctionError('%p prints a memory address, which differs from run to run')
}

/** `%!d(string=x)`: the verb, the type and the value as `%v` prints it with the flags at hand. */
function writeBadVerb(printer: Printer, value: Value, verb: string): void {
  if (value === null) return write(printer, `%!${verb}(<nil>)`)
  write(printer, `%!${verb}(${goTypeOf(value)}=`)
  writeValue(printer, value, { verb: 'v', depth: 0, type: 'interface {}' })
  write(printer, ')')
}
