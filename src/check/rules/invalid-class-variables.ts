import { SchemaError } from '../../codec/json-schema/json-schema-dialect.ts'
import { type CompiledSchema, compileSchema, type SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import { placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import type { Value } from '../../model/value.ts'
import { classOf } from '../class-of.ts'
import { type Rule, unitRule } from '../rule.ts'
import { definedVariables, givenVariables } from '../topology-variables.ts'
import { toJsonSchema } from '../variable-schema.ts'

/** Texts that are something else without quotes. */
const UNQUOTED = /^(?:[-+]?\d+(?:\.\d+)?|true|false|null)$/

/** Values of class variables that the class's schema does not allow. */
export const invalidClassVariables: Rule = unitRule(
  {
    code: 'CLASS_VARIABLE_INVALID',
    severity: 'error',
    explanation: [
      'Cluster API validates each value against the `openAPIV3Schema` of the variable and refuses the Cluster: types, enums, patterns, ranges, lengths, required and unknown fields are checked the same way here, for the whole Cluster and for overrides.',
      'Formats and CEL rules (`x-kubernetes-validations`) of variables are left to the cluster.',
    ],
  },
  (unit) => {
    const found = classOf(unit)
    if (found === undefined) return []
    const { manifest, clusterClass } = found
    const schemas = new Map(definedVariables(clusterClass).map(({ name, schema }) => [name, schema]))
    return givenVariables(manifest.object).flatMap(({ name, value, path }) => {
      const schema = schemas.get(name)
      if (schema === undefined || value === undefined) return []
      return (
        compiled(toJsonSchema(schema))
          ?.validate(value)
          .map((problem) => ({
            message: `variable ${shownKey(name)}${shownPath(problem.path)}: ${problem.message}`,
            ...placeIn(manifest, ...path, 'value', ...placeOf(problem)),
            hint: hintFor(problem, fieldAt(value, ...problem.path)),
          })) ?? []
      )
    })
  },
)

/** Undefined for a schema that cannot be used: Cluster API refuses such a class. */
function compiled(schema: ReturnType<typeof toJsonSchema>): CompiledSchema | undefined {
  try {
    return compileSchema(schema, { draft: 'draft-04' })
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}

function shownPath(path: readonly PathStep[]): string {
  return path.length === 0 ? '' : `, ${path.join('.')}`
}

/** The key that is one too many, else the value. */
function placeOf({ path, keyword, property }: SchemaProblem): readonly PathStep[] {
  return keyword === 'additionalProperties' && property !== undefined ? [...path, property] : path
}

function hintFor({ keyword, property, allowed = [], expected, got }: SchemaProblem, value: Value | undefined): string {
  if (keyword === 'additionalProperties' && property !== undefined) {
    const near = nearestName(property, allowed)
    if (near !== undefined) return `Did you mean ${near}?`
    return allowed.length === 0 ? 'Remove it.' : `Its fields are: ${allowed.join(', ')}.`
  }
  if (keyword === 'enum') return `Write one of: ${allowed.join(', ')}.`
  if (keyword === 'required' && property !== undefined) return `Add ${property}.`
  if (expected !== undefined && got === 'string' && !expected.includes('string'))
    return typeof value === 'string' && UNQUOTED.test(value)
      ? 'Write it without quotes.'
      : `Write a value of type ${expected.join(' or ')}.`
  if (expected?.includes('string') === true && (got === 'number' || got === 'boolean')) return 'Put it in quotes.'
  return 'Write a value that the class allows.'
}
