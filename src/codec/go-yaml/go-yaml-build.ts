import { Dict, type Value } from '../../model/value.ts'
import { formatGoSyntax } from '../json/go-syntax.ts'
import { MAX_NESTING } from '../max-nesting.ts'
import { failAt, failParse } from './go-yaml-cursor.ts'
import { parseDirectives } from './go-yaml-directives.ts'
import { type QuotingProblem, YamlError } from './go-yaml-error.ts'
import type { MapPlaces, PlaceRecorder, YamlPlace } from './go-yaml-places.ts'
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
  type GoYamlScanner,
  KEY,
  PLAIN,
  QUOTED,
  TAG,
  VALUE,
} from './go-yaml-scanner.ts'
import { isKnownTag, isMergeKey, keyNameOf, resolveScalar, type ScalarNode, valueOf } from './go-yaml-value.ts'

/** How values are made of the text. */
export interface YamlBuildOptions {
  /**
   * `float64`: every number is a JavaScript number, as Helm reads values. `int`: a number that JSON would write without
   * point and exponent is a GoInt: int64, or uint64 if only that holds it; as Kubernetes reads objects.
   */
  readonly integers: 'float64' | 'int'
  /** The meaning of yes, no, on, off, y and n: `bool` as in YAML 1.1, which Go reads, or `text` as in 1.2. */
  readonly words: 'bool' | 'text'
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
  place: YamlPlace | undefined
  /** How many steps go-yaml takes to decode it once. */
  cost: number
  isOpen: boolean
}

interface WrittenTag {
  readonly handle: string
  readonly suffix: string
  readonly start: number
}

interface TaggedPlace {
  readonly tag: string
  readonly place: number
  readonly depth: number
  readonly start: number
}

// what else than a name a key can be
const MERGE = 0
const UNSUPPORTED = 1
const INVALID = 2
type Key = string | typeof MERGE | typeof UNSUPPORTED | typeof INVALID

interface Entry {
  readonly key: Key
  readonly value: Value
}

/**
 * The shares of decoding steps that aliases may cause: 99 % up to 400,000 steps, 10 % from 4,000,000 on (decode.go).
 */
const LOW_STEPS = 400_000
const HIGH_STEPS = 4_000_000

const oldBool = /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/

/**
 * Builds the value of one document from the tokens of a scanner, as go-yaml v2 and sigs.k8s.io/yaml do together. With a
 * recorder it notes every place too, and hands what is wrong with a well-formed text to the recorder instead of keeping
 * it for {@link YamlBuilder.problem}.
 */
export class YamlBuilder {
  private readonly scanner: GoYamlScanner
  private readonly options: YamlBuildOptions
  private readonly recorder: PlaceRecorder | undefined
  private handles: ReadonlyMap<string, string> = new Map()
  private readonly anchors = new Map<string, Anchor>()
  /** The node that was read last. */
  private readonly last: Node = { kind: SCALAR, text: '', tag: '', isPlain: false, isAlias: false, start: 0 }
  /** Where each open bracket and brace stands. */
  private readonly brackets: number[] = []
  /** Steps of go-yaml's decoder so far, and how many of them aliases caused. */
  private decoded = 1
  private aliased = 0
  /**
   * go-yaml reads the whole document before it decodes, and converts to JSON only after that: a problem of a later
   * phase shows only when the earlier ones had none.
   */
  private decodeProblem: YamlError | undefined
  private jsonProblem: YamlError | undefined
  private hasExcess = false
  private isInKey = false
  /** The start of the message for the key just read, if no JSON key can stand for it. */
  private unsupportedKey = ''
  private hasNonFinite = false

  constructor(scanner: GoYamlScanner, options: YamlBuildOptions, recorder?: PlaceRecorder) {
    this.scanner = scanner
    this.options = options
    this.recorder = recorder
  }

  /**
   * Reads a document, directives and mark included; the scanner stands behind it then.
   * @throws YamlError for text that is not well-formed
   */
  readDocument(): Value {
    const { scanner } = this
    this.handles = parseDirectives(scanner)
    if (scanner.peek() !== DOCUMENT_START) return this.readNode(BLOCK, 0)
    this.drop()
    return scanner.peek() <= DOCUMENT_END ? this.readEmpty() : this.readNode(BLOCK, 0)
  }

