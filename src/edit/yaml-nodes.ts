import { isAlias, isMap, isScalar, isSeq, parseAllDocuments, type Scalar } from 'yaml'
import type { PathStep } from '../model/field.ts'

/** A value as it is written; offsets are those of the text. Anchors and tags stand before `start`. */
export type YamlNode =
  | { readonly type: 'scalar'; readonly style: ScalarStyle; readonly start: number; readonly end: number }
  | { readonly type: 'alias'; readonly start: number; readonly end: number }
  | ({ readonly type: 'map'; readonly entries: readonly YamlEntry[] } & CollectionPlace)
  | ({ readonly type: 'list'; readonly items: readonly YamlNode[] } & CollectionPlace)

/** How a scalar is written; `empty`: nothing stands where the value would. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'block' | 'empty'

/** A map or a list. */
export type YamlCollection = Extract<YamlNode, { readonly type: 'map' | 'list' }>

/** Where a map or list stands. */
interface CollectionPlace {
  readonly style: 'block' | 'flow'
  readonly start: number
  readonly end: number
  /** Column of the keys or dashes; of block style only. */
  readonly indent: number
}

/** A key of a map with its value. */
export interface YamlEntry {
  /** Undefined for a key that is no text of its own. */
  readonly key: string | undefined
  readonly keyStart: number
  readonly keyEnd: number
  readonly isKeyQuoted: boolean
  readonly value: YamlNode
}

/**
 * How the documents of a text are written, in order; undefined for one that is empty. The text must be known to parse.
 * Undefined when `yaml`, which is not what reads files elsewhere, sees an error in it.
 */
export function parseYamlNodes(text: string): readonly (YamlNode | undefined)[] | undefined {
  const parsed = parseAllDocuments(text, { schema: 'failsafe', keepSourceTokens: true, uniqueKeys: false })
  const documents = Array.isArray(parsed) ? parsed : []
  if (documents.some(({ errors }) => errors.length > 0)) return undefined
  return documents.map(({ contents }) => (contents === null ? undefined : nodeOf(contents)))
}

/**
 * The node at a path and the collections that lead to it, outermost first; undefined where there is no such value of
 * its own.
 */
export function findNode(
  root: YamlNode,
  path: readonly PathStep[],
): { readonly node: YamlNode; readonly parents: readonly YamlCollection[] } | undefined {
  const parents: YamlCollection[] = []
  let node = root
  for (const step of path) {
    const next =
      node.type === 'map'
        ? node.entries.findLast(({ key }) => key === step)?.value
        : node.type === 'list' && typeof step === 'number'
          ? node.items[step]
          : undefined
    if (next === undefined || (node.type !== 'map' && node.type !== 'list')) return undefined
    parents.push(node)
    node = next
  }
  return { node, parents }
}

function nodeOf(value: unknown): YamlNode {
  if (isMap(value)) {
    const entries = value.items.map(({ key, value: child }): YamlEntry => {
      const [keyStart, keyEnd] = rangeOf(key)
      return {
        key: isScalar(key) && typeof key.value === 'string' ? key.value : undefined,
        keyStart,
        keyEnd,
        isKeyQuoted: isScalar(key) && styleOf(key) === 'double',
        value: child === null ? { type: 'scalar', style: 'empty', start: keyEnd, end: keyEnd } : nodeOf(child),
      }
    })
    return { type: 'map', entries, ...placeOf(value) }
  }
  if (isSeq(value)) return { type: 'list', items: value.items.map(nodeOf), ...placeOf(value) }
  const [start, end] = rangeOf(value)
  if (isAlias(value)) return { type: 'alias', start, end }
  return { type: 'scalar', style: isScalar(value) ? styleOf(value) : 'plain', start, end }
}

function styleOf({ type, range, source }: Scalar): ScalarStyle {
  if (type === 'QUOTE_DOUBLE') return 'double'
  if (type === 'QUOTE_SINGLE') return 'single'
  if (type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL') return 'block'
  return range?.[0] === range?.[1] && (source ?? '') === '' ? 'empty' : 'plain'
}

function placeOf(node: { readonly flow?: boolean; readonly srcToken?: unknown }): CollectionPlace {
  const [start, end] = rangeOf(node)
  const { srcToken: token } = node
  const indent =
    typeof token === 'object' && token !== null && 'indent' in token && typeof token.indent === 'number'
      ? token.indent
      : 0
  return { style: node.flow === true ? 'flow' : 'block', start, end, indent }
}

function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  const [start, end] = Array.isArray(range) ? range.map(Number) : []
  return [start ?? 0, end ?? 0]
}
