import { formatGoJson } from '../codec/json/go-json.ts'
import { isQuantityField, quantityOf } from '../codec/text/quantity.ts'
import { maskSecretWords } from '../codec/text/secret-words.ts'
import type { ChangeStep, FieldChange } from '../model/tree-change.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { keyOf, ruleOf } from './list-keys.ts'

type Path = readonly ChangeStep[]

/**
 * The fields in which two values differ, in the order of keys. Items of lists are compared by what identifies them;
 * their order is no difference unless it has a meaning. A field with null is as if it were not there, as for the API
 * server.
 */
export function compareValues(before: Value, after: Value): readonly FieldChange[] {
  const changes: FieldChange[] = []
  compare({ before, after, path: [], changes })
  return changes
}

interface Compared {
  readonly before: Value | undefined
  readonly after: Value | undefined
  readonly path: Path
  readonly changes: FieldChange[]
}

function compare({ before, after, path, changes }: Compared): void {
  const [old, now] = [before ?? undefined, after ?? undefined]
  if (old === now) return
  if (old instanceof Dict && now instanceof Dict) compareMaps(old, now, { path, changes })
  else if (Array.isArray(old) && Array.isArray(now)) compareLists(old, now, { path, changes })
  else if (!isSameScalar(old, now) && !isSameAmount(old, now, path))
    changes.push({ path, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) })
}

function isSameScalar(before: Value | undefined, after: Value | undefined): boolean {
  if (before instanceof GoInt && after instanceof GoInt) return before.value === after.value
  if (before instanceof GoInt && typeof after === 'number') return Number(before.value) === after
  if (after instanceof GoInt && typeof before === 'number') return Number(after.value) === before
  return before === after
}

/** Fields below which texts mean what they say, whatever they are called. */
const FREE: ReadonlySet<ChangeStep> = new Set([
  'data',
  'stringData',
  'binaryData',
  'metadata',
  'env',
  'openAPIV3Schema',
])

/** True for two ways to write one amount of a resource: `1000m` and `1`. */
function isSameAmount(before: Value | undefined, after: Value | undefined, path: Path): boolean {
  if (!path.some((step) => typeof step === 'string' && isQuantityField(step))) return false
  if (path.some((step) => FREE.has(step))) return false
  const amount = (value: Value | undefined): bigint | undefined => {
    if (typeof value === 'string') return quantityOf(value)
    if (value instanceof GoInt || typeof value === 'number')
      return quantityOf(String(value instanceof GoInt ? value.value : value))
    return undefined
  }
  const old = amount(before)
  return old !== undefined && old === amount(after)
}

type Place = Pick<Compared, 'path' | 'changes'>

function compareMaps(before: Dict, after: Dict, { path, changes }: Place): void {
  for (const key of [...new Set([...before.keys(), ...after.keys()])].toSorted())
    compare({ before: before.get(key), after: after.get(key), path: [...path, key], changes })
}

function compareLists(before: readonly Value[], after: readonly Value[], { path, changes }: Place): void {
  const last = path.at(-1)
  const rule = ruleOf(typeof last === 'string' ? last : '', before, after)
  if (rule.by === 'keys') {
    const itemsOf = (items: readonly Value[]): ReadonlyMap<string, Value> =>
      new Map(items.map((item) => [keyOf(item, rule.keys) ?? '', item]))
    const [old, now] = [itemsOf(before), itemsOf(after)]
    const key = rule.keys.join('+')
    for (const value of new Set([...old.keys(), ...now.keys()]))
      compare({ before: old.get(value), after: now.get(value), path: [...path, { key, value }], changes })
    return
  }
  const [removed, added] = leftOver(before, after)
  if (rule.by === 'set') {
    for (const value of removed) changes.push({ path: [...path, memberStep(value)], before: value })
    for (const value of added) changes.push({ path: [...path, memberStep(value)], after: value })
    return
  }
  if (removed.length > 0 || added.length > 0) compareOrdered(removed, added, { path, changes, isOf: [before, after] })
  else if (isReordered(before, after)) changes.push({ path, before: [...before], after: [...after], isReordered: true })
}

/** What only one of two lists has, each as often as it has it more than the other. */
function leftOver(before: readonly Value[], after: readonly Value[]): readonly [readonly Value[], readonly Value[]] {
  const counts = new Map<string, number>()
  for (const item of after) add(counts, textOf(item), 1)
  const removed = before.filter((item) => add(counts, textOf(item), -1) < 0)
  counts.clear()
  for (const item of before) add(counts, textOf(item), 1)
  const added = after.filter((item) => add(counts, textOf(item), -1) < 0)
  return [removed, added]
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): number {
  const count = (counts.get(key) ?? 0) + by
  counts.set(key, count)
  return count
}

function isReordered(before: readonly Value[], after: readonly Value[]): boolean {
  return before.some((item, index) => textOf(item) !== textOf(after[index] ?? null))
}

/** Scalars go and come; maps and lists that stand for each other are compared with each other. */
function compareOrdered(
  removed: readonly Value[],
  added: readonly Value[],
  { path, changes, isOf: [before, after] }: Place & { readonly isOf: readonly [readonly Value[], readonly Value[]] },
): void {
  const isScalar = (value: Value): boolean => !(value instanceof Dict) && !Array.isArray(value)
  const places = placesIn(removed.length > 0 && added.length === 0 ? before : after)
  if ([...removed, ...added].every(isScalar)) {
    // a word of a command may be secret for what stands before it
    const masks = secretWordsIn([before, after])
    for (const value of removed) changes.push(changeOfMember(path, 'before', masked(value, masks)))
    for (const value of added) changes.push(changeOfMember(path, 'after', masked(value, masks)))
    return
  }
  for (let at = 0; at < Math.max(removed.length, added.length); at++) {
    const [old, now] = [removed[at], added[at]]
    const step = places(now ?? old ?? null)
    compare({ before: old, after: now, path: [...path, step], changes })
  }
}

/** Words that hold a secret for what stands before them, as they may be shown. */
function secretWordsIn(lists: readonly (readonly Value[])[]): ReadonlyMap<Value, string> {
  const masks = new Map<Value, string>()
  for (const items of lists)
    for (const [index, shown] of maskSecretWords(
      items.map((item) => (typeof item === 'string' ? item : '')),
    ).entries()) {
      const item = items[index]
      if (typeof item === 'string' && shown !== item) masks.set(item, shown)
    }
  return masks
}

function masked(value: Value, masks: ReadonlyMap<Value, string>): Pick<FieldChange, 'isHidden'> & { value: Value } {
  const shown = masks.get(value)
  return shown === undefined ? { value } : { value: shown, isHidden: true }
}

function changeOfMember(
  path: Path,
  side: 'before' | 'after',
  { value, ...mark }: ReturnType<typeof masked>,
): FieldChange {
  const step = [...path, memberStep(value)]
  return side === 'before' ? { path: step, before: value, ...mark } : { path: step, after: value, ...mark }
}

/** Finds the place of each item of a list, of equal ones one after the other. */
function placesIn(items: readonly Value[]): (item: Value) => number {
  const places = new Map<Value, number>()
  for (const [index, item] of items.entries()) if (!places.has(item)) places.set(item, index)
  return (item) => places.get(item) ?? 0
}

function memberStep(value: Value): ChangeStep {
  return { key: '', value: typeof value === 'string' ? value : textOf(value) }
}

function textOf(value: Value): string {
  return formatGoJson(value, { escapeHtml: false })
}
