import { startOfLine } from '../codec/text/start-of-line.ts'
import type { PathStep } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import { formatBlock, formatFlow, formatScalar, indented, isFilled, type FlowStyle } from './format-value.ts'
import type { YamlValueChange } from './yaml-change.ts'
import { findNode, type YamlCollection, type YamlNode } from './yaml-nodes.ts'

/** Text to put in the place of another. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Which splices make a change, or why none do. */
export type SplicePlan = { readonly splices: readonly Splice[] } | { readonly reason: string }

/** Where a change is made. */
export interface SplicePlace {
  readonly text: string
  /** Of the document. */
  readonly root: YamlNode
}

/** Plans one change. Whether the result reads as it should is for the caller to see. */
export function planSplices({ how, path, value }: YamlValueChange, place: SplicePlace): SplicePlan {
  const found = findNode(place.root, path)
  if (how === 'replace') {
    return found === undefined ? { reason: `${nameOf(path)} is missing` } : replace(found.node, value, place)
  }
  if (found === undefined) return add(path, how === 'append' ? [value] : value, place)
  const { node, parents } = found
  if (how === 'append') {
    if (node.type === 'list') return insertItem(node, parents, { value, place })
    return isNothing(node, place)
      ? fill(node, parents, { value: [value], place })
      : { reason: `${nameOf(path)} is not a list` }
  }
  return isNothing(node, place) ? fill(node, parents, { value, place }) : replace(node, value, place)
}

interface Insertion {
  readonly value: Value
  readonly place: SplicePlace
}

/** Puts a scalar into the place of another, in the quotes that it had. */
function replace(node: YamlNode, value: Value, { text }: SplicePlace): SplicePlan {
  if (isFilled(value) || (node.type !== 'scalar' && node.type !== 'alias')) {
    return { reason: 'a map or list is not replaced as a whole' }
  }
  const { start, end } = node
  if (node.type === 'alias') return { splices: [{ start, end, text: formatScalar(value, 'plain') }] }
  if (node.style === 'block') return { reason: 'text of several lines is not replaced' }
  if (node.style === 'empty') {
    // directly behind the colon: what stands behind it may be a comment
    return splice(start - (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0), ` ${formatScalar(value, 'plain')}`)
  }
  return { splices: [{ start, end, text: formatScalar(value, node.style) }] }
}

/** Adds what is missing at the path to the nearest map that is there. */
function add(path: readonly PathStep[], value: Value, place: SplicePlace): SplicePlan {
  const key = path.at(-1)
  if (typeof key !== 'string') return { reason: `${nameOf(path)} is missing` }
  const found = findNode(place.root, path.slice(0, -1))
  const entry = new Dict([[key, value]])
  if (found === undefined) return add(path.slice(0, -1), entry, place)
  const { node, parents } = found
  if (node.type === 'map') return insertEntry(node, parents, { key, value, place })
  if (isNothing(node, place)) return fill(node, parents, { value: entry, place })
  return { reason: `${nameOf(path.slice(0, -1))} is not a map` }
}

function insertEntry(
  map: Extract<YamlNode, { readonly type: 'map' }>,
  parents: readonly YamlCollection[],
  { key, value, place }: Insertion & { readonly key: string },
): SplicePlan {
  const last = map.entries.at(-1)
  if (last === undefined) return fillEmpty(map, parents, { value: new Dict([[key, value]]), place })
  if (map.style === 'block') return insertLines(map, parents, { lines: formatBlock(new Dict([[key, value]])), place })
  const style = flowStyleOf(map)
  const at = Math.max(last.value.end, last.keyEnd)
  return splice(at, `, ${formatFlow(key, style)}: ${formatFlow(value, style)}`)
}

function insertItem(
  list: Extract<YamlNode, { readonly type: 'list' }>,
  parents: readonly YamlCollection[],
  { value, place }: Insertion,
): SplicePlan {
  const last = list.items.at(-1)
  if (last === undefined) return fillEmpty(list, parents, { value: [value], place })
  if (list.style === 'block') return insertLines(list, parents, { lines: formatBlock([value]), place })
  return splice(last.end, `, ${formatFlow(value, flowStyleOf(list))}`)
}

