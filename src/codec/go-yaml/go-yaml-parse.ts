import { Dict, type Value } from '../../model/value.ts'
import { formatGoSyntax } from '../json/go-syntax.ts'
import { failAt, failParse } from './go-yaml-cursor.ts'
import { parseDirectives } from './go-yaml-directives.ts'
import { type QuotingProblem, YamlError } from './go-yaml-error.ts'
import { isSurelyText, type Resolved, resolvePlain } from './go-yaml-resolve.ts'
import {
  ALIAS,
  ANCHOR,
  BLOCK_END,
  BLOCK_ENTRY,
  BLOCK_MAPPING_START,
  BLOCK_SEQUENCE_START,
  DOCUMENT_END,
  DOCUMENT_START,
  FLOW_ENTRY,
  FLOW_MAPPING_END,
  FLOW_MAPPING_START,
  FLOW_SEQUENCE_END,
  FLOW_SEQUENCE_START,
  GoYamlScanner,
  KEY,
  PLAIN,
  QUOTED,
  STREAM_END,
  TAG,
  VALUE,
} from './go-yaml-scanner.ts'
import { MAX_NESTING } from '../max-nesting.ts'
import { isMergeKey, keyNameOf, resolveScalar, type ScalarNode, valueOf } from './go-yaml-value.ts'

export { YamlError }

/** How {@link parseGoYaml} reads numbers. */
export interface YamlParseOptions {
  /**
   * `float64` (the default): every number is a JavaScript number, as Helm reads values. `int`: a number that JSON would write
   * without point and exponent is a GoInt: int64, or uint64 if only that holds it; as Kubernetes reads objects.
   */
  readonly integers?: 'float64' | 'int'
}

// where a node stands decides what it may be
const BLOCK = 0
const BLOCK_OR_INDENTLESS = 1
const FLOW = 2

const SCALAR = 0
const MAP = 1
const LIST = 2

interface Node extends ScalarNode {
  kind: number
  text: string
  tag: string
  isPlain: boolean
  isAlias: boolean
  start: number
}

interface Anchor {
  readonly node: Node
  value: Value
  /** How many steps go-yaml takes to decode it once. */
  cost: number
  isOpen: boolean
}

interface Reading {
  readonly scanner: GoYamlScanner
  readonly integers: 'float64' | 'int'
  handles: ReadonlyMap<string, string>
  readonly anchors: Map<string, Anchor>
  /** The node that was read last. */
  readonly last: Node
  /** Steps of go-yaml's decoder so far, and how many of them aliases caused. */
  decoded: number
  aliased: number
  /**
   * go-yaml reads the whole document before it decodes, and converts to JSON only after that: a problem of a later phase shows only
   * when the earlier ones had none.
   */
  decodeProblem: YamlError | undefined
  jsonProblem: YamlError | undefined
  /** The start of the message for the key just read, if no JSON key can stand for it. */
  unsupportedKey: string
  hasNonFinite: boolean
}

/**
 * Reads the first document as sigs.k8s.io/yaml v1.6 does, which is how Helm and Kubernetes read YAML: go-yaml v2 (YAML 1.1 with
 * exceptions), then JSON. No document is null; of equal keys the last wins; keys that are no strings become strings.
 * @throws YamlError with go-yaml's message
 */
export function parseGoYaml(text: string, options: YamlParseOptions = {}): Value {
  const reading: Reading = {
    scanner: new GoYamlScanner(text),
    integers: options.integers ?? 'float64',
    handles: new Map(),
    anchors: new Map(),
    last: { kind: SCALAR, text: '', tag: '', isPlain: false, isAlias: false, start: 0 },
    decoded: 1,
    aliased: 0,
    decodeProblem: undefined,
    jsonProblem: undefined,
    unsupportedKey: '',
    hasNonFinite: false,
  }
  const value = parseDocument(reading)
  if (reading.decodeProblem !== undefined) throw reading.decodeProblem
  if (reading.jsonProblem !== undefined) throw reading.jsonProblem
  if (reading.hasNonFinite) refuseNonFinite(value)
  return value
}

