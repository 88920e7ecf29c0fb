import type { SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import { toPlain } from '../../codec/json/plain-value.ts'
import { fieldAt, formatPointer, type PathStep } from '../../model/field.ts'
import { type LocatedToken, type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import { definedVariables, givenVariables } from '../../model/topology-variables.ts'
import type { Dict, Value } from '../../model/value.ts'
import { validateRules } from '../cel/validate-rules.ts'
import { classOf } from '../class-of.ts'
import { type Rule, type RuleFinding, type Severity, unitRule } from '../rule.ts'
import { applyDefaults } from '../schema/apply-defaults.ts'
import { readSchema } from '../schema/read-schema.ts'
import type { SchemaNode } from '../schema/schema-node.ts'
import { validateValue } from '../schema/validate-value.ts'
import { variableProblems } from '../variable-problems.ts'

/** Texts that are something else without quotes. */
const UNQUOTED = /^(?:[-+]?\d+(?:\.\d+)?|true|false|null)$/

/** Values of class variables that the class's schema does not allow. */
export const invalidClassVariables: Rule = unitRule(
  {
    code: 'CLASS_VARIABLE_INVALID',
    severity: 'error',
    explanation: [
      'Cluster API validates each value against the `openAPIV3Schema` of the variable and refuses the Cluster: types, enums, patterns, ranges, lengths, required and unknown fields are checked the same way here, for the whole Cluster and for overrides.',
      'Formats and rules in CEL (`x-kubernetes-validations`) are asked of values that are right otherwise, after defaults. Rules that compare with the value before (`oldSelf`) are left to the cluster; one that cannot be evaluated is a note.',
    ],
  },
  (unit) => {
    const found = classOf(unit)
    if (found === undefined) return []
    const { manifest, clusterClass } = found
    const schemas = new Map(definedVariables(clusterClass).map(({ name, schema }) => [name, schema]))
    return givenVariables(manifest.object).flatMap(({ name, value, path }): readonly RuleFinding[] => {
      const schema = schemas.get(name)
      if (schema === undefined || value === undefined) return []
      const problems = variableProblems(schema, value)
      if (problems.length > 0)
        return problems.map((problem) => ({
          message: `variable ${shownKey(name)}${shownPath(problem.path)}: ${problem.message}`,
          ...placeIn(manifest, ...path, 'value', ...placeOf(problem)),
          hint: hintFor(problem, fieldAt(value, ...problem.path)),
        }))
      const late = lateBelow(manifest, [...path, 'value'])
      return rulesOf(schema, value, late).map(({ severity, says, path: below }) => ({
        severity,
        message: `variable ${shownKey(name)}${shownPath(below)}: ${says}`,
        ...placeIn(manifest, ...path, 'value', ...below),
      }))
    })
  },
)

interface RuleFault {
  readonly severity: Severity
  readonly says: string
  readonly path: readonly PathStep[]
}

const nodes = new WeakMap<Dict, SchemaNode>()

/** Findings of formats and rules in CEL on a value that is right otherwise. */
function rulesOf(schema: Dict, value: Value, late: readonly LocatedToken[]): readonly RuleFault[] {
  if (late.some(({ pointer }) => pointer === '')) return []
  const node = nodes.get(schema) ?? readSchema(toPlain(schema))
  nodes.set(schema, node)
  const filled = applyDefaults(value, node)
  const pointers = new Set(late.map(({ pointer }) => pointer))
  // JSON Schema takes any whole number for an integer
  const isTooLarge = (path: readonly PathStep[]): boolean => typeof fieldAt(filled, ...path) === 'number'
  const formats = validateValue(filled, node).flatMap(({ kind, path, says }): RuleFault[] =>
    (kind === 'not-allowed' || (kind === 'wrong-type' && isTooLarge(path))) && !pointers.has(formatPointer(path))
      ? [{ severity: 'error', says: `it has to be ${says}`, path }]
      : [],
  )
  if (formats.length > 0) return formats
  return validateRules({ object: filled, late }, node).map(({ state, path, rule, says }) =>
    state === 'broken'
      ? { severity: 'error', says, path }
      : { severity: 'note', says: `a rule is not evaluated, because ${says}: ${rule}`, path },
  )
}

/** The texts at and below a field that are known only later, by pointers from there. */
function lateBelow({ deferred = [] }: Manifest, path: readonly PathStep[]): readonly LocatedToken[] {
  const base = formatPointer(path)
  return deferred.flatMap((token) =>
    token.pointer === base || token.pointer.startsWith(`${base}/`)
      ? [{ ...token, pointer: token.pointer.slice(base.length) }]
      : [],
  )
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
