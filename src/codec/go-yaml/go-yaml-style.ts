import { isSurelyText, resolvePlain } from './go-yaml-resolve.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'

/** How a string is written. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

/** The emitter of go-yaml v2 counts a tab as a control character, that of v3 does not. */
export type EmitterVersion = 'v2' | 'v3'

/** The styles that a string's characters allow (emitterc.go yaml_emitter_analyze_scalar). */
export interface ScalarAnalysis {
  readonly isPlainAllowed: boolean
  readonly isSingleAllowed: boolean
  readonly isLiteralAllowed: boolean
  /** True if it has a line break, U+2028 and U+2029 included. */
  readonly isMultiline: boolean
}

const firstIndicators: ReadonlySet<number> = new Set(encodeUtf8('#,[]{}&*!|>\'"%@`'))

/** Looks at every character once. */
export function analyzeScalar(text: string, version: EmitterVersion): ScalarAnalysis {
  let hasIndicator = startsLikeMarker(text)
  let hasBreak = false
  let hasSpecial = false
  let hasTab = false
  let hasSpaceAfterBreak = false
  let hasBreakAfterSpace = false
  let previous = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x20) hasSpaceAfterBreak ||= isBreak(previous)
    else if (code === 0x3a) hasIndicator ||= isBlankOrAbsent(text, at + 1)
    else if (code === 0x23) hasIndicator ||= isBlank(previous)
    else if (code < 0x20 || code > 0x7e) {
      if (code === 0x09) hasTab = true
      if (isBreak(code)) {
        hasBreak = true
        hasBreakAfterSpace ||= previous === 0x20
      }
      if (!isPrintable(code)) hasSpecial ||= code !== 0x09 || version === 'v2'
    }
    previous = code
  }
  const first = text.charCodeAt(0)
  const hasOuterSpace = first === 0x20 || previous === 0x20
  const isSingleAllowed = !hasSpaceAfterBreak && !hasBreakAfterSpace && !hasSpecial && !hasTab
  return {
    isPlainAllowed: isSingleAllowed && !hasIndicator && !hasBreak && !hasOuterSpace,
    isSingleAllowed,
    isLiteralAllowed: previous !== 0x20 && !hasBreakAfterSpace && !hasSpecial,
    isMultiline: hasBreak,
  }
}

/** True if the start is an indicator, or looks like the start or end of a document. */
function startsLikeMarker(text: string): boolean {
  const first = text.charCodeAt(0)
  if (firstIndicators.has(first)) return true
  if (first === 0x2d || first === 0x3f || first === 0x3a) return isBlankOrAbsent(text, 1) || text.startsWith('---')
  return first === 0x2e && text.startsWith('...')
}

function isBlankOrAbsent(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return Number.isNaN(code) || code === 0x20 || code === 0x09
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0 || isBreak(code)
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029
}

/** True if go-yaml writes the character as it is (yamlprivateh.go is_printable); so are the two halves of a token. */
function isPrintable(code: number): boolean {
  if (code <= 0x7e) return code >= 0x20 || code === 0x0a
  if (code < 0xe000) return code >= 0xa0 && (code <= 0xd7ff || code === 0xdbff)
  return code <= 0xfffd && code !== 0xfeff
}

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** True if the string, unquoted, would be read as the string that it is. */
export function readsAsText(text: string): boolean {
  return text !== '' && (isSurelyText(text) || (resolvePlain(text).kind === 'str' && !base60.test(text)))
}

/** The style that go-yaml gives a string (encode.go stringv, emitterc.go yaml_emitter_select_scalar_style). */
export function chooseStyle(text: string, analysis: ScalarAnalysis): ScalarStyle {
  if (text.includes('\n')) return analysis.isLiteralAllowed ? 'literal' : 'double'
  if (!readsAsText(text)) return 'double'
  return analysis.isPlainAllowed ? 'plain' : analysis.isSingleAllowed ? 'single' : 'double'
}

/** Where a scalar is written. */
export interface ScalarPlace {
  /** The column of its first character. */
  readonly column: number
  /** The indentation of its further lines. */
  readonly indent: number
  /** Lines break at a space past this column; Infinity: never. */
  readonly width: number
}

