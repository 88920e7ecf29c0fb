import { Dict, GoBytes, GoInt, GoObject, type Value } from '../../model/value.ts'
import { encodeBase64 } from '../bytes/base64.ts'
import { formatJsonFloat } from './go-float.ts'
import { MAX_NESTING } from '../max-nesting.ts'
import { goEscapes } from '../text/go-escapes.ts'
import { compareBytes } from '../text/text-order.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'

/** JSON that Go would not read or a value that it would not write; the message is Go's. */
export class JsonError extends Error {
  /** UTF-16 offset of the problem in the text; 0 when there is no text. */
  readonly offset: number

  constructor(message: string, offset: number = 0) {
    super(message)
    this.name = 'JsonError'
    this.offset = offset
  }
}

/** How {@link formatGoJson} writes. */
export interface JsonFormatOptions {
  /** True if `<`, `>` and `&` are escaped; as in Go they are unless this is false. */
  readonly escapeHtml?: boolean
  /** The indentation of one level; absent = one line without spaces. */
  readonly indent?: string
  readonly isNumber?: IsNumber
}

/** Says of a text whether it is a token that stands for a number, which has no quotes; absent = none is. */
export type IsNumber = (text: string) => boolean

interface Writer {
  readonly special: RegExp
  readonly indent: string | undefined
  readonly isNumber: IsNumber | undefined
}

// lone surrogates stand for invalid bytes and tokens; the u flag keeps pairs out
const special = /["\\\u0000-\u001f\u2028\u2029\p{Surrogate}]/u
const specialOrHtml = /["\\\u0000-\u001f<>&\u2028\u2029\p{Surrogate}]/u
const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/**
 * Writes a value as Go's encoding/json does: keys in byte order, []byte as base64, an invalid byte as `\ufffd`. Tokens
 * stay as they are.
 * @throws JsonError for NaN, an infinity, a cycle
 */
export function formatGoJson(value: Value, options: JsonFormatOptions = {}): string {
  const pattern = options.escapeHtml === false ? special : specialOrHtml
  return formatValue(value, 0, { special: pattern, indent: options.indent, isNumber: options.isNumber })
}

function formatValue(value: Value, depth: number, writer: Writer): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return writer.isNumber?.(value) === true ? value : formatString(value, writer.special)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new JsonError(`json: unsupported value: ${nonFinite(value)}`)
    return formatJsonFloat(value)
  }
  if (value instanceof GoInt) return value.value.toString()
  if (value instanceof GoBytes) return `"${encodeBase64(value.bytes)}"`
  if (depth >= MAX_NESTING) throw new JsonError('json: unsupported value: encountered a cycle')
  if (value instanceof GoObject) return formatObject(value, depth, writer)
  if (value instanceof Dict) return formatDict(value, [...value.keys()].sort(compareBytes), { depth, writer })
  return formatList(value, depth, writer)
}

/** A struct's fields come in the order in which Go declares them. */
function formatObject(value: GoObject, depth: number, writer: Writer): string {
  const content = value.toValue()
  const isStruct = content instanceof Dict && (value.kind === 'struct' || value.kind === 'ptr')
  if (isStruct) return formatDict(content, [...content.keys()], { depth, writer })
  return formatValue(content, depth, writer)
}

interface Place {
  readonly depth: number
  readonly writer: Writer
}

function formatDict(value: Dict, keys: readonly string[], { depth, writer }: Place): string {
  if (keys.length === 0) return '{}'
  const colon = writer.indent === undefined ? ':' : ': '
  const parts: string[] = []
  for (const key of keys) {
    const name = formatString(key, writer.special)
    parts.push(name + colon + formatValue(value.get(key) ?? null, depth + 1, writer))
  }
  return enclose('{', parts, { close: '}', depth, indent: writer.indent })
}

function formatList(value: readonly Value[], depth: number, writer: Writer): string {
  if (value.length === 0) return '[]'
  const parts = value.map((item) => formatValue(item, depth + 1, writer))
  return enclose('[', parts, { close: ']', depth, indent: writer.indent })
}

interface Closing {
  readonly close: string
  readonly depth: number
  readonly indent: string | undefined
}

function enclose(open: string, parts: readonly string[], { close, depth, indent }: Closing): string {
  if (indent === undefined) return open + parts.join(',') + close
  const line = `\n${indent.repeat(depth)}`
  return open + line + indent + parts.join(`,${line}${indent}`) + line + close
}

