import { JsonError, parseGoJson } from '../../codec/go-json.ts'
import { SchemaError } from '../../codec/json-schema-dialect.ts'
import { compileSchema, type SchemaProblem } from '../../codec/json-schema.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Source } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { ChartNode } from './chart-node.ts'

/**
 * Returns all problems that the schemas of a chart and its dependencies (values.schema.json) have with the coalesced values
 * (Helm pkg/chart/common/util, ValidateAgainstSchema).
 */
export function checkSchemas(node: ChartNode, values: Dict): readonly Diagnostic[] {
  const { schema } = node.chart
  const problems = schema === undefined ? [] : checkSchema(node, schema, values)
  for (const child of node.dependencies) {
    const own = values.get(child.name) ?? null
    if (own instanceof Dict) problems.push(...checkSchemas(child, own))
    else if (own !== null) problems.push(problem(child, 'its values must be a map'))
  }
  return problems
}

function checkSchema(node: ChartNode, schema: Source, values: Value): Diagnostic[] {
  try {
    const found = compileSchema(parseGoJson(schema.text)).validate(values)
    return found.map((entry) => problem(node, describe(entry)))
  } catch (error) {
    if (error instanceof SchemaError || error instanceof JsonError)
      return [problem(node, `values.schema.json cannot be used: ${error.message}`)]
    throw error
  }
}

function describe({ path, message }: SchemaProblem): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

function problem(node: ChartNode, message: string): Diagnostic {
  const file = node.chart.schema?.name ?? node.chart.origin
  return { code: 'CHART_VALUES_SCHEMA', severity: 'error', message: `values of ${node.name}: ${message}`, file }
}
