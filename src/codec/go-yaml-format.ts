import { Dict, GoBytes, GoInt, GoObject, type Value } from '../model/value.ts'
import { encodeBase64 } from './base64.ts'
import { formatFloatG, formatJsonFloat } from './go-float.ts'
import { formatGoJson, JsonError } from './go-json.ts'
import { YamlError } from './go-yaml-error.ts'
import {
  analyzeScalar,
  chooseStyle,
  type EmitterVersion,
  type ScalarPlace,
  writeDoubleQuoted,
  writeLiteral,
  writePlain,
  writeSingleQuoted,
} from './go-yaml-style.ts'
import { compareNatural, compareNaturalV3 } from './text-order.ts'
import { encodeUtf8, utf8Length } from './utf8.ts'

/** v2 breaks lines at a space past this column, v3 never. */
const WIDTH = 80
const INDENT = 2
/** A longer key, in bytes, is written with `?`. */
const MAX_SIMPLE_KEY = 128
/** Deeper values are taken for cycles. */
const MAX_DEPTH = 1000

interface Emitter {
  readonly version: EmitterVersion
  readonly compare: (a: string, b: string) => number
  out: string
  depth: number
}

/**
 * Writes a value as Helm's toYaml does, final newline included: JSON, read by go-yaml v2, written by go-yaml v2
 * (sigs.k8s.io/yaml v1.6 Marshal). A token stays as it is and is no reason to quote.
 * @throws JsonError for NaN, an infinity or a cycle
 * @throws YamlError for a control character, or a key of over 1000 characters, that go-yaml refuses to read from the JSON
 */
export function formatGoYaml(value: Value): string {
  return emitDocument(value, { version: 'v2', compare: compareNatural, out: '', depth: 0 })
}

/**
 * Writes a value as Helm's toYamlPretty does, final newline included: go-yaml v3 with an indentation of 2, without the way through
 * JSON. A string that is no valid UTF-8 becomes `!!binary`.
 * @throws JsonError for a cycle
 */
export function formatGoYamlV3(value: Value): string {
  return emitDocument(value, { version: 'v3', compare: compareNaturalV3, out: '', depth: 0 })
}

function emitDocument(value: Value, emitter: Emitter): string {
  const root = plainValue(emitter, value)
  if (root instanceof Dict && root.size > 0) emitMapping(emitter, root, { indent: 0, isInline: true })
  else if (Array.isArray(root) && root.length > 0) emitSequence(emitter, root, { indent: 0, isInline: true })
  else emitScalar(emitter, root, { column: 0, indent: INDENT })
  return emitter.out
}

/** What can be written; only objects and byte strings cannot as they are. */
type PlainValue = Exclude<Value, GoBytes | GoObject>

function plainValue(emitter: Emitter, value: Value): PlainValue {
  if (value instanceof GoBytes) return emitter.version === 'v2' ? encodeBase64(value.bytes) : byteList(value.bytes)
  if (!(value instanceof GoObject)) return value
  enter(emitter)
  const inner = plainValue(emitter, value.toValue())
  emitter.depth--
  return inner
}

function byteList(bytes: Uint8Array): Value[] {
  return Array.from(bytes, (byte) => new GoInt(BigInt(byte), 'uint8'))
}

function enter(emitter: Emitter): void {
  if (++emitter.depth <= MAX_DEPTH) return
  throw new JsonError('error marshaling into JSON: json: unsupported value: encountered a cycle')
}

interface BlockPlace {
  readonly indent: number
  /** Whether the first entry goes on in the current line. */
  readonly isInline: boolean
}

function emitMapping(emitter: Emitter, mapping: Dict, { indent, isInline }: BlockPlace): void {
  enter(emitter)
  const pad = ' '.repeat(indent)
  const entries = emitter.version === 'v2' ? jsonEntries(mapping) : mapping
  let isFirst = isInline
  for (const key of [...entries.keys()].sort(emitter.compare)) {
    if (!isFirst) emitter.out += pad
    isFirst = false
    const value = plainValue(emitter, entries.get(key) ?? null)
    const simple = simpleKey(emitter, key)
    if (simple === undefined) {
      emitter.out += '? '
      emitScalar(emitter, key, { column: indent + 2, indent: indent + INDENT })
      emitter.out += `${pad}:`
      emitInline(emitter, value, indent)
    } else {
      emitter.out += `${simple}:`
      emitEntryValue(emitter, value, { indent, column: indent + simple.length + 2 })
    }
  }
  emitter.depth--
}

function emitSequence(emitter: Emitter, sequence: readonly Value[], { indent, isInline }: BlockPlace): void {
  enter(emitter)
  const pad = ' '.repeat(indent)
  let isFirst = isInline
  for (const item of sequence) {
    emitter.out += isFirst ? '-' : `${pad}-`
    isFirst = false
    emitInline(emitter, plainValue(emitter, item), indent)
  }
  emitter.depth--
}

/** Writes what follows `-`, or the `:` of a key with `?`. */
function emitInline(emitter: Emitter, value: PlainValue, indent: number): void {
  const inside = indent + INDENT
  emitter.out += ' '
  if (value instanceof Dict && value.size > 0) emitMapping(emitter, value, { indent: inside, isInline: true })
  else if (Array.isArray(value) && value.length > 0) emitSequence(emitter, value, { indent: inside, isInline: true })
  else emitScalar(emitter, value, { column: inside, indent: inside })
}