function parseDocument(reading: Reading): Value {
  const { scanner } = reading
  if (scanner.peek() === STREAM_END) return null
  reading.handles = parseDirectives(scanner)
  let value: Value
  if (scanner.peek() === DOCUMENT_START) {
    scanner.skip()
    const next = scanner.peek()
    const isEmpty = next <= DOCUMENT_END
    value = isEmpty ? parseEmpty(reading) : parseNode(reading, BLOCK, 0)
  } else value = parseNode(reading, BLOCK, 0)
  // what follows is looked at, but not whether it may follow
  scanner.peek()
  return value
}

/** Reads a node; `reading.last` says what it was. */
function parseNode(reading: Reading, place: number, depth: number): Value {
  const { scanner, last } = reading
  const type = scanner.peek()
  if (type === PLAIN || type === QUOTED) {
    const { text } = scanner
    last.kind = SCALAR
    last.text = text
    last.tag = ''
    last.isPlain = type === PLAIN
    last.isAlias = false
    last.start = scanner.start
    scanner.skip()
    countStep(reading)
    return type === QUOTED || isSurelyText(text) ? text : toValue(reading, resolvePlain(text))
  }
  if (type === ALIAS) return parseAlias(reading, depth)
  if (type === ANCHOR || type === TAG) return parseWithProperties(reading, place, depth)
  return parseCollection(reading, place, depth)
}

function parseEmpty(reading: Reading): null {
  setLast(reading, { kind: SCALAR, text: '', tag: '', isPlain: true, isAlias: false, start: reading.scanner.start })
  countStep(reading)
  return null
}

function setLast(reading: Reading, node: Node): void {
  Object.assign(reading.last, node)
}

function parseWithProperties(reading: Reading, place: number, depth: number): Value {
  const { scanner } = reading
  const { start } = scanner
  let anchor: string | undefined
  let written: WrittenTag | undefined
  for (let type = scanner.peek(); ; type = scanner.peek()) {
    if (type === ANCHOR && anchor === undefined) anchor = scanner.text
    else if (type === TAG && written === undefined) {
      written = { handle: scanner.text, suffix: scanner.suffix, start: scanner.start }
    } else break
    scanner.skip()
  }
  const tag = written === undefined ? '' : resolveTag(reading, written)
  const entry: Anchor | undefined =
    anchor === undefined
      ? undefined
      : { node: { ...reading.last, start }, value: null, cost: reading.decoded, isOpen: true }
  if (anchor !== undefined && entry !== undefined) reading.anchors.set(anchor, entry)
  const value = parseTagged(reading, { tag, place, depth, start })
  if (entry !== undefined) {
    Object.assign(entry.node, reading.last)
    entry.value = value
    entry.cost = reading.decoded - entry.cost
    entry.isOpen = false
  }
  return value
}

interface TaggedPlace {
  readonly tag: string
  readonly place: number
  readonly depth: number
  readonly start: number
}

function parseTagged(reading: Reading, { tag, place, depth, start }: TaggedPlace): Value {
  const { scanner } = reading
  const type = scanner.peek()
  const isScalar = type === PLAIN || type === QUOTED
  // properties with nothing after them stand for an empty scalar
  if (!isScalar && startsCollection(type, place)) return parseCollection(reading, place, depth)
  const text = isScalar ? scanner.text : ''
  const isPlain = type !== QUOTED
  if (isScalar) scanner.skip()
  setLast(reading, { kind: SCALAR, text, tag, isPlain, isAlias: false, start })
  countStep(reading)
  const resolved = resolveNode(reading, reading.last)
  return resolved === undefined ? null : toValue(reading, resolved)
}

interface WrittenTag {
  readonly handle: string
  readonly suffix: string
  readonly start: number
}

function resolveTag(reading: Reading, { handle, suffix, start }: WrittenTag): string {
  if (handle === '') return suffix
  const prefix = reading.handles.get(handle)
  if (prefix === undefined) throw failParse(reading.scanner.cursor, start, 'found undefined tag handle')
  return prefix + suffix
}

