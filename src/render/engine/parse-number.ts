import { GoInt, goInt } from '../../model/value.ts'
import type { NumberLiteral } from './ast.ts'
import { quoteGo } from './format.ts'
import { say, written, type ErrorText } from './error-text.ts'

const MAX_INT = 2n ** 63n - 1n
const MAX_UINT = 2n ** 64n - 1n

const integer = /^([+-]?)(?:0[xX]((?:_?[0-9a-fA-F])+)|0[bB]((?:_?[01])+)|0[oO]?((?:_?[0-7])+)|(0|[1-9](?:_?[0-9])*))$/
const decimalFloat = /^[+-]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?$/
const hexFloat = /^([+-]?)0[xX]([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([+-]?[0-9][0-9_]*)$/

/**
 * Reads a number literal by Go's rules for untyped constants; an error text says what is wrong with it (parse/node.go,
 * newNumber).
 */
export function parseNumber(text: string): NumberLiteral | ErrorText {
  if (isComplex(text)) return say`complex numbers are not supported: ${written(quoteGo(text))}`
  const exact = parseInteger(text)
  if (exact !== undefined && exact >= -MAX_INT - 1n && exact <= MAX_INT) {
    const int = goInt(exact)
    return { int, float: Number(exact), ideal: int }
  }
  if (exact !== undefined && exact <= MAX_UINT && /^[0-9]/.test(text)) {
    return { int: undefined, float: Number(exact), ideal: undefined }
  }
  const float = parseFloat64(text)
  if (float === undefined) return say`illegal number syntax: ${written(quoteGo(text))}`
  if (!/[.eEpP]/.test(text)) return say`integer overflow: ${written(quoteGo(text))}`
  const isInt = Number.isInteger(float) && float >= -(2 ** 63) && float < 2 ** 63
  return { int: isInt ? goInt(BigInt(float)) : undefined, float, ideal: float }
}

/** `2i`, `1+2i`: Go has them, Helm's charts never do. */
function isComplex(text: string): boolean {
  const [, real, imaginary = real] = /^([+-]?[^i]*?)([+-][^i]*)?i$/.exec(text) ?? []
  return imaginary !== undefined && parseFloat64(imaginary) !== undefined
}

/** The number of a character literal: an int that every numeric parameter takes. */
export function charNumber(codePoint: number): NumberLiteral {
  const int = new GoInt(BigInt(codePoint))
  return { int, float: codePoint, ideal: int }
}

function parseInteger(text: string): bigint | undefined {
  const match = integer.exec(text)
  if (match === null) return undefined
  const [, sign, hex, binary, octal, decimal] = match
  const digits = (hex ?? binary ?? octal ?? decimal ?? '').replaceAll('_', '')
  const prefix = hex !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : ''
  const value = BigInt(prefix + digits)
  return sign === '-' ? -value : value
}

function parseFloat64(text: string): number | undefined {
  if (!areUnderscoresGood(text)) return undefined
  const hex = hexFloat.exec(text)
  const value = hex === null ? parseDecimal(text) : parseHex(hex)
  return value !== undefined && Number.isFinite(value) ? value : undefined
}

function parseDecimal(text: string): number | undefined {
  return decimalFloat.test(text) ? Number(text.replaceAll('_', '')) : undefined
}

function parseHex([, sign, whole, fraction, exponent]: RegExpExecArray): number | undefined {
  const digits = `${whole ?? ''}${fraction ?? ''}`.replaceAll('_', '')
  if (digits === '') return undefined
  const shift = Number((exponent ?? '').replaceAll('_', '')) - 4 * (fraction ?? '').replaceAll('_', '').length
  const value = Number(BigInt(`0x${digits}`)) * 2 ** shift
  return sign === '-' ? -value : value
}

/** Go allows an underscore only between two digits, or between a base prefix and a digit (strconv, underscoreOK). */
function areUnderscoresGood(text: string): boolean {
  if (!text.includes('_')) return true
  if (/^[+-]?0[xX]/.test(text)) return !/_(?![0-9a-fA-F])|[^0-9a-fA-FxX]_/.test(text)
  return !/_(?![0-9])|(?:^|[^0-9])_/.test(text)
}
