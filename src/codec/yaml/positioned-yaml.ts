import type { Diagnostic } from '../../model/diagnostic.ts'
import { moreOf } from '../../model/bound-findings.ts'
import { positionAt, type Source, type Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { YamlError } from '../go-yaml/go-yaml-error.ts'
import { isMergeKey, keyNameOf, resolveScalar, valueOf } from '../go-yaml/go-yaml-value.ts'
import { explainYamlError, maskProblem } from './yaml-problem.ts'
import { parseYamlTree, type YamlDocument, type YamlEntry, type YamlNode } from './yaml-tree.ts'

/** One document of a configuration file. */
export interface PositionedDocument {
  /**
   * As Kubernetes reads it (see go-yaml-parse.ts), but yes, no, on, off, y and n are text, as YAML 1.2 has it. Integers are GoInt
   * (int64), every other number is a float64.
   */
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

interface Reading {
  readonly source: Source
  readonly problems: BoundedProblems
  /** The entries of each map by name, those it merges included. */
  readonly entries: Map<YamlNode, ReadonlyMap<string, YamlEntry>>
  count: number
}

/** More syntax problems than this in one file are not looked for, and more of other kinds are only counted. */
const MAX_PROBLEMS = 20
/** More values than this in one document come from aliases that repeat each other, not from a configuration. */
const MAX_VALUES = 200_000

/**
 * Reads a file that people write, any number of documents, as Kubernetes would. Problems (CONFIG_SYNTAX, CONFIG_DUPLICATE_KEY) are
 * collected, each with its exact place; nothing is thrown. After a syntax problem reading goes on behind the lines that it
 * concerns, and what those lines hold is missing from the documents.
 */
export function parsePositionedYaml(source: Source): PositionedYaml {
  const problems: Diagnostic[] = []
  const trees = parseTrees(source, problems)
  const found = new BoundedProblems(problems)
  const documents = trees.map((tree) => readDocument(source, tree, found))
  return { documents, problems: found.all() }
}

/** Problems of one file; those after the first few are only counted, because each takes time to be described. */
class BoundedProblems {
  private readonly problems: Diagnostic[]
  private first: Diagnostic | undefined
  private more = 0

  constructor(problems: readonly Diagnostic[]) {
    this.problems = [...problems]
  }

  push(describe: () => Diagnostic): void {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push(describe())
      return
    }
    this.first ??= describe()
    this.more++
  }

  all(): readonly Diagnostic[] {
    return this.first === undefined ? this.problems : [...this.problems, moreOf(this.first, this.more)]
  }
}

function parseTrees(source: Source, problems: Diagnostic[]): readonly YamlDocument[] {
  let { text } = source
  while (problems.length < MAX_PROBLEMS) {
    try {
      return parseYamlTree(text)
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      const { message, at } = explainYamlError(error, source)
      problems.push(syntaxProblem(at, message))
      const rest = maskProblem(text, at.start)
      if (rest === text) return []
      text = rest
    }
  }
  return []
}

function readDocument(source: Source, { root }: YamlDocument, problems: BoundedProblems): PositionedDocument {
  const reading: Reading = { source, problems, entries: new Map(), count: 0 }
  const value = readNode(root, reading)
  return {
    value,
    span: spanOfNode(root, source),
    spanOf: (path, part = 'value') => findSpan(path, part, { root, reading }),
  }
}

function readNode(node: YamlNode, reading: Reading): Value {
  reading.count++
  if (reading.count > MAX_VALUES) {
    if (reading.count === MAX_VALUES + 1)
      note(node, reading, 'the aliases of this document repeat each other too often')
    return null
  }
  checkTag(node, reading)
  if (node.kind === 'map') return readMap(node, node.entries, reading)
  if (node.kind === 'list') return node.items.map((item) => readNode(item, reading))
  if (node.kind === 'scalar') return readScalar(node, reading)
  if (node.target !== undefined) return readNode(node.target, reading)
  note(node, reading, `the anchor \`${node.name}\` has no complete value before this`)
  return null
}

const knownTag = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|timestamp|binary|map|seq))?$/

function checkTag(node: YamlNode, reading: Reading): void {
  if (node.tag !== '' && !knownTag.test(node.tag)) note(node, reading, 'the tag before this is not known')
}

