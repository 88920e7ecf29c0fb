import { Dict, goInt64, type Value } from '../../model/value.ts'
import { createTomlTables, type TomlTables } from './toml-tables.ts'
import { isTomlDatetime, readTomlNumber } from './toml-scalars.ts'

/** TOML that BurntSushi/toml would not read; `detail` is its message, without position and key. */
export class TomlError extends Error {
  readonly detail: string
  readonly line: number
  /** The dotted key that was being read, "" when there was none. */
  readonly lastKey: string

  constructor(detail: string, at: { readonly line: number; readonly lastKey: string }) {
    super(`line ${at.line}: ${detail}`)
    this.name = 'TomlError'
    this.detail = detail
    this.line = at.line
    this.lastKey = at.lastKey
  }
}

/** How {@link parseToml} gives dates and times. */
export interface TomlParseOptions {
  /** Makes the value of a datetime, local or not, whose text was found valid. */
  readonly datetime: (text: string) => Value
}

/** Deeper values and longer keys are refused. */
const maxDepth = 500

interface Reader {
  readonly text: string
  readonly options: TomlParseOptions
  readonly tables: TomlTables
  at: number
}

/**
 * Reads a document as BurntSushi/toml 1.6 does into a `map[string]interface {}`: integers become int64, tables in
 * `[[…]]` a `[]map[string]interface {}`. Messages of rare syntax errors may differ from the original in detail.
 * @throws TomlError
 */
export function parseToml(text: string, options: TomlParseOptions): Dict {
  const start = text.startsWith('\ufeff') ? 1 : 0
  const reader: Reader = { text, options, at: start, tables: createTomlTables() }
  reader.tables.fail = (detail) => fail(reader, detail)
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/.exec(text)
  if (control !== null) throw badCharacter(reader, control)
  while (skipBlank(reader)) readTopLevel(reader)
  return reader.tables.root
}

function badCharacter(reader: Reader, { 0: character, index }: RegExpExecArray): TomlError {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0')
  reader.at = index
  return fail(reader, `TOML files cannot contain control characters: '0x${code}'`)
}

/**
 * An error at the place that was reached: the end of the text counts for the line before it. With `unexpected`, the
 * character that was read there counts too.
 */
function fail(reader: Reader, detail: string, unexpected: string = ''): TomlError {
  const read = reader.text.slice(0, reader.at) + unexpected
  const lines = read.split('\n').length
  const isAtEnd = unexpected === '' && reader.at >= reader.text.length && read.endsWith('\n')
  return new TomlError(detail, { line: isAtEnd ? lines - 1 : lines, lastKey: reader.tables.currentKey() })
}

