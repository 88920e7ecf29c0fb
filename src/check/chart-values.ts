import { JsonError, parseGoJson } from '../codec/json/go-json.ts'
import { fieldAt, itemsAt } from '../model/field.ts'
import type { Chart } from '../model/chart.ts'
import { Dict, type Value } from '../model/value.ts'

/** A chart's knowledge of a place in its values. */
export type KnownValues =
  /** The keys that it knows; anything else is unknown. */
  | { readonly kind: 'map'; readonly keys: ReadonlyMap<string, readonly View[]> }
  /** It takes anything, or says nothing. */
  | { readonly kind: 'open' }

/** One description of a place: a default value, a schema, or the root of a chart's values. */
type View =
  | { readonly of: 'default'; readonly value: Value }
  | { readonly of: 'schema'; readonly schema: Value; readonly root: Value }
  | { readonly of: 'chart'; readonly chart: Chart; readonly isRoot: boolean }

/** Where the values of a chart begin. */
export function rootValues(chart: Chart): KnownValues {
  return placeOf([{ of: 'chart', chart, isRoot: true }])
}

/** The knowledge of a key of a map; open where the map is, undefined for a key that it does not know. */
export function valuesBelow(place: KnownValues, key: string): KnownValues | undefined {
  if (place.kind === 'open') return place
  const views = place.keys.get(key)
  return views && placeOf(views)
}

/** The charts whose values a path leads through: the chart, then that below it whose key the path begins with. */
export function chartsOn(chart: Chart, path: readonly string[]): readonly Chart[] {
  const [key, ...rest] = path
  const declared = chart.metadata.dependencies.find(({ name, alias }) => (alias === '' ? name : alias) === key)
  const below = chart.dependencies.find(({ metadata }) => metadata.name === (declared?.name ?? key))
  return key === undefined || below === undefined ? [chart] : [chart, ...chartsOn(below, rest)]
}

const OPEN: KnownValues = { kind: 'open' }

function placeOf(views: readonly View[]): KnownValues {
  const keys = new Map<string, View[]>()
  const add = (key: string, ...more: readonly View[]): void => {
    keys.set(key, [...(keys.get(key) ?? []), ...more])
  }
  // what a chart says of itself stands beside an empty default of the chart above
  const isChart = views.some(({ of }) => of === 'chart')
  for (const view of views) if (!describe(view, add) && !(isChart && view.of === 'default')) return OPEN
  return { kind: 'map', keys }
}

/** Adds the keys that a view knows; false where it takes any. */
function describe(view: View, add: (key: string, ...views: readonly View[]) => void): boolean {
  if (view.of === 'chart') return describeChart(view, add)
  if (view.of === 'schema') return describeSchema(view, add)
  const { value } = view
  // a default that is no map, or an empty one, says nothing of what it may hold
  if (!(value instanceof Dict) || value.size === 0) return false
  for (const [key, child] of value) add(key, { of: 'default', value: child })
  return true
}

function describeChart(
  { chart, isRoot }: Extract<View, { of: 'chart' }>,
  add: (key: string, ...views: readonly View[]) => void,
): boolean {
  const open: View = { of: 'default', value: null }
  for (const [key, value] of chart.values) add(key, { of: 'default', value })
  add('global', open)
  if (isRoot) add('tags', open)
  for (const { name, alias, condition, importValues } of chart.metadata.dependencies) {
    const below = chart.dependencies.find(({ metadata }) => metadata.name === name)
    add(alias === '' ? name : alias, below === undefined ? open : { of: 'chart', chart: below, isRoot: false })
    for (const path of condition.split(',')) addPath(path.trim().split('.'), add)
    for (const entry of importValues) {
      // what is imported by a name lands anywhere
      if (typeof entry === 'string' || entry.parent === '.') return false
      addPath(entry.parent.split('.').slice(0, 1), add)
    }
  }
  const declared = new Set(chart.metadata.dependencies.map(({ name }) => name))
  for (const below of chart.dependencies)
    if (!declared.has(below.metadata.name)) add(below.metadata.name, { of: 'chart', chart: below, isRoot: false })
  const schema = schemaOf(chart)
  return schema === undefined || describeSchema({ of: 'schema', schema, root: schema }, add)
}

/** A path that Helm itself reads. */
function addPath(path: readonly string[], add: (key: string, ...views: readonly View[]) => void): void {
  const [first = '', ...rest] = path
  if (first === '') return
  const value = rest.reduceRight<Value>((inner, key) => new Dict([[key, inner]]), null)
  add(first, { of: 'default', value })
}

/** Undefined where there is none that can be read: rendering speaks of that. */
function schemaOf({ schema }: Chart): Value | undefined {
  if (schema === undefined) return undefined
  try {
    return parseGoJson(schema.text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** References and branches are followed this far. */
const MAX_DEPTH = 16

function describeSchema(
  { schema, root }: Extract<View, { of: 'schema' }>,
  add: (key: string, ...views: readonly View[]) => void,
): boolean {
  let isOpen = false
  const walk = (part: Value | undefined, depth: number): void => {
    if (!(part instanceof Dict) || isOpen) return
    const reference = part.get('$ref')
    if (depth > MAX_DEPTH || (typeof reference === 'string' && !reference.startsWith('#/'))) {
      isOpen = true
      return
    }
    if (typeof reference === 'string') walk(fieldAt(root, ...reference.slice(2).split('/')), depth + 1)
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      for (const branch of itemsAt(part, keyword)) walk(branch, depth + 1)
    for (const keyword of ['if', 'then', 'else']) walk(part.get(keyword), depth + 1)
    const additional = part.get('additionalProperties')
    // an author who writes it means it; without it nothing is said
    if (additional === true || additional instanceof Dict || part.has('patternProperties')) isOpen = true
    const properties = part.get('properties')
    if (properties instanceof Dict)
      for (const [key, child] of properties) add(key, { of: 'schema', schema: child, root })
  }
  walk(schema, 0)
  return !isOpen
}