/** A `{}` or `[]` gets its first entry: as lines below its key where that is possible, else inside of the brackets. */
function fillEmpty(node: YamlCollection, parents: readonly YamlCollection[], { value, place }: Insertion): SplicePlan {
  const { text } = place
  const inner = text.slice(node.start + 1, node.end - 1)
  const parent = parents.at(-1)
  const isBare = inner.trim() === '' && !inner.includes('\n')
  const head = text.slice(startOfLine(text, node.start), node.start)
  if (isBare && parent?.type === 'map' && parent.style === 'block' && /:[ ]+$/.test(head) && !/["']/.test(head)) {
    const start = node.start - (/ +$/.exec(head)?.[0].length ?? 0)
    const below = linesAfter(node.end, { lines: formatBlock(value), indent: parent.indent + 2, place })
    return { splices: [{ start, end: node.end, text: '' }, below] }
  }
  if (!isBare) return { reason: 'what stands between the brackets could be lost' }
  const written = formatFlow(value, 'yaml')
  return { splices: [{ start: node.start, end: node.end, text: written }] }
}

/** A value where nothing stands, or null. */
function fill(node: YamlNode, parents: readonly YamlCollection[], { value, place }: Insertion): SplicePlan {
  const parent = parents.at(-1)
  if (!isFilled(value)) return replace(node, value, place)
  if (node.type === 'scalar' && node.style !== 'empty') {
    return { splices: [{ start: node.start, end: node.end, text: formatFlow(value, 'yaml') }] }
  }
  if (parent?.type !== 'map' || parent.style !== 'block') return { reason: 'nothing can be put below this place' }
  return { splices: [linesAfter(node.start, { lines: formatBlock(value), indent: parent.indent + 2, place })] }
}

/** Lines after the last entry of a map or list in block style, and after the comments that go with it. */
function insertLines(
  node: YamlCollection,
  parents: readonly YamlCollection[],
  { lines, place }: { readonly lines: readonly string[]; readonly place: SplicePlace },
): SplicePlan {
  const { text } = place
  const end = contentEnd(node)
  // what is not deeper than the parent's keys belongs to the next of those
  const isDeeper = node.indent > (parents.findLast(({ style }) => style === 'block')?.indent ?? -1)
  let at = end
  if (isDeeper) {
    const comments = new RegExp(String.raw`(?:\r?\n {${String(node.indent)},}#[^\r\n]*)+`, 'y')
    comments.lastIndex = lineEnd(text, end)
    const found = comments.exec(text)?.[0] ?? ''
    if (found !== '' && text[end - 1] !== '\n') at = comments.lastIndex
  }
  return { splices: [linesAfter(at, { lines, indent: node.indent, place })] }
}

interface Lines {
  readonly lines: readonly string[]
  readonly indent: number
  readonly place: SplicePlace
}

/** Lines below the one that `at` is in; before it where `at` is its start, behind a text of several lines. */
function linesAfter(at: number, { lines, indent, place: { text } }: Lines): Splice {
  const newline = newlineAt(text, at)
  const written = indented(lines, indent).join(newline)
  if (at > 0 && text[at - 1] === '\n') return { start: at, end: at, text: `${written}${newline}` }
  const end = lineEnd(text, at)
  return { start: end, end, text: `${newline}${written}` }
}

/** Where the last thing in a collection ends that is no comment. */
export function contentEnd(node: YamlNode): number {
  if (node.type === 'map' && node.style === 'block') {
    const last = node.entries.at(-1)
    return last === undefined ? node.end : Math.max(last.keyEnd, contentEnd(last.value))
  }
  if (node.type === 'list' && node.style === 'block') {
    const last = node.items.at(-1)
    return last === undefined ? node.end : contentEnd(last)
  }
  return node.end
}

/** Before the line break. */
export function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at)
  const end = found === -1 ? text.length : found
  return end > at && text[end - 1] === '\r' ? end - 1 : end
}

/** The line break that is in use around a place. */
function newlineAt(text: string, at: number): '\n' | '\r\n' {
  const after = text.indexOf('\n', at)
  const near = after === -1 ? text.lastIndexOf('\n') : after
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n'
}

function flowStyleOf(node: YamlCollection): FlowStyle {
  if (node.type === 'map') return node.entries.every(({ isKeyQuoted }) => isKeyQuoted) ? 'json' : 'yaml'
  const isJson = (item: YamlNode): boolean =>
    item.type === 'map' ? flowStyleOf(item) === 'json' : item.type === 'scalar' && item.style === 'double'
  return node.items.every(isJson) ? 'json' : 'yaml'
}

function isNothing(node: YamlNode, { text }: SplicePlace): boolean {
  if (node.type !== 'scalar') return false
  return (
    node.style === 'empty' ||
    (node.style === 'plain' && /^(?:~|null|Null|NULL)$/.test(text.slice(node.start, node.end)))
  )
}

function splice(at: number, text: string): SplicePlan {
  return { splices: [{ start: at, end: at, text }] }
}

/** The name of the value at a path, for messages. */
export function nameOf(path: readonly PathStep[]): string {
  const key = path.findLast((step) => typeof step === 'string')
  return key === undefined ? 'the document' : String(key)
}