/** Writes what follows `key:`. */
function emitEntryValue(emitter: Emitter, value: PlainValue, { indent, column }: ScalarStart): void {
  const inside = indent + INDENT
  if (value instanceof Dict && value.size > 0) {
    emitter.out += '\n'
    emitMapping(emitter, value, { indent: inside, isInline: false })
  } else if (Array.isArray(value) && value.length > 0) {
    emitter.out += '\n'
    // v2 does not indent a sequence below its key
    emitSequence(emitter, value, { indent: emitter.version === 'v2' ? indent : inside, isInline: false })
  } else {
    emitter.out += ' '
    emitScalar(emitter, value, { column, indent: inside })
  }
}

interface ScalarStart {
  readonly column: number
  readonly indent: number
}

/** Writes a scalar or empty collection, and ends the line. */
function emitScalar(emitter: Emitter, value: PlainValue, { column, indent }: ScalarStart): void {
  const text =
    typeof value === 'string'
      ? writeString(emitter, value, { column, indent, width: emitter.version === 'v2' ? WIDTH : Infinity })
      : writeNonString(emitter, value)
  emitter.out += text
  if (!endsLine(text)) emitter.out += '\n'
}

function endsLine(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last === 0x0a || last === 0x2028 || last === 0x2029
}

function writeNonString(emitter: Emitter, value: Exclude<PlainValue, string>): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return emitter.version === 'v2' ? jsonNumber(value) : nonFinite(value)
  if (value instanceof GoInt) return value.value.toString()
  if (value instanceof Dict) return '{}'
  return Array.isArray(value) ? '[]' : String(value)
}

/** A float64 that came through JSON: go-yaml v2 reads digits as an integer where 64 bits hold it. */
function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw new JsonError(`error marshaling into JSON: json: unsupported value: ${formatFloatG(value)}`)
  }
  if (Number.isSafeInteger(value)) return String(value)
  const text = formatJsonFloat(value)
  const isInteger = /^-?[0-9]+$/.test(text) && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 64n
  return isInteger ? text : formatFloatG(value)
}

function nonFinite(value: number): string {
  if (Number.isFinite(value)) return formatFloatG(value)
  return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
}

function writeString(emitter: Emitter, text: string, place: ScalarPlace): string {
  if (emitter.version === 'v2') return writeStyled(emitter, throughJson(text), place)
  return invalidUtf8.test(text) ? writeBinary(emitter, text, place) : writeStyled(emitter, text, place)
}

function writeStyled(emitter: Emitter, text: string, place: ScalarPlace): string {
  const style = chooseStyle(text, analyzeScalar(text, emitter.version))
  if (style === 'plain') return writePlain(text, place)
  if (style === 'literal') return writeLiteral(text, place.indent)
  return style === 'single' ? writeSingleQuoted(text, place) : writeDoubleQuoted(text, place)
}

/** The key as written before `:`; undefined when it needs `?`. */
function simpleKey(emitter: Emitter, key: string): string | undefined {
  if (emitter.version === 'v3' && invalidUtf8.test(key)) {
    const binary = writeBinary(emitter, key, { column: 0, indent: 0, width: Infinity })
    return binary.length - ' '.length <= MAX_SIMPLE_KEY && !binary.includes('\n') ? binary : undefined
  }
  if (key.length * 3 > MAX_SIMPLE_KEY && utf8Length(key) > MAX_SIMPLE_KEY) return undefined
  const analysis = analyzeScalar(key, emitter.version)
  if (analysis.isMultiline) return undefined
  const style = chooseStyle(key, analysis)
  if (style === 'plain') return key
  const place = { column: 0, indent: 0, width: Infinity }
  return style === 'single' ? writeSingleQuoted(key, place) : writeDoubleQuoted(key, place)
}

const BINARY = '!!binary '
const BASE64_LINE = 70

/** Bytes that are no UTF-8, in lines of 70 characters when there is more than one (resolve.go encodeBase64). */
function writeBinary(emitter: Emitter, text: string, place: ScalarPlace): string {
  const base64 = encodeBase64(encodeUtf8(text))
  const lines = base64.length < BASE64_LINE ? base64 : base64.replace(/.{1,70}/g, '$&\n')
  return BINARY + writeStyled(emitter, lines, { ...place, column: place.column + BINARY.length })
}

// what JSON and reading it back do to strings

const invalidUtf8 = /(?!\uDBFF)\p{Surrogate}/u
const invalidCharacters = /(?!\uDBFF)\p{Surrogate}/gu
const unsafe = /[\x7f-\x9f\ufffe\uffff]|(?!\uDBFF)\p{Surrogate}/u
const refused = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/
const nextLines = / *\x85[ \x85]*/g

/** JSON leaves these characters as they are, and go-yaml then refuses them, or folds the line at U+0085. */
function throughJson(text: string): string {
  if (!unsafe.test(text)) return text
  if (refused.test(text)) throw new YamlError('yaml: control characters are not allowed', 0)
  return text.replace(invalidCharacters, '\uFFFD').replace(nextLines, (space) => {
    const breaks = space.replaceAll(' ', '').length
    return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1)
  })
}

/** A key in JSON, quotes included, may have 1024 characters for go-yaml to take it for one, and may not go over a line. */
const MAX_JSON_KEY = 1024
/** Each character of a key takes at most this many in JSON. */
const MAX_ESCAPE = 6

function jsonEntries(mapping: Dict): ReadonlyMap<string, Value> {
  let entries: ReadonlyMap<string, Value> = mapping
  for (const key of mapping.keys()) {
    if (key.length * MAX_ESCAPE + 2 > MAX_JSON_KEY && Array.from(formatGoJson(key)).length > MAX_JSON_KEY) refuseKey()
    if (!unsafe.test(key)) continue
    if (key.includes('\x85')) refuseKey()
    entries = new Map(Array.from(mapping, ([name, value]) => [throughJson(name), value]))
  }
  return entries
}

function refuseKey(): never {
  throw new YamlError("yaml: did not find expected ',' or '}'", 0)
}
