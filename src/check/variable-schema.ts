import { copyDict } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'

/** The keywords of Cluster API's variable schemas that mean the same in JSON Schema. */
const shared: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])

const lists: readonly string[] = ['allOf', 'anyOf', 'oneOf']

/**
 * The schema of a variable as JSON Schema of draft 4, whose `exclusiveMinimum` is a switch, too. Like Cluster API it
 * refuses fields that the schema does not name (core internal/topology/variables/cluster_variable_validation.go), but
 * where `x-kubernetes-preserve-unknown-fields` keeps them. Formats and rules in CEL are asked apart from it.
 */
export function toJsonSchema(schema: Dict): Dict {
  return structural(schema, 'whole')
}

/** The branches of `anyOf` and the like say something of a value, and not which fields it may have. */
function structural(schema: Dict, part: 'whole' | 'branch'): Dict {
  const result = new Dict()
  for (const [keyword, value] of schema) if (shared.has(keyword)) result.set(keyword, value)
  const required = schema.get('required')
  // the draft has no empty list
  if (Array.isArray(required) && required.length > 0) result.set('required', required)
  const isEither = schema.get('x-kubernetes-int-or-string') === true
  if (isEither) result.set('type', ['integer', 'string'])
  const below = (value: Value): Value => (value instanceof Dict ? structural(value, part) : value)
  const properties = schema.get('properties')
  if (properties instanceof Dict) {
    const known = copyDict(properties)
    for (const [name, property] of properties) known.set(name, below(property))
    result.set('properties', known)
  }
  const items = schema.get('items')
  if (items instanceof Dict) result.set('items', below(items))
  const additional = schema.get('additionalProperties')
  if (additional instanceof Dict) result.set('additionalProperties', below(additional))
  else if (part === 'whole' && schema.get('type') === 'object' && !keepsUnknown(schema) && additional !== true)
    result.set('additionalProperties', false)
  for (const keyword of lists) {
    const branches = schema.get(keyword)
    if (Array.isArray(branches) && !isEither)
      result.set(
        keyword,
        branches.map((branch) => (branch instanceof Dict ? structural(branch, 'branch') : branch)),
      )
  }
  const not = schema.get('not')
  if (not instanceof Dict) result.set('not', structural(not, 'branch'))
  return result
}

function keepsUnknown(schema: Dict): boolean {
  return schema.get('x-kubernetes-preserve-unknown-fields') === true
}
