import type { ChartDependency } from '../../model/chart.ts'
import { Dict, type Value } from '../../model/value.ts'
import { checkConstraint } from '../../codec/semver/semver-constraint.ts'
import { SemverError } from '../../codec/semver/semver-version.ts'
import { createChartNode, type ChartNode } from './chart-node.ts'
import type { Chart } from '../../model/chart.ts'
import { coalesceTables, coalesceValues, copyTree, type CoalesceOptions } from './coalesce.ts'
import { findTable, pathValue } from './values-path.ts'

/** The options for processing dependencies besides chart and values. */
export type DependencyOptions = Omit<CoalesceOptions, 'nulls'>

/**
 * Returns the tree of charts that takes part in a render (Helm pkg/chart/v2/util, ProcessDependencies): dependencies
 * matched to their declarations and renamed by alias, those switched off by tags or conditions removed, `import-values`
 * merged into the parents' defaults.
 * @throws StackmasonError CHART_VALUES_INVALID
 */
export function processDependencies(chart: Chart, values: Dict, options: DependencyOptions): ChartNode {
  return importValues(removeDisabled(createChartNode(chart), values, { ...options, path: '' }), options)
}

interface Walk extends DependencyOptions {
  /** Keys that lead from the root's values to this chart's, each with a dot behind it. */
  readonly path: string
}

function removeDisabled(node: ChartNode, values: Dict, walk: Walk): ChartNode {
  // Helm looks no deeper where nothing is declared.
  if (node.declared.length === 0 && !node.chart.metadata.raw.has('dependencies')) return node
  const declared = node.declared.map((entry) => ({
    ...entry,
    name: entry.alias === '' ? entry.name : entry.alias,
    enabled: true,
  }))
  const all: ChartNode = { ...node, declared, dependencies: matchDependencies(node) }
  const coalesced = coalesceValues(all, values, { ...walk, nulls: 'coalesce' })
  const disabled = new Set(declared.filter((entry) => !isEnabled(entry, coalesced, walk.path)).map(({ name }) => name))
  return {
    ...all,
    declared: declared.filter(({ name }) => !disabled.has(name)),
    dependencies: all.dependencies
      .filter(({ name }) => !disabled.has(name))
      .map((child) => removeDisabled(child, coalesced, { ...walk, path: `${walk.path}${child.name}.` })),
  }
}

/** Charts that no declaration matches first, then one chart for each declaration that has one, renamed by its alias. */
function matchDependencies(node: ChartNode): readonly ChartNode[] {
  const matches = (entry: ChartDependency, child: ChartNode): boolean =>
    child.name === entry.name && isCompatible(entry.version, child.chart.metadata.version)
  const undeclared = node.dependencies.filter((child) => !node.declared.some((entry) => matches(entry, child)))
  const matched = node.declared.flatMap((entry) => {
    const found = node.dependencies.find((child) => matches(entry, child))
    if (found === undefined) return []
    return [entry.alias === '' ? found : { ...found, name: entry.alias }]
  })
  return [...undeclared, ...matched]
}

/**
 * True if the version lies in the range; text that is no range or no version never does (chartutil.IsCompatibleRange).
 */
export function isCompatible(range: string, version: string): boolean {
  try {
    return checkConstraint(range, version)
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
}

function isEnabled(entry: ChartDependency, values: Dict, path: string): boolean {
  for (const condition of entry.condition.trim().split(',')) {
    const value = condition === '' ? undefined : pathValue(values, path + condition)
    if (typeof value === 'boolean') return value
  }
  const tags = values.get('tags')
  if (!(tags instanceof Dict)) return true
  const set = entry.tags.map((tag) => tags.get(tag)).filter((tag) => typeof tag === 'boolean')
  return set.length === 0 || set.includes(true)
}

/** Children first, so that a value can travel up several levels. */
function importValues(node: ChartNode, options: DependencyOptions): ChartNode {
  const dependencies = node.dependencies.map((child) => importValues(child, options))
  const imported: ChartNode = { ...node, dependencies }
  if (node.declared.length === 0) return imported
  const merging: CoalesceOptions = { ...options, nulls: 'merge' }
  const merged = coalesceValues(imported, new Dict(), merging)
  const gathered = new Dict()
  for (const entry of node.declared) {
    for (const item of entry.importValues) {
      const { child, parent } = typeof item === 'string' ? { child: `exports.${item}`, parent: '.' } : item
      const table = findTable(merged, `${entry.name}.${child}`)
      if (table !== undefined)
        coalesceTables(gathered, parent === '.' ? table : nest(parent.split('.'), table), merging)
    }
  }
  // What was gathered shares maps with `merged`: the copy comes last, as in Helm.
  const values = copyTree(merged, options.budget)
  coalesceTables(values, copyTree(gathered, options.budget), merging)
  return { ...imported, values }
}

function nest(path: readonly string[], value: Value): Dict {
  let result = value
  for (const key of path.toReversed()) {
    const map = new Dict()
    map.set(key, result)
    result = map
  }
  return result instanceof Dict ? result : new Dict()
}
