import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { SchemaError } from '../../codec/json-schema/json-schema-dialect.ts'
import { compileSchema, type SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PathStep } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { ChartNode } from './chart-node.ts'

/** Where a value of the root chart is written; undefined when no file says it. */
export type LocateValue = (path: readonly PathStep[]) => Span | undefined

interface Place {
  readonly node: ChartNode
  /** Keys of the charts above it, and its own. */
  readonly prefix: readonly string[]
  readonly locate: LocateValue
}

/**
 * Returns all problems that the schemas of a chart and its dependencies (values.schema.json) have with the coalesced
 * values (Helm pkg/chart/common/util, ValidateAgainstSchema).
 */
export function checkSchemas(
  node: ChartNode,
  values: Dict,
  locate: LocateValue = () => undefined,
): readonly Diagnostic[] {
  return checkNode({ node, prefix: [], locate }, values)
}

function checkNode(place: Place, values: Dict): readonly Diagnostic[] {
  const { node, prefix, locate } = place
  const { schema } = node.chart
  const problems = schema === undefined ? [] : checkSchema(place, schema, values)
  for (const child of node.dependencies) {
    const own = values.get(child.name) ?? null
    const below = { node: child, prefix: [...prefix, child.name], locate }
    if (own instanceof Dict) problems.push(...checkNode(below, own))
    else if (own !== null) problems.push(problem(below, 'its values must be a map'))
  }
  return problems
}

function checkSchema(place: Place, schema: Source, values: Value): Diagnostic[] {
  try {
    const found = compileSchema(parseGoJson(schema.text)).validate(values)
    return found.map((entry) => problem(place, describe(entry), placeOf(entry)))
  } catch (error) {
    if (error instanceof SchemaError || error instanceof JsonError)
      return [schemaProblem(place, `values.schema.json cannot be used: ${error.message}`)]
    throw error
  }
}

function describe({ path, message }: SchemaProblem): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

/** The key that is one too many, else the value. */
function placeOf({ path, keyword, property }: SchemaProblem): readonly PathStep[] {
  return keyword === 'additionalProperties' && property !== undefined ? [...path, property] : path
}

function problem(place: Place, message: string, path: readonly PathStep[] = []): Diagnostic {
  const { node, prefix, locate } = place
  const at = locate([...prefix, ...path])
  if (at === undefined) return schemaProblem(place, message)
  const { schema } = node.chart
  const trace = schema && [{ what: 'the schema', at: { source: schema, start: 0, end: 0 } }]
  return {
    code: 'CHART_VALUES_SCHEMA',
    severity: 'error',
    message: `values of ${node.name}: ${message}`,
    at,
    ...(trace !== undefined && { trace }),
  }
}

function schemaProblem({ node }: Place, message: string): Diagnostic {
  const file = node.chart.schema?.name ?? node.chart.origin
  return { code: 'CHART_VALUES_SCHEMA', severity: 'error', message: `values of ${node.name}: ${message}`, file }
}