  /** The problem that go-yaml, or after it the way through JSON, has with the document. */
  problem(value: Value): YamlError | undefined {
    return this.decodeProblem ?? this.jsonProblem ?? (this.hasNonFinite ? findNonFinite(value) : undefined)
  }

  private drop(): void {
    this.recorder?.pass(this.scanner)
    this.scanner.skip()
  }

  /** Reads a node; `last` says what it was. */
  private readNode(place: number, depth: number): Value {
    const { scanner, last, recorder } = this
    const type = scanner.peek()
    if (type === PLAIN || type === QUOTED) {
      const { text, start } = scanner
      last.kind = SCALAR
      last.text = text
      last.tag = ''
      last.isPlain = type === PLAIN
      last.isAlias = false
      last.start = start
      this.drop()
      recorder?.endScalar(start)
      this.countStep()
      return type === QUOTED || isSurelyText(text) || this.isWord(text) ? text : this.toValue(resolvePlain(text))
    }
    if (type === ALIAS) return this.readAlias(depth)
    if (type === ANCHOR || type === TAG) return this.readWithProperties(place, depth)
    return this.readCollection(place, depth)
  }

  /** True if a plain scalar is text by YAML 1.2 only, and that counts. */
  private isWord(text: string): boolean {
    return this.options.words === 'text' && oldBool.test(text)
  }

  private readEmpty(): null {
    this.setLast({ kind: SCALAR, text: '', tag: '', isPlain: true, isAlias: false, start: this.scanner.start })
    this.recorder?.endEmpty()
    this.countStep()
    return null
  }

  private setLast(node: Node): void {
    Object.assign(this.last, node)
  }

  private readWithProperties(place: number, depth: number): Value {
    const { scanner, recorder } = this
    const { start } = scanner
    let anchor: string | undefined
    let written: WrittenTag | undefined
    for (let type = scanner.peek(); ; type = scanner.peek()) {
      if (type === ANCHOR && anchor === undefined) anchor = scanner.text
      else if (type === TAG && written === undefined) {
        written = { handle: scanner.text, suffix: scanner.suffix, start: scanner.start }
      } else break
      this.drop()
    }
    const tag = written === undefined ? '' : this.resolveTag(written)
    const entry: Anchor | undefined =
      anchor === undefined
        ? undefined
        : { node: { ...this.last, start }, value: null, place: undefined, cost: this.decoded, isOpen: true }
    if (anchor !== undefined && entry !== undefined) this.anchors.set(anchor, entry)
    const value = this.readTagged({ tag, place, depth, start })
    if (recorder !== undefined && !isKnownTag(tag)) recorder.note({ kind: 'tag-unknown' }, recorder.last)
    if (entry !== undefined) {
      Object.assign(entry.node, this.last)
      entry.value = value
      entry.place = recorder?.last
      entry.cost = this.decoded - entry.cost
      entry.isOpen = false
    }
    return value
  }

  private readTagged({ tag, place, depth, start }: TaggedPlace): Value {
    const { scanner, recorder } = this
    const type = scanner.peek()
    const isScalar = type === PLAIN || type === QUOTED
    // properties with nothing after them stand for an empty scalar
    if (!isScalar && startsCollection(type, place)) return this.readCollection(place, depth)
    const text = isScalar ? scanner.text : ''
    const isPlain = type !== QUOTED
    const begin = scanner.start
    if (isScalar) this.drop()
    this.setLast({ kind: SCALAR, text, tag, isPlain, isAlias: false, start })
    if (isScalar) recorder?.endScalar(begin)
    else recorder?.endEmpty()
    this.countStep()
    if (tag === '' && isPlain && this.isWord(text)) return text
    const resolved = this.resolveNode(this.last)
    return resolved === undefined ? null : this.toValue(resolved)
  }

  private resolveTag({ handle, suffix, start }: WrittenTag): string {
    if (handle === '') return suffix
    const prefix = this.handles.get(handle)
    if (prefix === undefined) throw failParse(this.scanner.cursor, start, 'found undefined tag handle')
    return prefix + suffix
  }