function formatString(text: string, pattern: RegExp): string {
  if (!pattern.test(text)) return `"${text}"`
  let result = '"'
  for (const character of text) result += pattern.test(character) ? escapeCharacter(character) : character
  return `${result}"`
}

function escapeCharacter(character: string): string {
  const short = shortEscapes.get(character)
  if (short !== undefined) return short
  const code = character.charCodeAt(0)
  // a lone high surrogate is the mark of a token
  if (code >= 0xd800 && code <= 0xdbff) return character
  return `\\u${(code >= 0xdc00 && code <= 0xdfff ? 0xfffd : code).toString(16).padStart(4, '0')}`
}

function nonFinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
const plainPattern = /[^"\\\u0000-\u001f]*/y
const escapes: ReadonlyMap<string, string> = new Map(
  [...shortEscapes].map(([character, escape]) => [escape.charAt(1), character]),
)

const hexDigit = /^[0-9a-fA-F]$/
const lowSurrogateEscape = /^\\u[dD][c-fC-F][0-9a-fA-F]{2}$/
const invalidByte = /(?![\uD800-\uDBFF])\p{Surrogate}/u
const invalidBytes = /(?![\uD800-\uDBFF])\p{Surrogate}/gu

interface Reader {
  readonly text: string
  readonly isNumber: IsNumber | undefined
  at: number
}

/**
 * Reads JSON as Go's json.Unmarshal into an `interface {}` does: numbers become float64, of equal keys the last wins,
 * an unpaired surrogate or invalid byte becomes U+FFFD.
 * @throws JsonError with Go's message
 */
export function parseGoJson(text: string, isNumber?: IsNumber): Value {
  const reader: Reader = { text, isNumber, at: 0 }
  const value = parseValue(reader, 0)
  skipSpace(reader)
  if (reader.at < text.length) throw unexpected(reader, 'after top-level value')
  return value
}

function parseValue(reader: Reader, depth: number): Value {
  skipSpace(reader)
  const first = reader.text.charAt(reader.at)
  if (first === '"') return parseString(reader)
  if (first === '{') return parseObject(reader, depth)
  if (first === '[') return parseArray(reader, depth)
  if (first === 't') return parseWord(reader, 'true', true)
  if (first === 'f') return parseWord(reader, 'false', false)
  if (first === 'n') return parseWord(reader, 'null', null)
  if (first === '-' || (first >= '0' && first <= '9')) return parseNumber(reader)
  const token = reader.text.slice(reader.at, reader.at + 2)
  if (reader.isNumber?.(token) === true) {
    reader.at += 2
    return token
  }
  throw unexpected(reader, 'looking for beginning of value')
}

function parseObject(reader: Reader, depth: number): Dict {
  if (depth >= MAX_NESTING) throw unexpected(reader, 'exceeded max depth')
  const result = new Dict()
  reader.at++
  skipSpace(reader)
  if (reader.text.charAt(reader.at) === '}') {
    reader.at++
    return result
  }
  for (;;) {
    skipSpace(reader)
    if (reader.text.charAt(reader.at) !== '"') throw unexpected(reader, 'looking for beginning of object key string')
    const key = parseString(reader)
    skipSpace(reader)
    if (reader.text.charAt(reader.at) !== ':') throw unexpected(reader, 'after object key')
    reader.at++
    result.set(key, parseValue(reader, depth + 1))
    skipSpace(reader)
    const next = reader.text.charAt(reader.at)
    if (next !== ',' && next !== '}') throw unexpected(reader, 'after object key:value pair')
    reader.at++
    if (next === '}') return result
  }
}

function parseArray(reader: Reader, depth: number): Value[] {
  if (depth >= MAX_NESTING) throw unexpected(reader, 'exceeded max depth')
  const result: Value[] = []
  reader.at++
  skipSpace(reader)
  if (reader.text.charAt(reader.at) === ']') {
    reader.at++
    return result
  }
  for (;;) {
    result.push(parseValue(reader, depth + 1))
    skipSpace(reader)
    const next = reader.text.charAt(reader.at)
    if (next !== ',' && next !== ']') throw unexpected(reader, 'after array element')
    reader.at++
    if (next === ']') return result
  }
}

function parseString(reader: Reader): string {
  let result = ''
  reader.at++
  for (;;) {
    plainPattern.lastIndex = reader.at
    const plain = plainPattern.exec(reader.text)?.[0] ?? ''
    result += invalidByte.test(plain) ? plain.replace(invalidBytes, '\uFFFD') : plain
    reader.at += plain.length
    const stop = reader.text.charAt(reader.at)
    if (stop === '"') break
    if (stop !== '\\') throw unexpected(reader, 'in string literal')
    result += parseEscape(reader)
  }
  reader.at++
  return result
}

function parseEscape(reader: Reader): string {
  reader.at++
  const letter = reader.text.charAt(reader.at)
  const short = letter === '/' ? '/' : escapes.get(letter)
  if (short === undefined && letter !== 'u') throw unexpected(reader, 'in string escape code')
  reader.at++
  if (short !== undefined) return short
  const code = parseHex(reader)
  if (code < 0xd800 || code > 0xdfff) return String.fromCharCode(code)
  const pair = reader.text.slice(reader.at, reader.at + 6)
  if (code > 0xdbff || !lowSurrogateEscape.test(pair)) return '\uFFFD'
  reader.at += 6
  return String.fromCharCode(code, Number.parseInt(pair.slice(2), 16))
}

function parseHex(reader: Reader): number {
  const start = reader.at
  for (; reader.at < start + 4; reader.at++) {
    if (!hexDigit.test(reader.text.charAt(reader.at))) {
      throw unexpected(reader, 'in \\u hexadecimal character escape')
    }
  }
  return Number.parseInt(reader.text.slice(start, reader.at), 16)
}

function parseWord(reader: Reader, word: string, value: boolean | null): boolean | null {
  for (const letter of word) {
    if (reader.text.charAt(reader.at) !== letter) {
      throw unexpected(reader, `in literal ${word} (expecting '${letter}')`)
    }
    reader.at++
  }
  return value
}

function parseNumber(reader: Reader): number {
  numberPattern.lastIndex = reader.at
  const text = numberPattern.exec(reader.text)?.[0]
  if (text === undefined) {
    reader.at++
    throw unexpected(reader, 'in numeric literal')
  }
  const start = reader.at
  reader.at += text.length
  refuseHalfNumber(reader, text)
  const value = Number(text)
  if (Number.isFinite(value)) return value
  throw new JsonError(`json: cannot unmarshal number ${text} into Go value of type float64`, start)
}

/** Go reads on after a number that ends in `1.`, `1e` or `1e+` and complains about what follows. */
function refuseHalfNumber(reader: Reader, text: string): void {
  const next = reader.text.charAt(reader.at)
  const hasExponent = /[eE]/.test(text)
  if (next === '.' && !hasExponent && !text.includes('.')) {
    reader.at++
    throw unexpected(reader, 'after decimal point in numeric literal')
  }
  if ((next === 'e' || next === 'E') && !hasExponent) {
    reader.at++
    if (/^[-+]$/.test(reader.text.charAt(reader.at))) reader.at++
    throw unexpected(reader, 'in exponent of numeric literal')
  }
}

function skipSpace(reader: Reader): void {
  for (;;) {
    const code = reader.text.charCodeAt(reader.at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    reader.at++
  }
}

function unexpected(reader: Reader, context: string): JsonError {
  if (reader.at >= reader.text.length) {
    // Go tries a space at the end, which these do not take
    const isInsideToken = /^(?:in (?!string literal)|after decimal)/.test(context)
    const problem = isInsideToken ? `invalid character ' ' ${context}` : 'unexpected end of JSON input'
    return new JsonError(problem, reader.text.length)
  }
  const character = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0)
  // Go looks at bytes and shows one as the character of that number
  const byte = encodeUtf8(character)[0] ?? 0
  return new JsonError(`invalid character ${quoteByte(byte)} ${context}`, reader.at)
}

/** scanner.go quoteChar */
function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''"
  if (byte === 0x5c) return "'\\\\'"
  const short = byte === 0x22 ? undefined : goEscapes.get(byte)
  if (short !== undefined) return `'${short}'`
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`
  if ((byte > 0x7f && byte <= 0xa0) || byte === 0xad) return `'\\u${byte.toString(16).padStart(4, '0')}'`
  return `'${String.fromCharCode(byte)}'`
}
