import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatGoJson, parseGoJson } from '../../../src/codec/json/go-json.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { Dict, type Value } from '../../../src/model/value.ts'
import type { ChartNode } from '../../../src/render/chart/chart-node.ts'
import { coalesceValues, createCopyBudget, type HelmVersion } from '../../../src/render/chart/coalesce.ts'
import { mergeValues } from '../../../src/render/chart/merge-values.ts'
import { processDependencies } from '../../../src/render/chart/process-dependencies.ts'
import { parseChartMetadata } from '../../../src/sources/chart/chart-metadata.ts'

interface ChartRow {
  readonly meta: unknown
  readonly values: unknown
  readonly deps: readonly ChartRow[]
}

interface Row {
  readonly chart: ChartRow
  readonly user: unknown
  readonly helm4: unknown
  readonly helm3: unknown
}

function toDict(json: unknown): Dict {
  const value: Value = parseGoJson(JSON.stringify(json))
  if (!(value instanceof Dict)) throw new TypeError('not a map')
  return value
}

function toChart({ meta, values, deps }: ChartRow): Chart {
  return {
    metadata: parseChartMetadata({ name: 'Chart.yaml', text: JSON.stringify(meta) }),
    origin: 'chart',
    values: toDict(values),
    templates: [],
    crds: [],
    files: [],
    dependencies: deps.map(toChart),
  }
}

function namesOf(node: ChartNode): unknown {
  return node.dependencies.map((child) => [child.name, namesOf(child)])
}

function outcome(row: Row, helmVersion: HelmVersion): unknown {
  const chart = toChart(row.chart)
  const user = toDict(row.user)
  const before = [formatGoJson(user), formatGoJson(chart.values)]
  try {
    const budget = createCopyBudget()
    const root = processDependencies(chart, user, { helmVersion, budget })
    const values = coalesceValues(root, user, { nulls: 'coalesce', helmVersion, budget })
    expect([formatGoJson(user), formatGoJson(chart.values)]).toEqual(before)
    return { values: JSON.parse(formatGoJson(values)), tree: namesOf(root) }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return { error: subjectOf(error.message) }
  }
}

/** Helm goes on with the value, we with its type. */
function subjectOf(message: string): string {
  return message.replace(/^(type mismatch on [^:]+): .*$/s, '$1')
}

function unquoted(want: unknown): unknown {
  if (typeof want !== 'object' || want === null || !('error' in want)) return want
  return typeof want.error === 'string' ? { error: subjectOf(want.error) } : want
}

// Random charts with aliases, conditions, tags, import-values, globals and nulls; what Helm's own packages (4.1.4,
// 3.19.0) make of them.
const rows: readonly Row[] = readFileSync(new URL('./coalesce.rows.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

describe('dependencies and values become what Helm makes of them', () => {
  test.each(rows.map((row, index) => [index + 1, row] as const))('row %i', (_, row) => {
    expect(outcome(row, 4)).toEqual(unquoted(row.helm4))
    expect(outcome(row, 3)).toEqual(unquoted(row.helm3 === 'same' ? row.helm4 : row.helm3))
  })
})

test('globals that multiply over many dependencies are refused', () => {
  const values = toDict({
    global: { many: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [index, 1])) },
  })
  const deps = Array.from({ length: 1000 }, (_, index) => ({
    meta: { name: `d${index}`, version: '1.0.0' },
    values: {},
    deps: [],
  }))
  const chart = toChart({ meta: { name: 'root', version: '1.0.0' }, values: {}, deps })
  const options = { helmVersion: 4, budget: createCopyBudget() } as const
  const root = processDependencies(chart, values, options)
  expect(() => coalesceValues(root, values, { ...options, nulls: 'coalesce' })).toThrow(
    'the values of the chart and its dependencies multiply to more than 10000000 entries',
  )
})

describe('mergeValues', () => {
  const table = [
    { name: 'maps merge', base: { a: { b: 1 } }, over: { a: { c: 2 } }, want: { a: { b: 1, c: 2 } } },
    { name: 'lists are replaced', base: { a: [1, 2] }, over: { a: [3] }, want: { a: [3] } },
    { name: 'null stays', base: { a: { b: 1 } }, over: { a: { b: null } }, want: { a: { b: null } } },
    { name: 'a scalar replaces a map', base: { a: { b: 1 } }, over: { a: 'x' }, want: { a: 'x' } },
    { name: 'a map replaces a scalar', base: { a: 'x' }, over: { a: { b: 1 } }, want: { a: { b: 1 } } },
  ]
  test.each(table)('$name', ({ base, over, want }) => {
    const below = toDict(base)
    expect(JSON.parse(formatGoJson(mergeValues(below, toDict(over))))).toEqual(want)
    expect(JSON.parse(formatGoJson(below))).toEqual(base)
  })
})