  private readAlias(depth: number): Value {
    const { scanner, recorder } = this
    const { text: name, start } = scanner
    const anchor = this.anchors.get(name)
    if (anchor === undefined && recorder === undefined) {
      const problem = { quoting: `unknown anchor '${name}' referenced`, unquoted: 'unknown anchor referenced' }
      throw failAt(scanner.cursor, start, problem)
    }
    this.drop()
    if (anchor === undefined) this.setLast({ ...emptyNode, start })
    else this.setLast({ ...anchor.node, isAlias: true, start })
    recorder?.endAlias(start, anchor?.place)
    this.countStep()
    if (anchor === undefined || anchor.isOpen) {
      const problem = { quoting: `anchor '${name}' value contains itself`, unquoted: 'anchor value contains itself' }
      if (recorder === undefined) this.noteDecodeProblem(start, problem)
      else recorder.note({ kind: 'anchor', name }, recorder.last)
      return null
    }
    this.decoded += anchor.cost
    this.aliased += anchor.cost
    this.checkAliases()
    return this.decodeProblem === undefined && !this.hasExcess ? this.copyValue(anchor.value, depth) : null
  }

  /** A value is mutable, so that each alias needs its own. */
  private copyValue(value: Value, depth: number): Value {
    if (Array.isArray(value)) {
      this.checkDepth(depth)
      return value.map((item) => this.copyValue(item, depth + 1))
    }
    if (value instanceof Dict) {
      this.checkDepth(depth)
      const copy = new Dict()
      for (const [key, item] of value) copy.set(key, this.copyValue(item, depth + 1))
      return copy
    }
    return value
  }

  private checkDepth(depth: number): void {
    const { cursor, start } = this.scanner
    if (depth >= MAX_NESTING) throw failParse(cursor, start, `exceeded max depth of ${MAX_NESTING}`)
  }

  // collections

  private readCollection(place: number, depth: number): Value {
    const { scanner } = this
    const type = scanner.peek()
    const { start } = scanner
    if (!startsCollection(type, place)) {
      throw failParse(scanner.cursor, start, 'did not find expected node content', this.brackets.at(-1))
    }
    this.checkDepth(depth)
    this.countStep()
    if (type !== BLOCK_ENTRY) this.drop()
    let value: Value
    if (type === BLOCK_MAPPING_START) value = this.readBlockMapping(start, depth + 1)
    else if (type === FLOW_MAPPING_START) value = this.readFlowMapping(start, depth + 1)
    else if (type === FLOW_SEQUENCE_START) value = this.readFlowSequence(start, depth + 1)
    else value = this.readBlockSequence(start, type === BLOCK_ENTRY ? 'indentless' : 'indented', depth + 1)
    const { last } = this
    last.kind = value instanceof Dict ? MAP : LIST
    last.text = ''
    last.tag = ''
    last.isAlias = false
    last.start = start
    return value
  }

  private readBlockSequence(start: number, form: 'indented' | 'indentless', depth: number): Value[] {
    const { scanner, recorder } = this
    const places = recorder?.openList()
    const items: Value[] = []
    while (scanner.peek() === BLOCK_ENTRY) {
      this.drop()
      const next = scanner.peek()
      const isEmpty =
        next === BLOCK_ENTRY || next === BLOCK_END || (form === 'indentless' && (next === KEY || next === VALUE))
      items.push(isEmpty ? this.readEmpty() : this.readNode(BLOCK, depth))
      if (recorder !== undefined) places?.push(recorder.last)
    }
    if (form === 'indented') this.expect(BLOCK_END, "did not find expected '-' indicator", start)
    recorder?.endList(start, places)
    return items
  }

  private readBlockMapping(start: number, depth: number): Dict {
    const { scanner, recorder } = this
    const result = new Dict()
    const places = recorder?.openMap()
    while (scanner.peek() === KEY) {
      this.drop()
      const hasKey = !endsBlockEntry(scanner.peek())
      const key = hasKey ? this.readKey(BLOCK_OR_INDENTLESS, depth) : this.readEmptyKey()
      places?.endKey()
      let value: Value = null
      if (scanner.peek() === VALUE) {
        this.drop()
        value = endsBlockEntry(scanner.peek()) ? this.readEmpty() : this.readNode(BLOCK_OR_INDENTLESS, depth)
      } else value = this.readEmpty()
      this.setEntry(result, { key, value }, places)
    }
    this.expect(BLOCK_END, 'did not find expected key', start)
    recorder?.endMap(start, places)
    return result
  }

