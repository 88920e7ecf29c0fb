import { Dict, elementType, GoBytes, GoInt, type Value } from '../../model/value.ts'
import type { PathStep } from '../../model/field.ts'
import type { TokenTable } from '../../model/token.ts'
import { isPlainWord } from '../engine/plain-word.ts'

/** Called for each pair of texts at one place; false ends the walk. */
type VisitTexts = (a: string, b: string, path: readonly PathStep[]) => boolean

/** Walks two values at once; false where they differ in more than their texts, or where `visit` says so. */
export function walkPairs(a: Value, b: Value, visit: VisitTexts): boolean {
  const path: PathStep[] = []
  const walk = (one: Value, other: Value): boolean => {
    if (typeof one === 'string') return typeof other === 'string' && visit(one, other, path)
    if (one === null || typeof one !== 'object') return Object.is(one, other)
    if (one instanceof GoInt) return other instanceof GoInt && one.kind === other.kind && one.value === other.value
    if (Array.isArray(one)) return Array.isArray(other) && walkLists(one, other)
    if (one instanceof Dict) return other instanceof Dict && walkDicts(one, other)
    return !(one instanceof GoBytes) && one === other
  }
  const step = (key: PathStep, one: Value, other: Value): boolean => {
    path.push(key)
    const isEqual = walk(one, other)
    path.pop()
    return isEqual
  }
  const walkLists = (one: readonly Value[], other: readonly Value[]): boolean =>
    one.length === other.length &&
    elementType(one) === elementType(other) &&
    one.every((item, index) => step(index, item, other[index] ?? null))
  const walkDicts = (one: Dict, other: Dict): boolean => {
    if (one.size !== other.size || one.goType !== other.goType) return false
    const others = other.entries()
    for (const [key, item] of one) {
      // the order counts too: who reads them may see it
      const [otherKey, otherItem] = others.next().value ?? []
      if (otherKey !== key || otherItem === undefined || !step(key, item, otherItem)) return false
    }
    return true
  }
  return walk(a, b)
}

/** More are not tried. */
const MAX_PARAMETERS = 64

/** Where two values differ, if that is in a few plain words only. */
export function differingWords(a: Dict, b: Dict): readonly (readonly PathStep[])[] | undefined {
  const paths: (readonly PathStep[])[] = []
  const isAlike = walkPairs(a, b, (one, other, path) => {
    if (one === other) return true
    if (!isPlainWord(one) || !isPlainWord(other)) return false
    paths.push([...path])
    return paths.length <= MAX_PARAMETERS
  })
  return isAlike ? paths : undefined
}

/** The values with a parameter at each path, numbered in the order of paths. */
export function withParameters(values: Dict, paths: readonly (readonly PathStep[])[], tokens: TokenTable): Dict {
  const root = createNode<string>()
  for (const [index, path] of paths.entries())
    addLeaf(root, path, tokens.add({ kind: 'parameter', type: 'string', index }))
  return replaceLeaves(values, root, (token) => token)
}

/** The texts of the parameters of a pattern that make it these values; undefined where none do. */
export function matchParameters(pattern: Dict, values: Dict, tokens: TokenTable): readonly string[] | undefined {
  const texts: string[] = []
  const isMatch = walkPairs(pattern, values, (wanted, text) => {
    if (wanted === text) return true
    const spec = wanted.length === 2 ? tokens.get(wanted) : undefined
    if (spec?.kind !== 'parameter' || !isPlainWord(text)) return false
    texts[spec.index] = text
    return true
  })
  return isMatch ? texts : undefined
}

/** A tree of the places in a value that are replaced. */
export interface LeafTree<Leaf> {
  readonly children: Map<PathStep, LeafTree<Leaf>>
  leaf?: Leaf
}

/** Makes a tree without leaves. */
export function createNode<Leaf>(): LeafTree<Leaf> {
  return { children: new Map() }
}

/** Adds a leaf at a path. */
export function addLeaf<Leaf>(root: LeafTree<Leaf>, path: readonly PathStep[], leaf: Leaf): void {
  let node = root
  for (const step of path) {
    const next = node.children.get(step) ?? createNode<Leaf>()
    node.children.set(step, next)
    node = next
  }
  node.leaf = leaf
}

/** The object with other texts at the leaves of a tree; what holds none of them is shared. */
export function replaceLeaves<Leaf>(object: Dict, tree: LeafTree<Leaf>, textOf: (leaf: Leaf) => string): Dict {
  const copyDict = (from: Dict, { children }: LeafTree<Leaf>): Dict => {
    const copy = new Dict(from)
    copy.goType = from.goType
    for (const [step, child] of children)
      if (typeof step === 'string') copy.set(step, copyOf(from.get(step) ?? null, child))
    return copy
  }
  const copyOf = (value: Value, node: LeafTree<Leaf>): Value => {
    if (node.leaf !== undefined) return textOf(node.leaf)
    if (value instanceof Dict) return copyDict(value, node)
    if (!Array.isArray(value)) throw new Error('a leaf where there is none')
    return value.map((item, index) => {
      const child = node.children.get(index)
      return child === undefined ? item : copyOf(item, child)
    })
  }
  return copyDict(object, tree)
}