/** Writes a plain scalar. */
export function writePlain(text: string, place: ScalarPlace): string {
  return place.column + text.length <= place.width ? text : foldAtSpaces(text, place, 'plain')
}

/** Writes a single-quoted scalar. */
export function writeSingleQuoted(text: string, place: ScalarPlace): string {
  const inside = { ...place, column: place.column + 1 }
  if (isShortLine(text, inside)) return `'${text.replaceAll("'", "''")}'`
  return `'${foldAtSpaces(text, inside, 'single')}'`
}

function isShortLine(text: string, place: ScalarPlace): boolean {
  return place.column + 2 * text.length <= place.width && !/[\u2028\u2029]/.test(text)
}

/** A line ends at a single space once it is past the width; spaces in a row stay together. */
function foldAtSpaces(text: string, place: ScalarPlace, style: 'plain' | 'single'): string {
  const lineStart = `\n${' '.repeat(place.indent)}`
  let { column } = place
  let result = ''
  let isAfterSpace = false
  let isAfterBreak = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const isInner = style === 'plain' || (at > 0 && at < text.length - 1)
    if (character === ' ') {
      const isFold = !isAfterSpace && column > place.width && isInner && text.charAt(at + 1) !== ' '
      result += isFold ? lineStart : ' '
      column = isFold ? place.indent : column + 1
      isAfterSpace = true
    } else if (character === '\u2028' || character === '\u2029') {
      result += character
      column = 0
      isAfterBreak = true
    } else {
      if (isAfterBreak) {
        result += ' '.repeat(Math.max(place.indent - column, 0))
        column = place.indent
      }
      result += character === "'" && style === 'single' ? "''" : character
      column += character === "'" && style === 'single' ? 2 : 1
      isAfterSpace = false
      isAfterBreak = false
    }
  }
  return result
}

const namedEscapes: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x85', '\\N'],
  ['\xa0', '\\_'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])

/** Writes a double-quoted scalar. */
export function writeDoubleQuoted(text: string, place: ScalarPlace): string {
  const lineStart = `\n${' '.repeat(place.indent)}`
  // go-yaml looks for the byte order mark at the start of the text instead of at the character
  const isAllEscaped = text.startsWith('\ufeff')
  let column = place.column + 1
  let result = '"'
  let isAfterSpace = false
  let at = 0
  for (const character of text) {
    if (isAllEscaped || needsEscape(character)) {
      const escaped = escapeCharacter(character)
      result += escaped
      column += escaped.length
      isAfterSpace = false
    } else if (character === ' ' && !isAfterSpace && column > place.width && at > 0 && at < text.length - 1) {
      const isBeforeSpace = text.charAt(at + 1) === ' '
      result += lineStart + (isBeforeSpace ? '\\' : '')
      column = place.indent + (isBeforeSpace ? 1 : 0)
      isAfterSpace = true
    } else {
      result += character
      column++
      isAfterSpace = character === ' '
    }
    at += character.length
  }
  return `${result}"`
}

function needsEscape(character: string): boolean {
  const code = character.charCodeAt(0)
  if (character.length > 1) return true
  return code === 0x22 || code === 0x5c || !isPrintable(code) || isBreak(code)
}

function escapeCharacter(character: string): string {
  const named = namedEscapes.get(character)
  if (named !== undefined) return named
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const lineBreaks = /[\n\u2028\u2029]/

/**
 * Writes a literal block: header, then all lines indented by `indent`; ends in a line break
 * if the text does. The header names the indentation (2) when the text starts with a space or line break, or always.
 */
export function writeLiteral(text: string, indent: number, hint: 'if-unclear' | 'always' = 'if-unclear'): string {
  const isUnclear = hint === 'always' || text.startsWith(' ') || lineBreaks.test(text.charAt(0))
  const pad = ' '.repeat(indent)
  // only lines with something on them are indented
  const body = text.replace(/(^|[\n\u2028\u2029])(?=[^\n\u2028\u2029])/g, `$1${pad}`)
  return `|${isUnclear ? '2' : ''}${chompingOf(text)}\n${body}`
}

function chompingOf(text: string): '' | '+' | '-' {
  if (!lineBreaks.test(text.charAt(text.length - 1))) return '-'
  return text.length === 1 || lineBreaks.test(text.charAt(text.length - 2)) ? '+' : ''
}