  private readFlowSequence(start: number, depth: number): Value[] {
    const { scanner, recorder } = this
    const places = recorder?.openList()
    const items: Value[] = []
    this.brackets.push(start)
    while (scanner.peek() !== FLOW_SEQUENCE_END) {
      if (items.length > 0) {
        this.expect(FLOW_ENTRY, "did not find expected ',' or ']'", start)
        if (scanner.peek() === FLOW_SEQUENCE_END) break
      }
      items.push(scanner.peek() === KEY ? this.readFlowPair(depth) : this.readNode(FLOW, depth))
      if (recorder !== undefined) places?.push(recorder.last)
    }
    this.drop()
    this.brackets.pop()
    recorder?.endList(start, places)
    return items
  }

  /** A map of one entry without braces: `[a: b]`. */
  private readFlowPair(depth: number): Dict {
    const { scanner, recorder } = this
    const { start } = scanner
    const result = new Dict()
    const places = recorder?.openMap()
    this.checkDepth(depth)
    this.countStep()
    this.drop()
    const first = scanner.peek()
    let key: Key
    if (first === VALUE || first === FLOW_ENTRY || first === FLOW_SEQUENCE_END) {
      // go-yaml drops this token whatever it is (parserc.go yaml_parser_parse_flow_sequence_entry_mapping_key)
      this.drop()
      key = this.readEmptyKey()
    } else key = this.readKey(FLOW, depth + 1)
    places?.endKey()
    this.setEntry(result, { key, value: this.readFlowValue(FLOW_SEQUENCE_END, depth + 1) }, places)
    recorder?.endMap(start, places)
    return result
  }

  private readFlowMapping(start: number, depth: number): Dict {
    const { scanner, recorder } = this
    const result = new Dict()
    const places = recorder?.openMap()
    this.brackets.push(start)
    for (let isFirst = true; scanner.peek() !== FLOW_MAPPING_END; isFirst = false) {
      if (!isFirst) {
        this.expect(FLOW_ENTRY, "did not find expected ',' or '}'", start)
        if (scanner.peek() === FLOW_MAPPING_END) break
      }
      let key: Key
      let value: Value = null
      if (scanner.peek() === KEY) {
        this.drop()
        const next = scanner.peek()
        const hasKey = next !== VALUE && next !== FLOW_ENTRY && next !== FLOW_MAPPING_END
        key = hasKey ? this.readKey(FLOW, depth) : this.readEmptyKey()
        places?.endKey()
        value = this.readFlowValue(FLOW_MAPPING_END, depth)
      } else {
        key = this.readKey(FLOW, depth)
        places?.endKey()
        value = this.readEmpty()
      }
      this.setEntry(result, { key, value }, places)
    }
    this.drop()
    this.brackets.pop()
    recorder?.endMap(start, places)
    return result
  }

  private readFlowValue(end: number, depth: number): Value {
    const { scanner } = this
    if (scanner.peek() !== VALUE) return this.readEmpty()
    this.drop()
    const next = scanner.peek()
    return next === FLOW_ENTRY || next === end ? this.readEmpty() : this.readNode(FLOW, depth)
  }

  private expect(type: number, problem: string, from: number): void {
    const { scanner } = this
    if (scanner.peek() !== type) throw failParse(scanner.cursor, scanner.start, problem, from)
    this.drop()
  }

  // keys

  private readKey(place: number, depth: number): Key {
    const { last } = this
    const wasInKey = this.isInKey
    this.isInKey = true
    const value = this.readNode(place, depth)
    this.isInKey = wasInKey
    if (last.kind !== SCALAR) {
      const problem = { quoting: `invalid map key: ${formatGoSyntax(value)}`, unquoted: 'invalid map key' }
      if (this.recorder === undefined) this.noteDecodeProblem(last.start, problem)
      return INVALID
    }
    if (!last.isAlias && isMergeKey(last)) return MERGE
    if (last.tag === '' && (!last.isPlain || isSurelyText(last.text) || this.isWord(last.text))) return last.text
    const resolved = this.resolveNode(last)
    return resolved === undefined ? INVALID : this.keyOf(resolved)
  }

  private keyOf(resolved: Resolved): Key {
    const name = keyNameOf(resolved)
    if (typeof name === 'string') return name
    this.unsupportedKey = name.unsupported
    return UNSUPPORTED
  }

  private readEmptyKey(): Key {
    this.readEmpty()
    return this.keyOf({ kind: 'null', value: null })
  }

