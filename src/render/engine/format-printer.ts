import { FunctionError } from './function.ts'

/** The flags, width and precision of one verb, as Go's fmt keeps them; printing changes some on the way. */
export interface VerbFlags {
  minus: boolean
  plus: boolean
  sharp: boolean
  space: boolean
  zero: boolean
  /** `%+v` and `%#v` set these instead of plus and sharp. */
  plusV: boolean
  sharpV: boolean
  width: number | undefined
  precision: number | undefined
}

/** The context of a call besides its arguments. */
export interface FormatOptions {
  /** Called with the length of text about to be built, to count it against the limits. */
  readonly charge?: ((amount: number) => void) | undefined
  /** Says whether a token stands for an integer, which `%d` may then print. */
  readonly isIntegerToken?: ((token: string) => boolean) | undefined
}

/** The state of one formatting call: what was written and the flags of the verb at hand. */
export interface Printer {
  text: string
  pieces: number
  flags: VerbFlags
  readonly options: FormatOptions
}

const maxLength = 2 ** 24
const maxPieces = 2 ** 21

/** Makes a printer with nothing written and no flags set. */
export function createPrinter(options: FormatOptions = {}): Printer {
  return { text: '', pieces: 0, flags: clearFlags(), options }
}

/** Returns the flags of a verb that has none. */
export function clearFlags(): VerbFlags {
  return {
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    plusV: false,
    sharpV: false,
    width: undefined,
    precision: undefined,
  }
}

/**
 * Writes text as it is.
 * @throws FunctionError when the result grows beyond 16 Mi characters or two million pieces; what `charge` throws
 */
export function write(printer: Printer, text: string): void {
  printer.options.charge?.(text.length)
  printer.pieces++
  if (printer.text.length + text.length > maxLength || printer.pieces > maxPieces)
    throw new FunctionError('formatted text is too large')
  printer.text += text
}

/** Writes text padded to the width, counted in characters; `fill` says what to pad with on the left. */
export function writePadded(printer: Printer, text: string, fill: 'flag' | 'space' = 'flag'): void {
  const { width, minus, zero } = printer.flags
  const missing = (width ?? 0) === 0 ? 0 : (width ?? 0) - countCharacters(text)
  if (missing <= 0) return write(printer, text)
  if (minus) return write(printer, text + ' '.repeat(missing))
  write(printer, (zero && fill === 'flag' ? '0' : ' ').repeat(missing) + text)
}

/** The number of characters as Go counts runes; a byte that is no UTF-8 counts as one. */
function countCharacters(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
    count--
    at++
  }
  return count
}

/** The first `count` characters of `text`. */
export function firstCharacters(text: string, count: number): string {
  let at = 0
  for (let left = count; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, at)
}