function readScalar(node: YamlNode & { readonly kind: 'scalar' }, reading: Reading): Value {
  if (isOldBool(node)) return node.text
  const resolved = resolveScalar(node)
  if (!('kind' in resolved)) {
    note(node, reading, 'the value does not fit the tag before it')
    return null
  }
  const value = valueOf(resolved, 'int')
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  note(node, reading, 'infinity and NaN cannot be used')
  return null
}

const oldBool = /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/

function isOldBool(node: YamlNode & { readonly kind: 'scalar' }): boolean {
  return node.isPlain && node.tag === '' && oldBool.test(node.text)
}

function readMap(node: YamlNode, written: readonly YamlEntry[], reading: Reading): Dict {
  const result = new Dict()
  const entries = new Map<string, YamlEntry>()
  const own = new Map<string, YamlNode>()
  reading.entries.set(node, entries)
  for (const entry of written) {
    const { key, value } = entry
    if (key.kind === 'scalar' && isMergeKey(key)) {
      mergeInto({ result, entries }, value, reading)
      continue
    }
    const name = readKey(key, reading)
    const item = readNode(value, reading)
    if (name === undefined) continue
    const first = own.get(name)
    if (first === undefined) own.set(name, key)
    else reading.problems.push(() => duplicateKey(name, { first, second: key }, reading.source))
    entries.set(name, entry)
    result.set(name, item)
  }
  return result
}

interface MapUnderConstruction {
  readonly result: Dict
  readonly entries: Map<string, YamlEntry>
}

/** `<<: *defaults`; in go-yaml what comes later wins, of several maps the first. */
function mergeInto({ result, entries }: MapUnderConstruction, source: YamlNode, reading: Reading): void {
  const sources = source.kind === 'list' ? source.items.toReversed() : [source]
  for (const item of sources) {
    const value = readNode(item, reading)
    const inherited = reading.entries.get(targetOf(item))
    if (!(value instanceof Dict) || inherited === undefined) {
      note(item, reading, 'only maps can be merged with `<<`')
      continue
    }
    for (const [name, entry] of inherited) entries.set(name, entry)
    for (const [name, inner] of value) result.set(name, inner)
  }
}

function readKey(key: YamlNode, reading: Reading): string | undefined {
  checkTag(key, reading)
  const target = targetOf(key)
  if (target.kind === 'scalar' && isOldBool(target)) return target.text
  const resolved = target.kind === 'scalar' ? resolveScalar(target) : undefined
  const name = resolved !== undefined && 'kind' in resolved ? keyNameOf(resolved) : undefined
  if (typeof name === 'string') return name
  note(key, reading, 'a key must be text')
  return undefined
}

function targetOf(node: YamlNode): YamlNode {
  return node.kind === 'alias' && node.target !== undefined ? node.target : node
}

interface Search {
  readonly root: YamlNode
  readonly reading: Reading
}

function findSpan(path: readonly (string | number)[], part: 'key' | 'value', { root, reading }: Search): Span {
  let place = root
  let node = root
  for (const [index, step] of path.entries()) {
    const target = targetOf(node)
    const entry = reading.entries.get(target)?.get(String(step))
    const item = target.kind === 'list' && typeof step === 'number' ? target.items[step] : undefined
    const found = entry?.value ?? item
    if (found === undefined) break
    node = found
    const isKeyWanted = part === 'key' && index === path.length - 1
    place = entry !== undefined && isKeyWanted ? entry.key : found
  }
  return spanOfNode(place, reading.source)
}

function spanOfNode(node: YamlNode, source: Source): Span {
  return { source, start: node.start, end: node.end }
}

function note(node: YamlNode, reading: Reading, message: string): void {
  reading.problems.push(() => syntaxProblem(spanOfNode(node, reading.source), message))
}

function syntaxProblem(at: Span, message: string): Diagnostic {
  return { code: 'CONFIG_SYNTAX', severity: 'error', message, at }
}

interface TwoKeys {
  readonly first: YamlNode
  readonly second: YamlNode
}

function duplicateKey(name: string, { first, second }: TwoKeys, source: Source): Diagnostic {
  const { line } = positionAt(source, first.start)
  const message = `the key \`${name}\` stands twice in this map, first in line ${line}`
  return { code: 'CONFIG_DUPLICATE_KEY', severity: 'error', message, at: spanOfNode(second, source) }
}