  /** Adds an entry right after its value was read. */
  private setEntry(result: Dict, { key, value }: Entry, places: MapPlaces | undefined): void {
    if (typeof key === 'string') {
      result.set(key, value)
      places?.add(key)
    } else if (key === MERGE) {
      places?.addMerge()
      this.mergeEntry(result, value, places)
    } else if (places !== undefined) places.refuseKey()
    else if (key === UNSUPPORTED) {
      const shown = value === null ? '<nil>' : formatGoSyntax(value)
      const text = `${this.unsupportedKey}, value: ${shown}`
      const { offset, problem } = failAt(this.scanner.cursor, this.last.start, {
        quoting: text,
        unquoted: text.replace(/, key: .*$/s, ''),
      })
      this.jsonProblem ??= new YamlError(`error converting YAML to JSON: ${text}`, offset, problem)
    }
  }

  /** `<<`: takes over the entries of a map or of several, of which the first has the last word. */
  private mergeEntry(result: Dict, value: Value, places: MapPlaces | undefined): void {
    const { last, recorder } = this
    const isList = last.kind === LIST && !last.isAlias
    const sources = Array.isArray(value) && isList ? value : [value]
    for (let index = sources.length - 1; index >= 0; index--) {
      const source = sources[index]
      const place = sources === value ? recorder?.last.items?.[index] : recorder?.last
      if (source instanceof Dict) {
        for (const [key, item] of source) result.set(key, item)
        if (place !== undefined) places?.merge(place)
      } else if (recorder !== undefined && place !== undefined) recorder.note({ kind: 'merge-no-map' }, place)
      else this.noteDecodeProblem(last.start, 'map merge requires map or sequence of maps as the value')
    }
  }

  private resolveNode(node: Node): Resolved | undefined {
    const resolved = resolveScalar(node)
    if ('kind' in resolved) return resolved
    if (this.recorder === undefined) this.noteDecodeProblem(node.start, resolved)
    else if (!this.isInKey) this.recorder.note({ kind: 'tag-unfit' }, this.recorder.last)
    return undefined
  }

  private toValue(resolved: Resolved): Value {
    if (resolved.kind !== 'float' || Number.isFinite(resolved.value)) return valueOf(resolved, this.options.integers)
    if (this.recorder === undefined) {
      this.hasNonFinite = true
      return resolved.value
    }
    if (!this.isInKey) this.recorder.note({ kind: 'not-finite' }, this.recorder.last)
    return null
  }

  // limits and late problems

  private countStep(): void {
    this.decoded++
    if (this.aliased > 100) this.checkAliases()
  }

  private checkAliases(): void {
    const { decoded, aliased } = this
    if (aliased <= 100 || decoded <= 1000 || this.hasExcess) return
    const excess = Math.min(Math.max(decoded - LOW_STEPS, 0) / (HIGH_STEPS - LOW_STEPS), 1)
    if (aliased / decoded <= 0.99 - 0.89 * excess) return
    this.hasExcess = true
    if (this.recorder === undefined) this.noteDecodeProblem(this.last.start, 'document contains excessive aliasing')
    else this.recorder.note({ kind: 'aliases' }, this.recorder.last)
  }

  private noteDecodeProblem(at: number, problem: string | QuotingProblem): void {
    this.decodeProblem ??= failAt(this.scanner.cursor, at, problem)
  }
}

const emptyNode: Node = { kind: SCALAR, text: '', tag: '', isPlain: true, isAlias: true, start: 0 }

function startsCollection(type: number, place: number): boolean {
  if (type === FLOW_SEQUENCE_START || type === FLOW_MAPPING_START) return true
  if (place === FLOW) return false
  if (type === BLOCK_SEQUENCE_START || type === BLOCK_MAPPING_START) return true
  return type === BLOCK_ENTRY && place === BLOCK_OR_INDENTLESS
}

function endsBlockEntry(type: number): boolean {
  return type === KEY || type === VALUE || type === BLOCK_END
}

/** Walks the value only because something in it is infinite; a later equal key may have replaced it. */
function findNonFinite(value: Value): YamlError | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    return new YamlError(`error converting YAML to JSON: json: unsupported value: ${name}`, 0)
  }
  const children = Array.isArray(value) ? value : value instanceof Dict ? value.values() : []
  for (const child of children) {
    const found = findNonFinite(child)
    if (found !== undefined) return found
  }
  return undefined
}