function parseAlias(reading: Reading, depth: number): Value {
  const { scanner } = reading
  const { text: name, start } = scanner
  const anchor = reading.anchors.get(name)
  if (anchor === undefined) {
    const problem = { quoting: `unknown anchor '${name}' referenced`, unquoted: 'unknown anchor referenced' }
    throw failAt(scanner.cursor, start, problem)
  }
  scanner.skip()
  setLast(reading, { ...anchor.node, isAlias: true, start })
  countStep(reading)
  if (anchor.isOpen) {
    const problem = { quoting: `anchor '${name}' value contains itself`, unquoted: 'anchor value contains itself' }
    noteDecodeProblem(reading, start, problem)
    return null
  }
  reading.decoded += anchor.cost
  reading.aliased += anchor.cost
  checkAliases(reading)
  return reading.decodeProblem === undefined ? copyValue(reading, anchor.value, depth) : null
}

/** A value is mutable, so that each alias needs its own. */
function copyValue(reading: Reading, value: Value, depth: number): Value {
  if (Array.isArray(value)) {
    checkDepth(reading, depth)
    return value.map((item) => copyValue(reading, item, depth + 1))
  }
  if (value instanceof Dict) {
    checkDepth(reading, depth)
    const copy = new Dict()
    for (const [key, item] of value) copy.set(key, copyValue(reading, item, depth + 1))
    return copy
  }
  return value
}

function checkDepth(reading: Reading, depth: number): void {
  const { cursor, start } = reading.scanner
  if (depth >= MAX_NESTING) throw failParse(cursor, start, `exceeded max depth of ${MAX_NESTING}`)
}

// collections

function startsCollection(type: number, place: number): boolean {
  if (type === FLOW_SEQUENCE_START || type === FLOW_MAPPING_START) return true
  if (place === FLOW) return false
  if (type === BLOCK_SEQUENCE_START || type === BLOCK_MAPPING_START) return true
  return type === BLOCK_ENTRY && place === BLOCK_OR_INDENTLESS
}

function parseCollection(reading: Reading, place: number, depth: number): Value {
  const { scanner } = reading
  const type = scanner.peek()
  const { start } = scanner
  if (!startsCollection(type, place)) throw failParse(scanner.cursor, start, 'did not find expected node content')
  checkDepth(reading, depth)
  countStep(reading)
  if (type !== BLOCK_ENTRY) scanner.skip()
  let value: Value
  if (type === BLOCK_MAPPING_START) value = parseBlockMapping(reading, depth + 1)
  else if (type === FLOW_MAPPING_START) value = parseFlowMapping(reading, depth + 1)
  else if (type === FLOW_SEQUENCE_START) value = parseFlowSequence(reading, depth + 1)
  else value = parseBlockSequence(reading, type === BLOCK_ENTRY ? 'indentless' : 'indented', depth + 1)
  const { last } = reading
  last.kind = value instanceof Dict ? MAP : LIST
  last.text = ''
  last.tag = ''
  last.isAlias = false
  last.start = start
  return value
}

function parseBlockSequence(reading: Reading, form: 'indented' | 'indentless', depth: number): Value[] {
  const { scanner } = reading
  const items: Value[] = []
  while (scanner.peek() === BLOCK_ENTRY) {
    scanner.skip()
    const next = scanner.peek()
    const isEmpty =
      next === BLOCK_ENTRY || next === BLOCK_END || (form === 'indentless' && (next === KEY || next === VALUE))
    items.push(isEmpty ? parseEmpty(reading) : parseNode(reading, BLOCK, depth))
  }
  if (form === 'indentless') return items
  expect(reading, BLOCK_END, "did not find expected '-' indicator")
  return items
}

