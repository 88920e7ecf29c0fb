import { canonicalText, toPlain } from '../../codec/json/plain-value.ts'
import type { PathStep } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { isInt64 } from './int64.ts'
import type { Alternatives, ListKeys, NodeType, SchemaNode } from './schema-node.ts'

/** Something that an API server refuses about a value. */
export interface SchemaProblem {
  readonly kind: 'unknown-field' | 'wrong-type' | 'missing' | 'not-allowed' | 'duplicate'
  /** Of a field that is missing: where it would be. */
  readonly path: readonly PathStep[]
  /** The allowed values, for people; of an unknown field: a near name that is known, or ''. */
  readonly says: string
  /** Set where the rule looks at a whole map: so many steps of the path lead to it. */
  readonly whole?: number
}

/** An object with more problems than this is of another kind than it says; the first ones show it. */
const MAX_PROBLEMS = 50

/** Objects may be nested as deeply as people write them; a schema that leads back to itself goes along. */
interface Walk {
  readonly path: PathStep[]
  readonly problems: SchemaProblem[]
}

/** All that the schema refuses about the value, in the order of the value. Defaults are taken as given. */
export function validateValue(value: Value, schema: SchemaNode): readonly SchemaProblem[] {
  const walk: Walk = { path: [], problems: [] }
  visit(value, schema, walk)
  return walk.problems
}

function report({ path, problems }: Walk, kind: SchemaProblem['kind'], says: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push({ kind, path: [...path], says })
}

function visit(value: Value, node: SchemaNode, walk: Walk): void {
  if (value === null) {
    if (node.nulls === 'refused') report(walk, 'wrong-type', typeNames[node.type])
    return
  }
  if (!hasType(value, node.type)) {
    report(walk, 'wrong-type', typeNames[node.type])
    return
  }
  const broken = node.rules.find(({ allows }) => !allows(value))
  if (broken !== undefined) report(walk, 'not-allowed', broken.says)
  if (value instanceof Dict) {
    visitFields(value, node, walk)
    if (node.objectRules.length > 0) visitWhole(value, node, walk)
  } else if (Array.isArray(value)) visitItems(value, node, walk)
  for (const alternatives of node.alternatives) visitAlternatives(value, alternatives, walk)
}

function hasType(value: Value, type: NodeType): boolean {
  switch (type) {
    case 'any':
      return true
    case 'object':
      return value instanceof Dict
    case 'array':
      return Array.isArray(value)
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return isInteger(value)
    case 'number':
      return value instanceof GoInt || typeof value === 'number'
    case 'int-or-string':
      return typeof value === 'string' || isInteger(value)
    case 'quantity':
      return typeof value === 'string' || typeof value === 'number' || value instanceof GoInt
  }
}

/**
 * JSON does not tell 1 from 1.0. What is no integer of 64 bits becomes a float on an API server, too, and one that is
 * larger than floats are exact is no integer to it (go-openapi/swag, `IsFloat64AJSONInteger`).
 */
function isInteger(value: Value): boolean {
  return value instanceof GoInt ? isInt64(value.value) : typeof value === 'number' && Number.isSafeInteger(value)
}

/** Types in words. */
export const typeNames: Readonly<Record<NodeType, string>> = {
  any: 'a value',
  object: 'a map',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  'int-or-string': 'an integer or text',
  quantity: 'a quantity such as 500m or 1.5Gi',
}