function peek(reader: Reader): string {
  const code = reader.text.codePointAt(reader.at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

function skipSpaces(reader: Reader): void {
  while (/^[ \t]$/.test(peek(reader))) reader.at++
}

/** Skips spaces, lines and comments; says whether something follows. */
function skipBlank(reader: Reader): boolean {
  for (;;) {
    const next = peek(reader)
    if (next === '#') skipComment(reader)
    else if (/^[ \t\r\n]$/.test(next)) reader.at++
    else return next !== ''
  }
}

function skipComment(reader: Reader): void {
  const end = reader.text.indexOf('\n', reader.at)
  reader.at = end === -1 ? reader.text.length : end
}

function readTopLevel(reader: Reader): void {
  if (peek(reader) === '[') readHeader(reader)
  else readPair(reader, 0)
  reader.tables.closeKey()
  skipSpaces(reader)
  const next = peek(reader)
  if (next === '' || next === '#' || next === '\r' || next === '\n') return
  const problem = 'expected a top-level item to end with a newline, comment, or EOF'
  throw fail(reader, `${problem}, but got ${quoteRune(next)} instead`)
}

function readHeader(reader: Reader): void {
  const isArray = reader.text.startsWith('[[', reader.at)
  reader.at += isArray ? 2 : 1
  const key: string[] = []
  for (;;) {
    skipSpaces(reader)
    const next = peek(reader)
    if (next === ']' || next === '') throw fail(reader, 'unexpected end of table name (table names cannot be empty)')
    if (next === '.') throw fail(reader, 'unexpected table separator (table names cannot be empty)')
    key.push(readKeyPart(reader))
    skipSpaces(reader)
    const after = peek(reader)
    if (key.length > maxDepth) throw fail(reader, 'the key has too many parts')
    if (after === '.') reader.at++
    else if (after === ']') break
    else throw fail(reader, `expected '.' or ']' to end table name, but got ${quoteRune(after)} instead`, after)
  }
  reader.at++
  if (isArray && peek(reader) !== ']') {
    throw fail(
      reader,
      `expected end of table array name delimiter ']', but got ${quoteRune(peek(reader))} instead`,
      peek(reader),
    )
  }
  if (isArray) reader.at++
  reader.tables.enter(key, isArray ? 'tables' : 'table')
}

function readKeyPart(reader: Reader): string {
  const next = peek(reader)
  if (next === '"') return readBasic(reader)
  if (next === "'") return readLiteral(reader)
  const [name = ''] = /^[A-Za-z0-9_-]*/.exec(reader.text.slice(reader.at, reader.at + 1000)) ?? []
  reader.at += name.length
  return name
}

/** Reads `key = value` and stores it; gives the key and value for inline tables. */
function readPair(reader: Reader, depth: number): { readonly key: readonly string[]; readonly value: Value } {
  const key = readKey(reader)
  const leave = reader.tables.openKey(key)
  const value = readValue(reader, depth)
  reader.tables.set(value)
  leave()
  return { key, value }
}

function readKey(reader: Reader): readonly string[] {
  const key: string[] = []
  const first = peek(reader)
  if (first === '=' || first === '') throw fail(reader, "unexpected '=': key name appears blank")
  if (first === '.') throw fail(reader, "unexpected '.': keys cannot start with a '.'")
  for (;;) {
    skipSpaces(reader)
    const next = peek(reader)
    if (next === '=' || next === '') throw fail(reader, "unexpected '='")
    if (next === '.') throw fail(reader, "unexpected '.'")
    key.push(readKeyPart(reader))
    skipSpaces(reader)
    const after = peek(reader)
    if (after === '') throw fail(reader, "unexpected EOF; expected key separator '='")
    if (after !== '.' && after !== '=') throw fail(reader, `expected '.' or '=', but got ${quoteRune(after)} instead`)
    reader.at++
    if (after === '=') return key
    if (key.length > maxDepth) throw fail(reader, 'the key has too many parts')
  }
}

function readValue(reader: Reader, depth: number, where: 'array' | 'value' = 'value'): Value {
  if (depth > maxDepth) throw fail(reader, 'values are nested too deeply')
  skipSpaces(reader)
  const next = peek(reader)
  if (next === '"') return reader.text.startsWith('"""', reader.at) ? readMultiLine(reader, '"""') : readBasic(reader)
  if (next === "'") return reader.text.startsWith("'''", reader.at) ? readMultiLine(reader, "'''") : readLiteral(reader)
  if (next === '[') return readArray(reader, depth)
  if (next === '{') return readInlineTable(reader, depth, where)
  if (next === '') throw fail(reader, 'unexpected EOF; expected value')
  return readPlain(reader, next)
}

const datetime = /\d{1,4}[-:][-:TtZz.+0-9]*(?: [-:.Zz+0-9]+)?/y
const number = /0[xob][0-9a-fA-F_]*|[-+]?(?:inf|nan|[0-9][-+0-9_.eE]*)/y
const word = /\p{L}+/uy

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at
  return pattern.exec(reader.text)?.[0]
}

function readPlain(reader: Reader, next: string): Value {
  if (next === '.' || /^[-+]\./.test(reader.text.slice(reader.at, reader.at + 2))) {
    throw fail(reader, "floats must start with a digit, not '.'")
  }
  const date = match(reader, datetime)
  if (date !== undefined) return readDatetime(reader, date)
  const digits = match(reader, number)
  if (digits !== undefined) return readNumber(reader, digits)
  const name = match(reader, word)
  if (name === undefined) throw fail(reader, `expected value but found ${quoteRune(next)} instead`)
  if (name !== 'true' && name !== 'false') throw fail(reader, `expected value but found "${name}" instead`)
  reader.at += name.length
  return name === 'true'
}

function readDatetime(reader: Reader, text: string): Value {
  if (!isTomlDatetime(text)) throw fail(reader, `invalid datetime: "${text}"`)
  reader.at += text.length
  return reader.options.datetime(text.replace(' ', 'T').toUpperCase())
}

function readNumber(reader: Reader, text: string): Value {
  const { value, problem } = readTomlNumber(text)
  if (problem !== undefined) throw fail(reader, problem)
  reader.at += text.length
  return typeof value === 'bigint' ? goInt64(value) : (value ?? 0)
}

function readArray(reader: Reader, depth: number): Value {
  reader.at++
  const items: Value[] = []
  for (;;) {
    skipBlank(reader)
    if (peek(reader) === ',') throw fail(reader, 'unexpected comma')
    if (peek(reader) === ']') break
    items.push(readValue(reader, depth + 1, 'array'))
    skipBlank(reader)
    const next = peek(reader)
    if (next === ']') break
    if (next !== ',') throw fail(reader, `expected a comma (',') or array terminator (']'), but got ${nameRune(next)}`)
    reader.at++
  }
  reader.at++
  return items
}

function readInlineTable(reader: Reader, depth: number, where: 'array' | 'value'): Value {
  reader.at++
  const table = new Dict()
  const leave = reader.tables.openInline(where)
  for (;;) {
    skipBlank(reader)
    if (peek(reader) === ',') throw fail(reader, 'unexpected comma')
    if (peek(reader) === '}') break
    const { key, value } = readPair(reader, depth + 1)
    if (!storeAt(table, key, value)) throw fail(reader, `"${key.join('.')}" is not a table`)
    skipBlank(reader)
    const next = peek(reader)
    if (next === '}') break
    if (next !== ',') {
      throw fail(reader, `expected a comma or an inline table terminator '}', but got ${nameRune(next)} instead`)
    }
    reader.at++
  }
  reader.at++
  leave()
  return table
}

function storeAt(table: Dict, key: readonly string[], value: Value): boolean {
  let target = table
  for (const name of key.slice(0, -1)) {
    const next = target.get(name) ?? new Dict()
    if (!(next instanceof Dict)) return false
    target.set(name, next)
    target = next
  }
  target.set(key.at(-1) ?? '', value)
  return true
}

/** Text between single quotes, which has no escapes. */
function readLiteral(reader: Reader): string {
  const end = reader.text.indexOf("'", reader.at + 1)
  const text = reader.text.slice(reader.at + 1, end === -1 ? undefined : end)
  requireLine(reader, text)
  if (end === -1) throw atEnd(reader, `unexpected EOF; expected "'"`)
  reader.at = end + 1
  return text
}

function requireLine(reader: Reader, text: string): void {
  if (/[\r\n]/.test(text)) throw fail(reader, 'strings cannot contain newlines')
}

function atEnd(reader: Reader, detail: string): TomlError {
  reader.at = reader.text.length
  return fail(reader, detail)
}

/** Text between double quotes. */
function readBasic(reader: Reader): string {
  const pattern = /(?:[^"\\]|\\.)*/sy
  pattern.lastIndex = reader.at + 1
  const body = pattern.exec(reader.text)?.[0] ?? ''
  requireLine(reader, body)
  const end = reader.at + 1 + body.length
  const text = unescape(reader, body)
  if (reader.text.charAt(end) !== '"') throw atEnd(reader, `unexpected EOF; expected '"'`)
  reader.at = end + 1
  return text
}

function readMultiLine(reader: Reader, quote: '"""' | "'''"): string {
  const start = reader.at + 3
  const character = quote.charAt(0)
  let end = start
  while (!reader.text.startsWith(quote, end)) {
    if (end >= reader.text.length)
      throw atEnd(reader, `unexpected EOF; expected ${quote === '"""' ? `'"""'` : `"'''"`}`)
    end += quote === '"""' && reader.text.charAt(end) === '\\' ? 2 : 1
  }
  // up to two quotes may stand before the closing ones
  for (let extra = 0; extra < 2 && reader.text.charAt(end + 3) === character; extra++) end++
  if (reader.text.charAt(end + 3) === character) {
    throw fail(reader, quote === '"""' ? `unexpected '""""""'` : `unexpected "''''''"`)
  }
  const body = reader.text.slice(start, end).replace(/^\r?\n/, '')
  const text =
    quote === "'''"
      ? body
      : unescape(
          reader,
          body.replace(/\\(\\|[ \t\r]*\n\s*)/g, (_, after: string) => (after === '\\' ? '\\\\' : '')),
        )
  reader.at = end + 3
  return text
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  ['"', '"'],
  ['\\', '\\'],
])
const hexLengths: ReadonlyMap<string, readonly [digits: number, name: string]> = new Map([
  ['x', [2, 'two']],
  ['u', [4, 'four']],
  ['U', [8, 'eight']],
])

function unescape(reader: Reader, text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.?)/gsu, (_, escape: string) => {
    const known = escapes.get(escape)
    if (known !== undefined) return known
    const hex = hexLengths.get(escape.charAt(0))
    if (hex === undefined) throw fail(reader, `invalid escape in string '\\${escape}'`)
    if (escape.length === 1) throw fail(reader, `expected ${hex[1]} hexadecimal digits after '\\${escape}'`)
    const code = Number.parseInt(escape.slice(1), 16)
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      throw fail(reader, `Escaped character '\\u${escape.slice(1)}' is not valid UTF-8.`)
    }
    return String.fromCodePoint(code)
  })
}

/** A character as Go's `%q` of a rune; the end of the text is the zero rune. */
function quoteRune(character: string): string {
  if (character === '') return "'\\x00'"
  if (character === "'" || character === '\\') return `'\\${character}'`
  if (character === '\n') return "'\\n'"
  if (character === '\r') return "'\\r'"
  if (character === '\t') return "'\\t'"
  return `'${character}'`
}

function nameRune(character: string): string {
  return character === '' ? 'end of file' : `'${character}'`
}
