import { formatGoJson } from '../codec/json/go-json.ts'
import type { TreeObject } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import type { Generalize } from './cluster-variables.ts'

/** Objects of one kind and place on either side, of which more are not compared with each other: as git's limit. */
const MOST = 32
/** Fields of an object that are looked at. */
const FIELDS = 2000
/** An object of fewer fields says too little of what it is. */
const FEWEST = 2

/** How objects are told to be alike. */
interface Similarity {
  /** Objects of different ones are never paired. */
  readonly placeOf: (object: TreeObject) => string
  readonly before: Generalize
  readonly after: Generalize
  /** The share of fields that two must have in common; 1 = all. */
  readonly least: number
}

/** Two objects that are taken for one. */
export type SimilarPair = readonly [before: TreeObject, after: TreeObject]

/** Pairs objects under different names by what they have in common; the most similar first. */
export function pairSimilar(
  olds: readonly TreeObject[],
  nows: readonly TreeObject[],
  { placeOf, before, after, least }: Similarity,
): readonly SimilarPair[] {
  const groups = new Map<string, { readonly olds: TreeObject[]; readonly nows: TreeObject[] }>()
  const placed = (object: TreeObject): { readonly olds: TreeObject[]; readonly nows: TreeObject[] } => {
    const key = placeOf(object)
    const group = groups.get(key) ?? { olds: [], nows: [] }
    groups.set(key, group)
    return group
  }
  for (const object of olds) placed(object).olds.push(object)
  for (const object of nows) placed(object).nows.push(object)
  return [...groups.values()].flatMap((group) =>
    group.olds.length === 0 || group.nows.length === 0 || group.olds.length > MOST || group.nows.length > MOST
      ? []
      : pairGroup(
          group.olds.map((object) => describe(object, before)),
          group.nows.map((object) => describe(object, after)),
          least,
        ),
  )
}

interface Described {
  readonly object: TreeObject
  readonly fields: ReadonlySet<string>
}

function pairGroup(olds: readonly Described[], nows: readonly Described[], least: number): readonly SimilarPair[] {
  const scored = olds
    .flatMap((old) => nows.map((now) => ({ old: old.object, now: now.object, score: similarityOf(old, now) })))
    .filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score || compareNames(a.old, b.old) || compareNames(a.now, b.now))
  const taken = new Set<TreeObject>()
  return scored.flatMap(({ old, now }): readonly SimilarPair[] => {
    if (taken.has(old) || taken.has(now)) return []
    taken.add(old).add(now)
    return [[old, now]]
  })
}

function compareNames(a: TreeObject, b: TreeObject): number {
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1
}

function similarityOf({ fields: a }: Described, { fields: b }: Described): number {
  if (Math.min(a.size, b.size) < FEWEST) return 0
  let common = 0
  for (const field of a) if (b.has(field)) common++
  return (2 * common) / (a.size + b.size)
}

/** Each field with its value, but for what says which object it is; its own name is a variable. */
function describe(object: TreeObject, generalize: Generalize): Described {
  const fields = new Set<string>()
  const todo: (readonly [path: string, value: Value])[] = [...object.object]
    .filter(([key]) => !['apiVersion', 'kind', 'metadata'].includes(key))
    .map(([key, value]) => [key, value])
  for (let next = todo.pop(); next !== undefined && fields.size < FIELDS; next = todo.pop()) {
    const [path, value] = next
    if (value instanceof Dict) for (const [key, child] of value) todo.push([`${path}.${key}`, child])
    else if (Array.isArray(value)) for (const child of value) todo.push([`${path}[]`, child])
    else if (typeof value === 'string') fields.add(`${path} ${generalize(value).replaceAll(object.name, '<name>')}`)
    else fields.add(`${path} ${formatGoJson(value)}`)
  }
  return { object, fields }
}
