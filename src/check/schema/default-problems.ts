import { toPlain } from '../../codec/json/plain-value.ts'
import { itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import { validateRules } from '../cel/validate-rules.ts'
import { readSchema } from './read-schema.ts'
import { type SchemaProblem, validateValue } from './validate-value.ts'

/**
 * Problems that API servers refuse in the defaults of a CustomResourceDefinition: these are values of their own
 * schemas, and others in them are not filled in.
 */
export function defaultProblems(definition: Dict): readonly SchemaProblem[] {
  const isDefinition =
    textAt(definition, 'kind') === 'CustomResourceDefinition' &&
    textAt(definition, 'apiVersion').startsWith('apiextensions.k8s.io/')
  if (!isDefinition) return []
  return itemsAt(definition, 'spec', 'versions').flatMap((version, index) => {
    const schema = version instanceof Dict ? version.get('schema') : undefined
    const root = schema instanceof Dict ? schema.get('openAPIV3Schema') : undefined
    return root instanceof Dict
      ? schemaDefaultProblems(root, ['spec', 'versions', index, 'schema', 'openAPIV3Schema'])
      : []
  })
}

/** A problem of a default, or of a value in it. */
export interface DefaultProblem extends SchemaProblem {
  /** The end of the path that leads from the default to the value. */
  readonly within: readonly PathStep[]
}

/** Problems of the defaults in a schema, and of those below it; `path` leads to the schema. */
export function schemaDefaultProblems(schema: Dict, path: readonly PathStep[] = []): readonly DefaultProblem[] {
  const own = schema.get('default') ?? null
  const children: readonly (readonly [Value | undefined, readonly PathStep[]])[] = [
    [schema.get('items'), ['items']],
    [schema.get('additionalProperties'), ['additionalProperties']],
    ...[...mapAt(schema, 'properties')].map(([name, child]) => [child, ['properties', name]] as const),
  ]
  return [
    ...(own === null ? [] : problemsOf(own, schema, [...path, 'default'])),
    ...children.flatMap(([child, steps]) =>
      child instanceof Dict ? schemaDefaultProblems(child, [...path, ...steps]) : [],
    ),
  ]
}

function mapAt(schema: Dict, name: string): Dict {
  const found = schema.get(name)
  return found instanceof Dict ? found : new Dict()
}

function problemsOf(value: Value, schema: Dict, path: readonly PathStep[]): readonly DefaultProblem[] {
  const node = readSchema(toPlain(schema))
  const isNumber = typeof value === 'number' && node.type === 'int-or-string'
  // servers look for equal items and for integers in objects alone
  const found = isNumber ? [] : validateValue(value, node).filter(({ kind }) => kind !== 'duplicate')
  const broken =
    found.length > 0 ? [] : validateRules({ object: value }, node).filter(({ state }) => state === 'broken')
  return [
    ...found.map((problem) => ({ ...problem, path: [...path, ...problem.path], within: problem.path })),
    ...broken.map((rule): DefaultProblem => ({
      kind: 'not-allowed',
      path: [...path, ...rule.path],
      within: rule.path,
      says: `what its own schema takes: ${rule.says}`,
    })),
  ]
}
