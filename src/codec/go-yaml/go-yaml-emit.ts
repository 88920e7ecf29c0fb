import { Dict, GoBytes, GoInt, GoObject, type Value } from '../../model/value.ts'
import { JsonError } from '../json/go-json.ts'
import type { ScalarPlace } from './go-yaml-style.ts'
import { MAX_NESTING } from '../max-nesting.ts'

/** A value that can be written as it is; byte strings and objects are replaced first. */
export type PlainValue = Exclude<Value, GoBytes | GoObject>

/** The differences between writers of YAML. */
export interface EmitRules {
  /** The map to write in the place of `mapping`, where its keys have to be changed. */
  readonly prepare?: (mapping: Dict) => ReadonlyMap<string, Value>
  /** The keys of a map in the order to write them. */
  readonly orderKeys: (mapping: ReadonlyMap<string, Value>) => readonly string[]
  /** A key as written before `:`; undefined when it needs `?`. */
  readonly writeKey: (key: string) => string | undefined
  /** Ends in a line break if the text as written does. */
  readonly writeString: (text: string, place: ScalarPlace) => string
  readonly writeNumber: (value: number) => string
  readonly replaceBytes: (bytes: Uint8Array) => PlainValue
  /** Lines break at a space past this column. */
  readonly width: number
  /** The indentation of a sequence below a key. */
  readonly sequenceIndent: number
}

const INDENT = 2

interface Emitter {
  readonly rules: EmitRules
  out: string
  depth: number
}

interface BlockPlace {
  readonly indent: number
  /** True if the first entry goes on in the current line. */
  readonly isInline: boolean
}

interface ScalarStart {
  readonly column: number
  readonly indent: number
}

/**
 * Writes a value in block style, laid out as libyaml's emitter does (go-yaml emitterc.go), final line break included.
 * @throws JsonError for a cycle
 */
export function emitYaml(value: Value, rules: EmitRules): string {
  const emitter: Emitter = { rules, out: '', depth: 0 }
  const root = plainValue(emitter, value)
  if (root instanceof Dict && root.size > 0) emitMapping(emitter, root, { indent: 0, isInline: true })
  else if (Array.isArray(root) && root.length > 0) emitSequence(emitter, root, { indent: 0, isInline: true })
  else emitScalar(emitter, root, { column: 0, indent: INDENT })
  return emitter.out
}

function plainValue(emitter: Emitter, value: Value): PlainValue {
  if (value instanceof GoBytes) return emitter.rules.replaceBytes(value.bytes)
  if (!(value instanceof GoObject)) return value
  enter(emitter)
  const inner = plainValue(emitter, value.toValue())
  emitter.depth--
  return inner
}

function enter(emitter: Emitter): void {
  if (++emitter.depth <= MAX_NESTING) return
  throw new JsonError('error marshaling into JSON: json: unsupported value: encountered a cycle')
}

function emitMapping(emitter: Emitter, mapping: Dict, { indent, isInline }: BlockPlace): void {
  enter(emitter)
  const { rules } = emitter
  const pad = ' '.repeat(indent)
  let isFirst = isInline
  const entries = rules.prepare === undefined ? mapping : rules.prepare(mapping)
  for (const key of rules.orderKeys(entries)) {
    if (!isFirst) emitter.out += pad
    isFirst = false
    const value = plainValue(emitter, entries.get(key) ?? null)
    const simple = rules.writeKey(key)
    if (simple === undefined) {
      emitter.out += '?'
      emitInline(emitter, key, indent)
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

/** Writes what follows `-`, `?`, or the `:` after a `?`. */
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
    emitSequence(emitter, value, { indent: indent + emitter.rules.sequenceIndent, isInline: false })
  } else {
    emitter.out += ' '
    emitScalar(emitter, value, { column, indent: inside })
  }
}

/** Writes a scalar or an empty collection, and ends the line. */
function emitScalar(emitter: Emitter, value: PlainValue, { column, indent }: ScalarStart): void {
  const { rules } = emitter
  const text =
    typeof value === 'string'
      ? rules.writeString(value, { column, indent, width: rules.width })
      : writeNonString(value, rules)
  emitter.out += text
  if (!endsLine(text)) emitter.out += '\n'
}

function endsLine(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last === 0x0a || last === 0x2028 || last === 0x2029
}

function writeNonString(value: Exclude<PlainValue, string>, rules: EmitRules): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return rules.writeNumber(value)
  if (value instanceof GoInt) return value.value.toString()
  if (value instanceof Dict) return '{}'
  return Array.isArray(value) ? '[]' : String(value)
}
