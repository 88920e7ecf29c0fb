import { createOffsetMap, failParse } from '../go-yaml/go-yaml-cursor.ts'
import { parseDirectives } from '../go-yaml/go-yaml-directives.ts'
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
} from '../go-yaml/go-yaml-scanner.ts'
import { MAX_NESTING } from '../max-nesting.ts'

/** A place in the text, in UTF-16 offsets. */
export interface NodeRange {
  readonly start: number
  end: number
}

/** A node of YAML text; properties (anchor, tag) are not part of its range. */
export type YamlNode = NodeRange & { tag: string } & (
    | { readonly kind: 'scalar'; readonly text: string; readonly isPlain: boolean }
    | { readonly kind: 'map'; readonly entries: YamlEntry[] }
    | { readonly kind: 'list'; readonly items: YamlNode[] }
    /** Without a target: no such anchor before it, or one that it is part of. */
    | { readonly kind: 'alias'; readonly name: string; readonly target: YamlNode | undefined }
  )

/** A key of a map with its value. */
export interface YamlEntry {
  readonly key: YamlNode
  readonly value: YamlNode
}

/** A document of a file; its root is a scalar without text when it is empty. */
export interface YamlDocument {
  readonly root: YamlNode
}

interface Reading {
  readonly scanner: GoYamlScanner
  readonly offsetOf: (at: number) => number
  readonly handles: ReadonlyMap<string, string>
  readonly anchors: Map<string, YamlNode>
  readonly open: Set<YamlNode>
  /** Where each open bracket and brace stands. */
  readonly brackets: number[]
  /** Where the token dropped last ends. */
  lastEnd: number
}

/**
 * Reads all documents of a file into trees with places, by go-yaml's rules of syntax.
 * @throws YamlError for the first problem
 */
export function parseYamlTree(text: string): readonly YamlDocument[] {
  const scanner = new GoYamlScanner(text)
  const offsetOf = createOffsetMap(scanner.cursor)
  const documents: YamlDocument[] = []
  for (let isFirst = true; scanner.peek() !== STREAM_END; isFirst = false) {
    const handles = parseDirectives(scanner)
    const reading: Reading = {
      scanner,
      offsetOf,
      handles,
      anchors: new Map(),
      open: new Set(),
      brackets: [],
      lastEnd: 0,
    }
    if (!isFirst && scanner.peek() !== DOCUMENT_START) {
      throw failParse(scanner.cursor, scanner.start, 'did not find expected <document start>')
    }
    documents.push({ root: readDocument(reading) })
    while (scanner.peek() === DOCUMENT_END) scanner.skip()
  }
  return documents
}

// where a node stands decides what it may be
type Place = 'block' | 'block-or-indentless' | 'flow'

function readDocument(reading: Reading): YamlNode {
  const { scanner } = reading
  if (scanner.peek() !== DOCUMENT_START) return readNode(reading, 'block', 0)
  reading.lastEnd = scanner.start + '---'.length
  scanner.skip()
  return scanner.peek() <= DOCUMENT_END ? emptyNode(reading) : readNode(reading, 'block', 0)
}

/** A scalar that is not there stands right after what came before it. */
function emptyNode(reading: Reading, tag: string = ''): YamlNode {
  const at = reading.offsetOf(reading.lastEnd)
  return { kind: 'scalar', text: '', isPlain: true, tag, start: at, end: at }
}

