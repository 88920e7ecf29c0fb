import { type Dict, GoInt, type Value } from '../../model/value.ts'
import { encodeBase64 } from '../bytes/base64.ts'
import { formatFloatG, formatJsonFloat } from '../json/go-float.ts'
import { formatGoJson, JsonError } from '../json/go-json.ts'
import { type EmitRules, emitYaml } from './go-yaml-emit.ts'
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
import { compareNatural, compareNaturalV3, sortNaturally } from '../text/text-order.ts'
import { encodeUtf8, utf8Length } from '../bytes/utf8.ts'

/** A longer key, in bytes, is written with `?`. */
const MAX_SIMPLE_KEY = 128

const rulesV2: EmitRules = {
  prepare: jsonEntries,
  orderKeys: (mapping) => sortNaturally([...mapping.keys()], compareNatural),
  writeKey: (key) => writeKey(key, 'v2'),
  writeString: (text, place) => writeStyled(throughJson(text), place, 'v2'),
  writeNumber: writeJsonNumber,
  replaceBytes: encodeBase64,
  width: 80,
  sequenceIndent: 0,
}

const rulesV3: EmitRules = {
  orderKeys: (mapping) => sortNaturally([...mapping.keys()], compareNaturalV3),
  writeKey: (key) => (invalidUtf8.test(key) ? writeBinaryKey(key) : writeKey(key, 'v3')),
  writeString: (text, place) => (invalidUtf8.test(text) ? writeBinary(text, place) : writeStyled(text, place, 'v3')),
  writeNumber: writeFloat,
  replaceBytes: (bytes) => Array.from(bytes, (byte) => new GoInt(BigInt(byte), 'uint8')),
  width: Infinity,
  sequenceIndent: 2,
}

/**
 * Writes a value as Helm's toYaml does, final newline included: JSON, read by go-yaml v2, written by go-yaml v2
 * (sigs.k8s.io/yaml v1.6 Marshal). A token stays as it is and is no reason to quote.
 * @throws JsonError for NaN, an infinity or a cycle
 * @throws YamlError for a control character, or a key of over 1000 characters, that go-yaml refuses to read from the
 * JSON
 */
export function formatGoYaml(value: Value): string {
  return emitYaml(value, rulesV2)
}

/**
 * Writes a value as Helm's toYamlPretty does, final newline included: go-yaml v3 with an indentation of 2, without the
 * way through JSON. A string that is no valid UTF-8 becomes `!!binary`.
 * @throws JsonError for a cycle
 */
export function formatGoYamlV3(value: Value): string {
  return emitYaml(value, rulesV3)
}

/** A float64 that came through JSON: go-yaml v2 reads its digits as an integer where 64 bits hold it. */
function writeJsonNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw new JsonError(`error marshaling into JSON: json: unsupported value: ${formatFloatG(value)}`)
  }
  if (Number.isSafeInteger(value)) return String(value)
  const text = formatJsonFloat(value)
  const isInteger = /^-?[0-9]+$/.test(text) && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 64n
  return isInteger ? text : formatFloatG(value)
}

function writeFloat(value: number): string {
  if (Number.isFinite(value)) return formatFloatG(value)
  return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
}

function writeStyled(text: string, place: ScalarPlace, version: EmitterVersion): string {
  const style = chooseStyle(text, analyzeScalar(text, version))
  if (style === 'plain') return writePlain(text, place)
  if (style === 'literal') return writeLiteral(text, place.indent)
  return style === 'single' ? writeSingleQuoted(text, place) : writeDoubleQuoted(text, place)
}

const oneLine: ScalarPlace = { column: 0, indent: 0, width: Infinity }

function writeKey(key: string, version: EmitterVersion): string | undefined {
  if (key.length * 3 > MAX_SIMPLE_KEY && utf8Length(key) > MAX_SIMPLE_KEY) return undefined
  const analysis = analyzeScalar(key, version)
  if (analysis.isMultiline) return undefined
  const style = chooseStyle(key, analysis)
  if (style === 'plain') return key
  return style === 'single' ? writeSingleQuoted(key, oneLine) : writeDoubleQuoted(key, oneLine)
}

const BINARY = '!!binary '
const BASE64_LINE = 70

/** Bytes that are no UTF-8, in lines of 70 characters when there is more than one (resolve.go encodeBase64). */
function writeBinary(text: string, place: ScalarPlace): string {
  const base64 = encodeBase64(encodeUtf8(text))
  const lines = base64.length < BASE64_LINE ? base64 : base64.replace(/.{1,70}/g, '$&\n')
  return BINARY + writeStyled(lines, { ...place, column: place.column + BINARY.length }, 'v3')
}

function writeBinaryKey(key: string): string | undefined {
  const binary = writeBinary(key, oneLine)
  // the space before the text does not count
  return binary.length - 1 <= MAX_SIMPLE_KEY && !binary.includes('\n') ? binary : undefined
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

/**
 * A key in JSON, quotes included, may have 1024 characters for go-yaml to take it for one, and may not go over a line.
 */
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