function parseBlockMapping(reading: Reading, depth: number): Dict {
  const { scanner } = reading
  const result = new Dict()
  while (scanner.peek() === KEY) {
    scanner.skip()
    const hasKey = !endsBlockEntry(scanner.peek())
    const key = hasKey ? parseKey(reading, BLOCK_OR_INDENTLESS, depth) : parseEmptyKey(reading)
    let value: Value = null
    if (scanner.peek() === VALUE) {
      scanner.skip()
      value = endsBlockEntry(scanner.peek()) ? parseEmpty(reading) : parseNode(reading, BLOCK_OR_INDENTLESS, depth)
    } else value = parseEmpty(reading)
    setEntry(reading, result, { key, value })
  }
  expect(reading, BLOCK_END, 'did not find expected key')
  return result
}

function endsBlockEntry(type: number): boolean {
  return type === KEY || type === VALUE || type === BLOCK_END
}

function parseFlowSequence(reading: Reading, depth: number): Value[] {
  const { scanner } = reading
  const items: Value[] = []
  while (scanner.peek() !== FLOW_SEQUENCE_END) {
    if (items.length > 0) {
      expect(reading, FLOW_ENTRY, "did not find expected ',' or ']'")
      if (scanner.peek() === FLOW_SEQUENCE_END) break
    }
    items.push(scanner.peek() === KEY ? parseFlowPair(reading, depth) : parseNode(reading, FLOW, depth))
  }
  scanner.skip()
  return items
}

/** A map of one entry without braces: `[a: b]`. */
function parseFlowPair(reading: Reading, depth: number): Dict {
  const { scanner } = reading
  const result = new Dict()
  checkDepth(reading, depth)
  countStep(reading)
  scanner.skip()
  const first = scanner.peek()
  let key: Key
  if (first === VALUE || first === FLOW_ENTRY || first === FLOW_SEQUENCE_END) {
    // go-yaml drops this token whatever it is (parserc.go yaml_parser_parse_flow_sequence_entry_mapping_key)
    scanner.skip()
    key = parseEmptyKey(reading)
  } else key = parseKey(reading, FLOW, depth + 1)
  setEntry(reading, result, { key, value: parseFlowValue(reading, FLOW_SEQUENCE_END, depth + 1) })
  return result
}

function parseFlowMapping(reading: Reading, depth: number): Dict {
  const { scanner } = reading
  const result = new Dict()
  for (let isFirst = true; scanner.peek() !== FLOW_MAPPING_END; isFirst = false) {
    if (!isFirst) {
      expect(reading, FLOW_ENTRY, "did not find expected ',' or '}'")
      if (scanner.peek() === FLOW_MAPPING_END) break
    }
    let key: Key
    let value: Value = null
    if (scanner.peek() === KEY) {
      scanner.skip()
      const next = scanner.peek()
      const hasKey = next !== VALUE && next !== FLOW_ENTRY && next !== FLOW_MAPPING_END
      key = hasKey ? parseKey(reading, FLOW, depth) : parseEmptyKey(reading)
      value = parseFlowValue(reading, FLOW_MAPPING_END, depth)
    } else {
      key = parseKey(reading, FLOW, depth)
      value = parseEmpty(reading)
    }
    setEntry(reading, result, { key, value })
  }
  scanner.skip()
  return result
}

function parseFlowValue(reading: Reading, end: number, depth: number): Value {
  const { scanner } = reading
  if (scanner.peek() !== VALUE) return parseEmpty(reading)
  scanner.skip()
  const next = scanner.peek()
  return next === FLOW_ENTRY || next === end ? parseEmpty(reading) : parseNode(reading, FLOW, depth)
}

function expect(reading: Reading, type: number, problem: string): void {
  const { scanner } = reading
  if (scanner.peek() !== type) throw failParse(scanner.cursor, scanner.start, problem)
  scanner.skip()
}

// keys

// what else than a name a key can be
const MERGE = 0
const UNSUPPORTED = 1
const INVALID = 2
type Key = string | typeof MERGE | typeof UNSUPPORTED | typeof INVALID

