import { Dict, GoBytes, GoInt, GoObject, goKindOf, type Value } from '../../model/value.ts'
import { formatFloatG } from '../json/go-float.ts'
import { compareBytes } from '../text/text-order.ts'

/** A value that cannot be written as TOML; the message is that of BurntSushi/toml. */
export class TomlFormatError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TomlFormatError'
  }
}

/** Deeper values are refused: Go's stack would overflow on a value that contains itself. */
const maxDepth = 1000

/** A writer with what was written; keys are the path of the table at hand. */
interface Writer {
  text: string
  readonly isNil: (value: Value) => boolean
}

type Key = readonly string[]

/**
 * Writes a value as BurntSushi/toml 1.6's encoder does: direct values first, then tables, each sorted by key, two
 * spaces of indentation per level, nil left out. `isNil` tells typed nils apart from empty lists and maps.
 * @throws TomlFormatError
 */
export function formatToml(value: Value, isNil: (value: Value) => boolean = (item) => item === null): string {
  const writer: Writer = { text: '', isNil }
  write(writer, [], value)
  return writer.text
}

/** How TOML sees a value; nil has no type. */
type Shape = 'table' | 'tables' | 'value' | 'nil'

function shapeOf(value: Value, writer: Writer, depth: number): Shape {
  if (depth > maxDepth) throw new TomlFormatError('toml: values are nested too deeply')
  if (value === null || writer.isNil(value)) return 'nil'
  if (value instanceof Dict) return 'table'
  if (value instanceof GoObject && value.goType !== 'time.Time') return shapeOf(value.toValue(), writer, depth + 1)
  if (!Array.isArray(value) || value.length === 0) return 'value'
  const shapes = value.map((item) => shapeOf(item, writer, depth + 1))
  if (shapes.includes('nil')) throw new TomlFormatError('toml: cannot encode array with nil element')
  return shapes.every((shape) => shape === 'table') ? 'tables' : 'value'
}

function write(writer: Writer, key: Key, value: Value): void {
  const shape = shapeOf(value, writer, key.length)
  if (shape === 'nil') return
  if (value instanceof GoObject && value.goType !== 'time.Time') return write(writer, key, value.toValue())
  if (value instanceof Dict) return writeTable(writer, key, value)
  if (shape === 'tables' && Array.isArray(value)) return writeTables(writer, key, value)
  const text = formatElement(value, writer)
  if (key.length === 0) {
    writer.text += text
    return
  }
  writer.text += `${indent(key)}${formatKey(key.at(-1) ?? '')} = ${text}\n`
}

function writeTable(writer: Writer, key: Key, table: Dict): void {
  if (key.length === 1) newLine(writer)
  if (key.length > 0) {
    writer.text += `${indent(key)}[${key.map(formatKey).join('.')}]`
    newLine(writer)
  }
  writeEntries(writer, key, table)
}

function writeTables(writer: Writer, key: Key, tables: readonly Value[]): void {
  if (key.length === 0) throw new TomlFormatError('toml: top-level values must be Go maps or structs')
  for (const table of tables) {
    newLine(writer)
    writer.text += `${indent(key)}[[${key.map(formatKey).join('.')}]]`
    newLine(writer)
    if (table instanceof Dict) writeEntries(writer, key, table)
  }
}

function writeEntries(writer: Writer, key: Key, table: Dict): void {
  const { direct, sub } = sortEntries(table, writer, key.length)
  for (const [name, value] of [...direct, ...sub]) write(writer, [...key, name], value)
}

type Entry = readonly [name: string, value: Value]

/** Entries in the order in which they are written. */
function sortEntries(
  table: Dict,
  writer: Writer,
  depth: number,
): { readonly direct: readonly Entry[]; readonly sub: readonly Entry[] } {
  const entries = [...table].sort(([a], [b]) => compareBytes(a, b))
  const isTable = ([, value]: Entry): boolean => ['table', 'tables'].includes(shapeOf(value, writer, depth + 1))
  return { direct: entries.filter((entry) => !isTable(entry)), sub: entries.filter(isTable) }
}

/** Nothing is written before the first line. */
function newLine(writer: Writer): void {
  if (writer.text !== '') writer.text += '\n'
}

function indent(key: Key): string {
  return '  '.repeat(key.length - 1)
}

function formatKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : quote(name)
}

function formatElement(value: Value, writer: Writer): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'number') return formatFloat(value)
  if (value instanceof GoInt) return value.value.toString()
  if (value instanceof GoBytes) return `[${Array.from(value.bytes).join(', ')}]`
  if (Array.isArray(value)) return `[${value.map((item) => formatElement(item, writer)).join(', ')}]`
  if (value instanceof Dict) return formatInline(value, writer)
  if (value instanceof GoObject) return formatObject(value, writer)
  throw new TomlFormatError(`unsupported type: ${goKindOf(value)}`)
}

/** A time stands without quotes. */
function formatObject(value: GoObject, writer: Writer): string {
  const content = value.toValue()
  return value.goType === 'time.Time' && typeof content === 'string' ? content : formatElement(content, writer)
}

function formatInline(table: Dict, writer: Writer): string {
  const { direct, sub } = sortEntries(table, writer, 0)
  const entries = [...direct, ...sub]
  // a nil is left out, but the comma after it decides on its place, not on what was written
  const parts = entries.map(([name, value], index) => {
    if (value === null || writer.isNil(value)) return ''
    return `${formatKey(name)} = ${formatElement(value, writer)}${index < entries.length - 1 ? ', ' : ''}`
  })
  return `{${parts.join('')}}`
}

function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  const text = formatFloatG(value)
  return /[e.]/.test(text) ? text : `${text}.0`
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])

function quote(text: string): string {
  const escaped = text.replace(
    /["\\\0-\x1f\x7f]/g,
    (character) => shortEscapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${escaped}"`
}