function readNode(reading: Reading, place: Place, depth: number): YamlNode {
  const { scanner } = reading
  let anchor: string | undefined
  let tag: WrittenTag | undefined
  for (let type = scanner.peek(); ; type = scanner.peek()) {
    if (type === ANCHOR && anchor === undefined) anchor = scanner.text
    else if (type === TAG && tag === undefined) {
      tag = { handle: scanner.text, suffix: scanner.suffix, start: scanner.start }
    } else break
    dropToken(reading)
  }
  const fullTag = tag === undefined ? '' : resolveTag(reading, tag)
  const hasProperties = anchor !== undefined || tag !== undefined
  const node = readContent(reading, { place, depth, tag: fullTag, anchor, hasProperties })
  if (anchor !== undefined) reading.anchors.set(anchor, node)
  return node
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

function dropToken(reading: Reading): void {
  const { scanner } = reading
  const type = scanner.peek()
  const hasText = type >= ALIAS
  if (type !== BLOCK_END) reading.lastEnd = hasText ? scanner.end : scanner.start + 1
  scanner.skip()
}

interface Content {
  readonly place: Place
  readonly depth: number
  readonly tag: string
  readonly anchor: string | undefined
  readonly hasProperties: boolean
}

function readContent(reading: Reading, content: Content): YamlNode {
  const { scanner, offsetOf } = reading
  const { place, tag, hasProperties } = content
  const type = scanner.peek()
  const start = offsetOf(scanner.start)
  if (type === PLAIN || type === QUOTED) {
    const { text } = scanner
    const end = offsetOf(scanner.end)
    dropToken(reading)
    return { kind: 'scalar', text, isPlain: type === PLAIN, tag, start, end }
  }
  if (type === ALIAS && !hasProperties) return readAlias(reading)
  if (startsCollection(type, place)) return readCollection(reading, content)
  if (hasProperties) return emptyNode(reading, tag)
  throw failParse(scanner.cursor, scanner.start, 'did not find expected node content', reading.brackets.at(-1))
}

function readAlias(reading: Reading): YamlNode {
  const { scanner, offsetOf } = reading
  const { text: name } = scanner
  const found = reading.anchors.get(name)
  const target = found !== undefined && reading.open.has(found) ? undefined : found
  const node: YamlNode = {
    kind: 'alias',
    name,
    target,
    tag: '',
    start: offsetOf(scanner.start),
    end: offsetOf(scanner.end),
  }
  dropToken(reading)
  return node
}

function startsCollection(type: number, place: Place): boolean {
  if (type === FLOW_SEQUENCE_START || type === FLOW_MAPPING_START) return true
  if (place === 'flow') return false
  if (type === BLOCK_SEQUENCE_START || type === BLOCK_MAPPING_START) return true
  return type === BLOCK_ENTRY && place === 'block-or-indentless'
}

function readCollection(reading: Reading, { depth, tag, anchor }: Content): YamlNode {
  const { scanner, offsetOf } = reading
  const type = scanner.peek()
  const { start } = scanner
  if (depth >= MAX_NESTING) throw failParse(scanner.cursor, start, `exceeded max depth of ${MAX_NESTING}`)
  const range = { tag, start: offsetOf(start), end: 0 }
  const isMap = type === BLOCK_MAPPING_START || type === FLOW_MAPPING_START
  const node: YamlNode = isMap ? { ...range, kind: 'map', entries: [] } : { ...range, kind: 'list', items: [] }
  // an alias inside has to find it, and to see that it is not complete
  if (anchor !== undefined) reading.anchors.set(anchor, node)
  reading.open.add(node)
  const isFlow = type === FLOW_SEQUENCE_START || type === FLOW_MAPPING_START
  if (isFlow) reading.brackets.push(start)
  if (type !== BLOCK_ENTRY) dropToken(reading)
  const inside: Inside = { reading, from: start, depth: depth + 1 }
  if (node.kind === 'map') {
    if (type === BLOCK_MAPPING_START) readBlockMap(node.entries, inside)
    else readFlowMap(node.entries, inside)
  } else if (node.kind === 'list') {
    if (type === FLOW_SEQUENCE_START) readFlowList(node.items, inside)
    else readBlockList(node.items, inside, type === BLOCK_ENTRY ? 'indentless' : 'indented')
  }
  if (isFlow) reading.brackets.pop()
  reading.open.delete(node)
  node.end = offsetOf(reading.lastEnd)
  return node
}

/** The inside of a collection that starts at `from`. */
interface Inside {
  readonly reading: Reading
  readonly from: number
  readonly depth: number
}

function readBlockList(items: YamlNode[], { reading, from, depth }: Inside, form: 'indented' | 'indentless'): void {
  const { scanner } = reading
  while (scanner.peek() === BLOCK_ENTRY) {
    dropToken(reading)
    const next = scanner.peek()
    const isEmpty =
      next === BLOCK_ENTRY || next === BLOCK_END || (form === 'indentless' && (next === KEY || next === VALUE))
    items.push(isEmpty ? emptyNode(reading) : readNode(reading, 'block', depth))
  }
  if (form === 'indented') expect(reading, BLOCK_END, { problem: "did not find expected '-' indicator", from })
}

function readBlockMap(entries: YamlEntry[], { reading, from, depth }: Inside): void {
  const { scanner } = reading
  while (scanner.peek() === KEY) {
    dropToken(reading)
    const key = endsEntry(scanner.peek()) ? emptyNode(reading) : readNode(reading, 'block-or-indentless', depth)
    let value: YamlNode | undefined
    if (scanner.peek() === VALUE) {
      dropToken(reading)
      if (!endsEntry(scanner.peek())) value = readNode(reading, 'block-or-indentless', depth)
    }
    entries.push({ key, value: value ?? emptyNode(reading) })
  }
  expect(reading, BLOCK_END, { problem: 'did not find expected key', from })
}

function endsEntry(type: number): boolean {
  return type === KEY || type === VALUE || type === BLOCK_END
}

function readFlowList(items: YamlNode[], { reading, from, depth }: Inside): void {
  const { scanner } = reading
  while (scanner.peek() !== FLOW_SEQUENCE_END) {
    if (items.length > 0) {
      expect(reading, FLOW_ENTRY, { problem: "did not find expected ',' or ']'", from })
      if (scanner.peek() === FLOW_SEQUENCE_END) break
    }
    if (scanner.peek() !== KEY) items.push(readNode(reading, 'flow', depth))
    else {
      // a map of one entry without braces: `[a: b]`
      const start = reading.offsetOf(scanner.start)
      const entry = readFlowEntry({ reading, from, depth }, FLOW_SEQUENCE_END)
      items.push({ kind: 'map', entries: [entry], tag: '', start, end: reading.offsetOf(reading.lastEnd) })
    }
  }
  dropToken(reading)
}

function readFlowMap(entries: YamlEntry[], inside: Inside): void {
  const { reading, from } = inside
  const { scanner } = reading
  while (scanner.peek() !== FLOW_MAPPING_END) {
    if (entries.length > 0) {
      expect(reading, FLOW_ENTRY, { problem: "did not find expected ',' or '}'", from })
      if (scanner.peek() === FLOW_MAPPING_END) break
    }
    if (scanner.peek() === KEY) entries.push(readFlowEntry(inside, FLOW_MAPPING_END))
    else entries.push({ key: readNode(reading, 'flow', inside.depth), value: emptyNode(reading) })
  }
  dropToken(reading)
}

function readFlowEntry({ reading, depth }: Inside, end: number): YamlEntry {
  const { scanner } = reading
  dropToken(reading)
  const next = scanner.peek()
  const isKeyEmpty = next === VALUE || next === FLOW_ENTRY || next === end
  const key = isKeyEmpty ? emptyNode(reading) : readNode(reading, 'flow', depth)
  if (scanner.peek() !== VALUE) return { key, value: emptyNode(reading) }
  dropToken(reading)
  const after = scanner.peek()
  return { key, value: after === FLOW_ENTRY || after === end ? emptyNode(reading) : readNode(reading, 'flow', depth) }
}

function expect(reading: Reading, type: number, { problem, from }: { problem: string; from: number }): void {
  const { scanner } = reading
  if (scanner.peek() !== type) throw failParse(scanner.cursor, scanner.start, problem, from)
  dropToken(reading)
}
