import { isAlias, isMap, isNode, isScalar, isSeq, parseAllDocuments, type Document, type Node } from 'yaml'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Source, Span } from '../model/source.ts'
import { positionAt } from '../model/source.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'

/** One document of a configuration file. */
export interface PositionedDocument {
  /** Integers are GoInt (int64); every other number is a float64. */
  readonly value: Value
  readonly span: Span
  /**
   * Where the value at `path` stands, or its key; for a path that is not there, the nearest parent that is. The key of a list
   * item is the item.
   */
  readonly spanOf: (path: readonly (string | number)[], part?: 'key' | 'value') => Span
}

/** What {@link parsePositionedYaml} found: the documents as far as they could be read, and every problem. */
export interface PositionedYaml {
  readonly documents: readonly PositionedDocument[]
  readonly problems: readonly Diagnostic[]
}

interface Entry {
  readonly key: Node
  readonly value: Node | null
}

interface Reading {
  readonly source: Source
  readonly problems: Diagnostic[]
  readonly anchors: Map<string, Node>
  /** What each alias stands for. */
  readonly targets: Map<Node, Node>
  /** The entries of each map by key; merged ones included. */
  readonly entries: Map<Node, ReadonlyMap<string, Entry>>
  readonly open: Set<Node>
  count: number
}

/** More values than this in one document come from aliases that repeat each other, not from a configuration. */
const MAX_VALUES = 200_000

/**
 * Reads a file that people write: YAML 1.2 core, any number of documents. Problems (CONFIG_SYNTAX, CONFIG_DUPLICATE_KEY) are
 * collected, all of them, each with its exact place; nothing is thrown.
 */
