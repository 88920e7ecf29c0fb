import { formatGoJson } from '../codec/json/go-json.ts'
import { isQuantityField, quantityOf } from '../codec/text/quantity.ts'
import { maskSecretWords } from '../codec/text/secret-words.ts'
import type { ChangeStep, FieldChange } from '../model/tree-change.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { textAt } from '../model/field.ts'
import { isBuiltIn, keyOf, type ListPlace, ruleOf } from './list-keys.ts'
import { fieldSchema, type FindSchema, itemSchema, listTypeOf } from './list-schemas.ts'
import { groupOf } from './object-kind.ts'

type Path = readonly ChangeStep[]

/**
 * The fields in which two objects differ, in the order of keys. Items of lists are compared by what identifies them;
 * their order is no difference unless it has a meaning: what the definition of a custom kind says of its lists counts.
 * A field with null is as if it were not there, as for the API server; not so in values of charts, from which it takes
 * the default.
 */
export function compareValues(before: Dict, after: Dict, findSchema?: FindSchema): readonly FieldChange[] {
  const changes: FieldChange[] = []
  const [apiVersion, kind] = [textAt(after, 'apiVersion'), textAt(after, 'kind')]
  const scope = { group: groupOf({ apiVersion }), kind }
  compare({ before, after, path: [], scope, changes, schema: findSchema?.(apiVersion, kind) })
  return changes
}

/** The kind of object that is compared. */
type Scope = Pick<ListPlace, 'group' | 'kind'>

interface Compared {
  readonly before: Value | undefined
  readonly after: Value | undefined
  readonly path: Path
  readonly scope: Scope
  readonly changes: FieldChange[]
  /** Of what is compared, as the definition of a custom kind has it. */
  readonly schema: Value | undefined
}

function compare({ before, after, ...place }: Compared): void {
  const { path, scope, changes } = place
  const keepsNull = isBelowValues(path, scope)
  const [old, now] = keepsNull ? [before, after] : [before ?? undefined, after ?? undefined]
  if (old === now) return
  if (old instanceof Dict && now instanceof Dict) compareMaps(old, now, place)
  else if (Array.isArray(old) && Array.isArray(now)) compareLists(old, now, place)
  else if (!isSameScalar(old, now) && !isSameAmount(old, now, place)) changes.push({ path, before: old, after: now })
}

/** True in the values that a custom kind hands to a chart. */
function isBelowValues(path: Path, { group }: Scope): boolean {
  return !isBuiltIn(group) && path.some((step) => typeof step === 'string' && VALUES.has(step))
}

const VALUES: ReadonlySet<string> = new Set(['values', 'valuesObject', 'valuesInline'])

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

/** True for two ways to write one amount of a resource, `1000m` and `1`, where the API knows it for one. */
function isSameAmount(before: Value | undefined, after: Value | undefined, { path, scope }: Place): boolean {
  if (!isBuiltIn(scope.group)) return false
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

type Place = Pick<Compared, 'path' | 'scope' | 'changes' | 'schema'>

function compareMaps(before: Dict, after: Dict, { path, schema, ...place }: Place): void {
  for (const key of [...new Set([...before.keys(), ...after.keys()])].toSorted())
    compare({
      before: before.get(key),
      after: after.get(key),
      path: [...path, key],
      schema: fieldSchema(schema, key),
      ...place,
    })
}

function compareLists(before: readonly Value[], after: readonly Value[], place: Place): void {
  const { path, scope, changes, schema } = place
  const last = path.at(-1)
  const field = typeof last === 'string' ? last : ''
  const rule = ruleOf({ field, isMetadata: path[0] === 'metadata', ...scope }, before, after, listTypeOf(schema))
  if (rule.by === 'keys') {
    const itemsOf = (items: readonly Value[]): ReadonlyMap<string, Value> =>
      new Map(items.map((item) => [keyOf(item, rule.keys, rule.defaults) ?? '', item]))
    const [old, now] = [itemsOf(before), itemsOf(after)]
    const key = rule.keys.join('+')
    for (const value of new Set([...old.keys(), ...now.keys()]))
      compare({
        ...place,
        before: old.get(value),
        after: now.get(value),
        path: [...path, { key, value }],
        schema: itemSchema(schema),
      })
    const isMoved = isReordered(
      [...old.keys()].filter((value) => now.has(value)),
      [...now.keys()].filter((value) => old.has(value)),
    )
    if (rule.hasOrder && isMoved) changes.push(reordered(before, after, path))
    return
  }
  const [removed, added] = leftOver(before, after)
  if (rule.by === 'set') {
    for (const value of removed) changes.push({ path: [...path, memberStep(value)], before: value })
    for (const value of added) changes.push({ path: [...path, memberStep(value)], after: value })
    return
  }
  compareOrdered(removed, added, { ...place, isOf: [before, after] })
  const pairs = Math.min(removed.length, added.length)
  if (isReordered(placesOf(before, after, pairs), placesOf(after, before, pairs)))
    changes.push(reordered(before, after, path))
}

function reordered(before: readonly Value[], after: readonly Value[], path: Path): FieldChange {
  return { path, before: [...before], after: [...after], isReordered: true }
}

/**
 * The items of a list that stay, in its order; of the others, the first ones are paired with those of the other list.
 */
function placesOf(items: readonly Value[], others: readonly Value[], pairs: number): readonly string[] {
  const counts = new Map<string, number>()
  for (const other of others) add(counts, textOf(other), 1)
  let changed = 0
  return items.flatMap((item) => {
    if (add(counts, textOf(item), -1) >= 0) return [textOf(item)]
    return changed < pairs ? [`#${String(changed++)}`] : []
  })
}

/** Items that only one of two lists has, each as often as it has it more than the other. */
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

function isReordered(before: readonly string[], after: readonly string[]): boolean {
  return before.some((item, index) => item !== after[index])
}

/** Scalars go and come; maps and lists that stand for each other are compared with each other. */
function compareOrdered(
  removed: readonly Value[],
  added: readonly Value[],
  {
    path,
    scope,
    changes,
    schema,
    isOf: [before, after],
  }: Place & { readonly isOf: readonly [readonly Value[], readonly Value[]] },
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
    compare({ before: old, after: now, path: [...path, step], scope, changes, schema: itemSchema(schema) })
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
