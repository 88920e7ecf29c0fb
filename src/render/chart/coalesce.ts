import { StackmasonError } from '../../model/diagnostic.ts'
import { Dict, goTypeOf, type Value } from '../../model/value.ts'
import type { ChartNode } from './chart-node.ts'

/** The two Helm generations that differ in what a null in default values does. */
export type HelmVersion = 3 | 4

/**
 * How nulls are treated: `coalesce` lets a null remove the default below it, `merge` keeps it for a later coalescing
 * (Helm's CoalesceValues and MergeValues).
 */
export interface CoalesceOptions {
  readonly nulls: 'coalesce' | 'merge'
  readonly helmVersion: HelmVersion
  readonly budget: CopyBudget
}

/**
 * How many entries of maps and lists may still be copied: globals are copied for every dependency, so small charts
 * could ask for any amount.
 */
export interface CopyBudget {
  left: number
}

/** Thousands of times what real charts need. */
const MAX_COPIES = 10_000_000

/** Makes the budget of one render. */
export function createCopyBudget(): CopyBudget {
  return { left: MAX_COPIES }
}

function spend(budget: CopyBudget, count: number): void {
  budget.left -= count
  if (budget.left >= 0) return
  const message = `the values of the chart and its dependencies multiply to more than ${MAX_COPIES} entries`
  throw new StackmasonError({ code: 'CHART_VALUES_INVALID', severity: 'error', message })
}

/** The key whose map is handed down to every dependency. */
const GLOBAL = 'global'

/**
 * Returns the values of a chart and, below their names, of its dependencies: `values` over the parent's defaults over
 * the chart's own, globals handed down (Helm pkg/chart/common/util, coalesce.go). Changes neither `values` nor the
 * chart's defaults.
 * @throws StackmasonError CHART_VALUES_INVALID when a dependency's name holds something that is not a map
 */
export function coalesceValues(node: ChartNode, values: Dict, options: CoalesceOptions): Dict {
  const result = copyTree(values, options.budget)
  coalesceChart(node, result, options)
  return result
}

/** A deep copy of maps and lists. @throws StackmasonError CHART_VALUES_INVALID when the budget is spent */
export function copyTree(source: Dict, budget: CopyBudget): Dict {
  spend(budget, source.size)
  const copy = new Dict()
  for (const [key, value] of source) copy.set(key, copyValue(value, budget))
  return copy
}

function copyValue(value: Value, budget: CopyBudget): Value {
  if (value instanceof Dict) return copyTree(value, budget)
  if (!Array.isArray(value)) return value
  spend(budget, value.length)
  return value.map((item) => copyValue(item, budget))
}

/** Fills `target` in place. */
function coalesceChart(node: ChartNode, target: Dict, options: CoalesceOptions): void {
  addDefaults(node, target, options)
  for (const dependency of node.dependencies) {
    const { name } = dependency
    const own = target.has(name) ? target.get(name) : new Dict()
    if (!(own instanceof Dict)) throw typeMismatch(node, name, own ?? null)
    target.set(name, own)
    handDownGlobals(own, target, options)
    coalesceChart(dependency, own, options)
  }
}

function typeMismatch(node: ChartNode, name: string, value: Value): StackmasonError {
  return new StackmasonError({
    code: 'CHART_VALUES_INVALID',
    severity: 'error',
    // Helm prints the value behind it
    message: `type mismatch on ${name}: ${goTypeOf(value)}`,
    file: node.chart.origin,
    hint: `${name} is a dependency of ${node.name}: its values must be a map.`,
  })
}

function addDefaults(node: ChartNode, target: Dict, options: CoalesceOptions): void {
  for (const [key, value] of copyTree(node.values, options.budget)) {
    const above = target.get(key)
    if (above === undefined) target.set(key, value)
    else if (above === null) {
      if (options.nulls === 'coalesce') target.delete(key)
    } else if (above instanceof Dict && value instanceof Dict) {
      const isDependency = node.dependencies.some(({ name }) => name === key)
      // Nulls meant for a dependency are still needed when its own defaults are added.
      coalesceTables(above, value, isDependency ? { ...options, nulls: 'merge' } : options)
    }
  }
}

/**
 * Fills `target` with what only `source` has, in place and deep. `source` may be changed too, and shares maps with
 * `target` afterwards, as in Helm's coalesceTablesFullKey.
 */
export function coalesceTables(target: Dict, source: Dict, options: CoalesceOptions): void {
  const wasSet = new Set<string>()
  if (options.helmVersion === 4) {
    for (const [key, value] of source) if (value !== null) wasSet.add(key)
    for (const [key, value] of target) if (value === null) source.set(key, null)
  }
  const removesNull = (key: string): boolean =>
    options.nulls === 'coalesce' && (options.helmVersion === 3 || wasSet.has(key))
  for (const [key, value] of source) {
    const above = target.get(key)
    if (above === undefined) target.set(key, value)
    else if (above === null) {
      if (removesNull(key)) target.delete(key)
    } else if (above instanceof Dict && value instanceof Dict) coalesceTables(above, value, options)
  }
}

/**
 * The parent's globals win over the dependency's. The first level of each global map is copied, what lies below is
 * shared.
 */
function handDownGlobals(target: Dict, source: Dict, options: CoalesceOptions): void {
  const own = target.has(GLOBAL) ? target.get(GLOBAL) : new Dict()
  const given = source.has(GLOBAL) ? source.get(GLOBAL) : new Dict()
  if (!(own instanceof Dict) || !(given instanceof Dict)) return
  for (const [key, value] of given) {
    const below = own.get(key)
    if (!(value instanceof Dict)) {
      if (!(below instanceof Dict)) own.set(key, value)
      continue
    }
    if (below !== undefined && !(below instanceof Dict)) continue
    spend(options.budget, value.size)
    const copy = new Dict(value)
    // Always merging: what nulls remove is decided when the dependency itself is coalesced.
    if (below !== undefined) coalesceTables(copy, below, { ...options, nulls: 'merge' })
    own.set(key, copy)
  }
  target.set(GLOBAL, own)
}