function parseKey(reading: Reading, place: number, depth: number): Key {
  const { last } = reading
  const value = parseNode(reading, place, depth)
  if (last.kind !== SCALAR) {
    const problem = { quoting: `invalid map key: ${formatGoSyntax(value)}`, unquoted: 'invalid map key' }
    noteDecodeProblem(reading, last.start, problem)
    return INVALID
  }
  if (!last.isAlias && isMergeKey(last)) return MERGE
  if (last.tag === '' && (!last.isPlain || isSurelyText(last.text))) return last.text
  const resolved = resolveNode(reading, last)
  return resolved === undefined ? INVALID : keyOf(reading, resolved)
}

function keyOf(reading: Reading, resolved: Resolved): Key {
  const name = keyNameOf(resolved)
  if (typeof name === 'string') return name
  reading.unsupportedKey = name.unsupported
  return UNSUPPORTED
}

function parseEmptyKey(reading: Reading): Key {
  parseEmpty(reading)
  return keyOf(reading, { kind: 'null', value: null })
}

interface Entry {
  readonly key: Key
  readonly value: Value
}

/** Adds an entry right after its value was read. */
function setEntry(reading: Reading, result: Dict, { key, value }: Entry): void {
  if (typeof key === 'string') result.set(key, value)
  else if (key === MERGE) mergeEntry(reading, result, value)
  else if (key === UNSUPPORTED) {
    const shown = value === null ? '<nil>' : formatGoSyntax(value)
    const text = `${reading.unsupportedKey}, value: ${shown}`
    const { offset, problem } = failAt(reading.scanner.cursor, reading.last.start, {
      quoting: text,
      unquoted: text.replace(/, key: .*$/s, ''),
    })
    reading.jsonProblem ??= new YamlError(`error converting YAML to JSON: ${text}`, offset, problem)
  }
}

/** `<<`: takes over the entries of a map or of several, of which the first has the last word. */
function mergeEntry(reading: Reading, result: Dict, value: Value): void {
  const { last } = reading
  const isList = last.kind === LIST && !last.isAlias
  const sources = Array.isArray(value) && isList ? value.toReversed() : [value]
  for (const source of sources) {
    if (source instanceof Dict) for (const [key, item] of source) result.set(key, item)
    else noteDecodeProblem(reading, last.start, 'map merge requires map or sequence of maps as the value')
  }
}

function resolveNode(reading: Reading, node: Node): Resolved | undefined {
  const resolved = resolveScalar(node)
  if ('kind' in resolved) return resolved
  noteDecodeProblem(reading, node.start, resolved)
  return undefined
}

function toValue(reading: Reading, resolved: Resolved): Value {
  if (resolved.kind === 'float' && !Number.isFinite(resolved.value)) reading.hasNonFinite = true
  return valueOf(resolved, reading.integers)
}

// limits and late problems

/** The shares of decoding steps that aliases may cause: 99 % up to 400,000 steps, 10 % from 4,000,000 on (decode.go). */
const LOW_STEPS = 400_000
const HIGH_STEPS = 4_000_000

function countStep(reading: Reading): void {
  reading.decoded++
  if (reading.aliased > 100) checkAliases(reading)
}

function checkAliases(reading: Reading): void {
  const { decoded, aliased } = reading
  if (aliased <= 100 || decoded <= 1000) return
  const excess = Math.min(Math.max(decoded - LOW_STEPS, 0) / (HIGH_STEPS - LOW_STEPS), 1)
  if (aliased / decoded <= 0.99 - 0.89 * excess) return
  noteDecodeProblem(reading, reading.last.start, 'document contains excessive aliasing')
}

function noteDecodeProblem(reading: Reading, at: number, problem: string | QuotingProblem): void {
  reading.decodeProblem ??= failAt(reading.scanner.cursor, at, problem)
}

/** Walks the value only because something in it is infinite; a later equal key may have replaced it. */
function refuseNonFinite(value: Value): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new YamlError(`error converting YAML to JSON: json: unsupported value: ${name}`, 0)
  }
  if (Array.isArray(value)) for (const item of value) refuseNonFinite(item)
  if (value instanceof Dict) for (const item of value.values()) refuseNonFinite(item)
}