export function parsePositionedYaml(source: Source): PositionedYaml {
  const problems: Diagnostic[] = []
  const parsed = parseAllDocuments(source.text, {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const documents = Array.isArray(parsed) ? parsed.map((document) => readDocument(source, document, problems)) : []
  return { documents, problems }
}

function readDocument(source: Source, document: Document.Parsed, problems: Diagnostic[]): PositionedDocument {
  for (const { pos, message } of [...document.errors, ...document.warnings]) {
    problems.push(syntaxProblem({ source, start: pos[0], end: Math.max(pos[0], pos[1]) }, message))
  }
  const reading: Reading = {
    source,
    problems,
    anchors: new Map(),
    targets: new Map(),
    entries: new Map(),
    open: new Set(),
    count: 0,
  }
  const root = document.contents
  const value = readNode(root, reading)
  const [start, end] = document.range
  const span = root === null ? { source, start, end } : spanOfNode(root, reading)
  return { value, span, spanOf: (path, part = 'value') => findSpan(path, part, { reading, root, span }) }
}

function readNode(node: Node | null, reading: Reading): Value {
  if (node === null) return null
  reading.count++
  if (reading.count > MAX_VALUES) {
    const message = 'the aliases of this document repeat each other too often'
    if (reading.count === MAX_VALUES + 1) reading.problems.push(syntaxProblem(spanOfNode(node, reading), message))
    return null
  }
  if (isAlias(node)) return readAlias(node, node.source, reading)
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, node)
  if (isScalar(node)) return readScalar(node, node.value, reading)
  reading.open.add(node)
  const value = isMap(node) ? readMap(node, reading) : node.items.map((item) => readNode(nodeOf(item), reading))
  reading.open.delete(node)
  return value
}

function readAlias(alias: Node, name: string, reading: Reading): Value {
  const target = reading.anchors.get(name)
  // the reader itself reports an anchor that is not there
  if (target === undefined) return null
  if (reading.open.has(target)) {
    reading.problems.push(syntaxProblem(spanOfNode(alias, reading), `the anchor \`${name}\` contains itself`))
    return null
  }
  reading.targets.set(alias, target)
  return readNode(target, reading)
}

function readScalar(node: Node, value: unknown, reading: Reading): Value {
  if (typeof value === 'bigint') {
    if (value === BigInt.asIntN(64, value)) return new GoInt(value, 'int64')
    return Number(value)
  }
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    reading.problems.push(syntaxProblem(spanOfNode(node, reading), 'infinity and NaN cannot be used here'))
    return null
  }
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

function readMap(node: Node, reading: Reading): Dict {
  const result = new Dict()
  const entries = new Map<string, Entry>()
  reading.entries.set(node, entries)
  if (!isMap(node)) return result
  const merged: Node[] = []
  for (const { key, value } of node.items) {
    const keyNode = nodeOf(key)
    const valueNode = nodeOf(value)
    if (keyNode === null) continue
    if (isMergeKey(keyNode)) {
      if (valueNode !== null) merged.push(valueNode)
      continue
    }
    const name = readKey(keyNode, reading)
    const item = readNode(valueNode, reading)
    if (name === undefined) continue
    const first = entries.get(name)
    if (first !== undefined) reading.problems.push(duplicateKey(name, { first: first.key, second: keyNode }, reading))
    entries.set(name, { key: keyNode, value: valueNode })
    result.set(name, item)
  }
  for (const source of merged) mergeInto(result, entries, { source, reading })
  return result
}

/** Keys of a merged map (`<<: *defaults`) count where the map has none of that name. */
function mergeInto(
  result: Dict,
  entries: Map<string, Entry>,
  from: { readonly source: Node; readonly reading: Reading },
): void {
  const { source, reading } = from
  if (isSeq(source)) {
    for (const item of source.items) {
      const node = nodeOf(item)
      if (node !== null) mergeInto(result, entries, { source: node, reading })
    }
    return
  }
  const value = readNode(source, reading)
  if (!(value instanceof Dict)) {
    reading.problems.push(syntaxProblem(spanOfNode(source, reading), 'only maps can be merged with `<<`'))
    return
  }
  const inherited = reading.entries.get(reading.targets.get(source) ?? source)
  for (const [key, item] of value) {
    if (result.has(key)) continue
    result.set(key, item)
    const entry = inherited?.get(key)
    if (entry !== undefined) entries.set(key, entry)
  }
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<'
}

/** Keys are text; a plain number or bool is taken as it is written (`8080:` in a map of labels). */
function readKey(key: Node, reading: Reading): string | undefined {
  const target = isAlias(key) ? reading.anchors.get(key.source) : key
  if (target !== undefined && isScalar(target) && target.value !== null) {
    if (target.anchor !== undefined) reading.anchors.set(target.anchor, target)
    return typeof target.value === 'string' ? target.value : (target.source ?? '')
  }
  reading.problems.push(syntaxProblem(spanOfNode(key, reading), 'a key must be text'))
  return undefined
}

interface Search {
  readonly reading: Reading
  readonly root: Node | null
  readonly span: Span
}

function findSpan(path: readonly (string | number)[], part: 'key' | 'value', { reading, root, span }: Search): Span {
  let found = span
  let node = root
  for (const [index, step] of path.entries()) {
    if (node === null) return found
    const target = reading.targets.get(node) ?? node
    const entry = reading.entries.get(target)?.get(String(step))
    let key: Node | null = null
    if (entry !== undefined) {
      key = entry.key
      node = entry.value
    } else if (isSeq(target) && typeof step === 'number' && step in target.items) {
      node = nodeOf(target.items[step])
      key = node
    } else return found
    const isKeyWanted = part === 'key' && index === path.length - 1
    const place = isKeyWanted || node === null ? key : node
    if (place !== null) found = spanOfNode(place, reading)
  }
  return found
}

function spanOfNode(node: Node, reading: Reading): Span {
  const [start, end] = node.range ?? [0, 0]
  return { source: reading.source, start, end }
}

function nodeOf(value: unknown): Node | null {
  return isNode(value) ? value : null
}

function syntaxProblem(at: Span, message: string): Diagnostic {
  return { code: 'CONFIG_SYNTAX', severity: 'error', message, at }
}

function duplicateKey(
  name: string,
  keys: { readonly first: Node; readonly second: Node },
  reading: Reading,
): Diagnostic {
  const { line } = positionAt(reading.source, spanOfNode(keys.first, reading).start)
  const message = `the key \`${name}\` stands twice in this map, first in line ${line}`
  return { code: 'CONFIG_DUPLICATE_KEY', severity: 'error', message, at: spanOfNode(keys.second, reading) }
}
