import type { Plain, PlainMap } from '../codec/json/plain-value.ts'
import { itemsAt, textAt } from '../model/field.ts'
import { isNameOfSecret } from '../model/sensitive-name.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { hideSecrets, toEditorSchema, toJson } from './to-json-schema.ts'

/** A variable of a class, as the class defines it. */
export interface VariableDefinition {
  readonly name: string
  readonly isRequired: boolean
  /** Its `openAPIV3Schema`. */
  readonly schema: Dict
}

/** The values that a variable, or a field of one, takes. */
export interface DescribedValue {
  /** `string`, `list of objects`, `integer or string` … */
  readonly type: string
  /** True if it must be written: it is required, and has no default. */
  readonly isRequired: boolean
  /** Hidden where its name is that of a secret. */
  readonly default: Plain | undefined
  readonly description: string
  /** In words: `one of a, b`, `at least 3`. */
  readonly constraints: readonly string[]
}

/** A field of a variable. */
export interface DescribedField extends DescribedValue {
  /** From the variable on: `subnets[].cidr`, `labels.*`. */
  readonly path: string
}

/** A variable of a class. */
export interface DescribedVariable extends DescribedValue {
  readonly name: string
  readonly fields: readonly DescribedField[]
  /** JSON Schema of draft 7. */
  readonly schema: PlainMap
}

/** The fields that clusters of a class may write. */
export interface DescribedClass {
  readonly variables: readonly DescribedVariable[]
  /** Names of the classes of workers. */
  readonly machineDeployments: readonly string[]
  readonly machinePools: readonly string[]
  /** True if a program beside Cluster API defines further variables. */
  readonly definesMore: boolean
}

/** Describes what clusters of a class may write. */
export function describeClass(
  clusterClass: Dict,
  { variables, definesMore }: { readonly variables: readonly VariableDefinition[]; readonly definesMore: boolean },
): DescribedClass {
  const classesOf = (list: string): readonly string[] =>
    itemsAt(clusterClass, 'spec', 'workers', list).map((entry) => textAt(entry, 'class'))
  return {
    variables: variables.map(({ name, isRequired, schema }) => ({
      name,
      ...describeValue(name, schema, isRequired),
      fields: fieldsOf(schema, ''),
      schema: toEditorSchema(schema, name),
    })),
    machineDeployments: classesOf('machineDeployments'),
    machinePools: classesOf('machinePools'),
    definesMore,
  }
}

function fieldsOf(schema: Dict, path: string): readonly DescribedField[] {
  const own: DescribedField[] = []
  const properties = schema.get('properties')
  const required = schema.get('required')
  if (properties instanceof Dict)
    for (const [name, property] of properties) {
      if (!(property instanceof Dict)) continue
      const at = path === '' ? name : `${path}.${name}`
      const isRequired = Array.isArray(required) && required.includes(name)
      own.push({ path: at, ...describeValue(name, property, isRequired) }, ...fieldsOf(property, at))
    }
  const items = schema.get('items')
  if (items instanceof Dict) own.push(...fieldsOf(items, `${path}[]`))
  const additional = schema.get('additionalProperties')
  if (additional instanceof Dict) own.push(...fieldsOf(additional, path === '' ? '*' : `${path}.*`))
  return own
}

function describeValue(name: string, schema: Dict, isRequired: boolean): DescribedValue {
  const value = schema.get('default')
  const { description = '' } = toEditorSchema(shallow(schema), name)
  return {
    type: typeOf(schema),
    isRequired: isRequired && value === undefined,
    default:
      value === undefined ? undefined : isNameOfSecret(name) && value !== '' ? '********' : hideSecrets(toJson(value)),
    description: typeof description === 'string' ? description : '',
    constraints: constraintsOf(schema),
  }
}

/** The schema without its fields: they are described one by one. */
function shallow(schema: Dict): Dict {
  const copy = new Dict()
  for (const key of ['description', 'x-kubernetes-validations']) {
    const value = schema.get(key)
    if (value !== undefined) copy.set(key, value)
  }
  return copy
}

function typeOf(schema: Dict): string {
  const text = plainType(schema)
  return schema.get('nullable') === true ? `${text} or null` : text
}

function plainType(schema: Dict): string {
  if (schema.get('x-kubernetes-int-or-string') === true) return 'integer or string'
  const type = schema.get('type')
  const items = schema.get('items')
  if (type === 'array') return items instanceof Dict ? `list of ${plural(plainType(items))}` : 'list'
  const values = schema.get('additionalProperties')
  if (type === 'object' && values instanceof Dict) return `map of ${plural(plainType(values))}`
  return typeof type === 'string' ? type : 'any'
}

function plural(type: string): string {
  return /^(?:string|integer|number|boolean|object)$/.test(type) ? `${type}s` : type
}

const bounds: readonly (readonly [string, string, string])[] = [
  ['minimum', 'at least', ''],
  ['maximum', 'at most', ''],
  ['minLength', 'at least', ' characters'],
  ['maxLength', 'at most', ' characters'],
  ['minItems', 'at least', ' items'],
  ['maxItems', 'at most', ' items'],
  ['minProperties', 'at least', ' fields'],
  ['maxProperties', 'at most', ' fields'],
]

function constraintsOf(schema: Dict): readonly string[] {
  const allowed = schema.get('enum')
  const own = bounds.flatMap(([keyword, words, unit]) => {
    const value = schema.get(keyword)
    if (!(typeof value === 'number' || value instanceof GoInt)) return []
    const isExclusive =
      schema.get(keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum') === true && unit === ''
    const said = isExclusive ? (keyword === 'minimum' ? 'more than' : 'less than') : words
    return [`${said} ${numberText(value)}${unit}`]
  })
  const text = (keyword: string, words: string): readonly string[] => {
    const value = schema.get(keyword)
    return typeof value === 'string' ? [`${words} ${value}`] : []
  }
  return [
    ...(Array.isArray(allowed) ? [`one of ${allowed.map((item) => valueText(item)).join(', ')}`] : []),
    ...own,
    ...(schema.get('uniqueItems') === true ? ['no item twice'] : []),
    ...text('pattern', 'matches'),
    ...text('format', 'format'),
  ]
}

function numberText(value: number | GoInt): string {
  return String(value instanceof GoInt ? value.value : value)
}

function valueText(value: Value): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(toJson(value))
}