function visitFields(value: Dict, node: SchemaNode, walk: Walk): void {
  const { path } = walk
  for (const name of node.isResource ? [...node.required, 'apiVersion', 'kind'] : node.required) {
    const found = value.get(name)
    if (found !== undefined && (found !== null || node.properties.get(name)?.nulls !== 'unset')) continue
    path.push(name)
    report(walk, 'missing', '')
    path.pop()
  }
  for (const [name, child] of value) {
    const property = node.properties.get(name) ?? node.additional
    if (property === undefined) {
      if (node.isOpen || (node.isResource && metaFields.has(name))) continue
      path.push(name)
      report(walk, 'unknown-field', nearestName(name, [...node.properties.keys()]) ?? '')
      path.pop()
      continue
    }
    if (child === null && property.nulls === 'unset') continue
    path.push(name)
    visit(child, property, walk)
    path.pop()
  }
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function visitWhole(value: Dict, node: SchemaNode, { path: here, problems }: Walk): void {
  const unread = node.objectRules.flatMap(({ unread }) => unread?.(value) ?? []).map((path) => [...here, ...path])
  if (unread.length > 0) {
    const read = problems.filter(
      ({ kind, path }) => kind !== 'not-allowed' || !unread.some((place) => isBelow(path, place)),
    )
    problems.splice(0, problems.length, ...read)
  }
  for (const { find } of node.objectRules)
    for (const { path, says } of find(value)) {
      if (problems.length >= MAX_PROBLEMS) return
      const place = [...here, ...path]
      // what the schema refuses is said already
      if (problems.some((problem) => isBelow(place, problem.path))) continue
      problems.push({ kind: 'not-allowed', path: place, says, whole: here.length })
    }
}

/** True for a place in what another path leads to, and for that itself. */
function isBelow(place: readonly PathStep[], above: readonly PathStep[]): boolean {
  return above.length <= place.length && above.every((step, index) => step === place[index])
}

function visitItems(value: readonly Value[], { items, listKeys }: SchemaNode, walk: Walk): void {
  const { path } = walk
  if (items !== undefined)
    for (const [index, item] of value.entries()) {
      path.push(index)
      // a field may be null and so not set; an item is then an empty map, which tells it apart from no other
      if (item !== null || items.nulls !== 'unset') visit(item, items, walk)
      else if (listKeys !== undefined) report(walk, 'wrong-type', typeNames[items.type])
      else if (items.type === 'object') visit(new Dict(), items, walk)
      path.pop()
    }
  if (listKeys?.type === 'map') findItemsWithoutKeys(value, { items, listKeys }, walk)
  if (listKeys !== undefined && value.length > 1) findEqualItems(value, listKeys, walk)
}

/** Server-side apply cannot tell an item apart that has none of the keys (`structured-merge-diff`). */
function findItemsWithoutKeys(
  value: readonly Value[],
  { items, listKeys: { keys, fallbacks } }: { readonly items: SchemaNode | undefined; readonly listKeys: ListKeys },
  walk: Walk,
): void {
  const [first] = keys
  if (first === undefined || fallbacks.size > 0) return
  // what the schema requires is said already
  if (keys.some((key) => items?.required.includes(key) === true)) return
  for (const [index, item] of value.entries()) {
    if (!(item instanceof Dict) || keys.some((key) => item.has(key))) continue
    walk.path.push(index, first)
    report(walk, 'missing', '')
    walk.path.length -= 2
  }
}

function findEqualItems(items: readonly Value[], listKeys: ListKeys, walk: Walk): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const key = keyOfItem(item, listKeys)
    if (key === undefined) continue
    if (seen.has(key)) {
      walk.path.push(index)
      report(walk, 'duplicate', listKeys.keys.join(' and '))
      walk.path.pop()
    }
    seen.add(key)
  }
}

/** The key of the item; undefined where it leaves out a part of it. */
function keyOfItem(item: Value, { type, keys, fallbacks }: ListKeys): string | undefined {
  if (type === 'set') return canonicalText(toPlain(item))
  if (!(item instanceof Dict)) return undefined
  const values = keys.map((key) => item.get(key) ?? fallbacks.get(key))
  return values.includes(undefined) ? undefined : canonicalText(values.map((value) => toPlain(value ?? null)))
}

function visitAlternatives(value: Value, { kind, nodes }: Alternatives, walk: Walk): void {
  if (kind === 'allOf') {
    for (const node of nodes) visit(value, node, walk)
    return
  }
  const fitting = nodes.filter((node) => validateValue(value, node).length === 0)
  const isAllowed =
    kind === 'anyOf' ? fitting.length > 0 : kind === 'oneOf' ? fitting.length === 1 : fitting.length === 0
  if (!isAllowed) report(walk, 'not-allowed', alternativeTexts[kind])
}

const alternativeTexts: Readonly<Record<Exclude<Alternatives['kind'], 'allOf'>, string>> = {
  anyOf: 'of one of the forms that the schema lists (anyOf)',
  oneOf: 'of exactly one of the forms that the schema lists (oneOf)',
  not: 'other than what the schema excludes (not)',
}
