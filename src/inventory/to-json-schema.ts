import { createPlainMap, isPlainMap, type Plain, type PlainMap } from '../codec/json/plain-value.ts'
import { isNameOfSecret } from '../model/sensitive-name.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'

/** Longest description that is kept: editors show them in a box. */
const LONGEST = 2000

/** Keywords with a count that mean the same in JSON Schema of draft 7. */
const counts: readonly string[] = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const types: ReadonlySet<Value> = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array'])

/** Keywords that hold a list of schemas, which say something of a value and not which fields it may have. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const

/**
 * The `openAPIV3Schema` of a variable as JSON Schema of draft 7, for editors. Like Cluster API it refuses fields that
 * the schema does not name. What JSON Schema cannot say is left to the cluster: formats, CEL rules (their messages are
 * in the description), and patterns that only Go reads.
 */
export function toEditorSchema(schema: Dict, name: string): PlainMap {
  return convert(schema, { name, part: 'whole' })
}

interface Place {
  /** Of the variable or field. */
  readonly name: string
  readonly part: 'whole' | 'branch'
}

function convert(schema: Dict, place: Place): PlainMap {
  const result = createPlainMap()
  const description = describe(schema)
  if (description !== '') result['description'] = description
  const isEither = schema.get('x-kubernetes-int-or-string') === true
  const type = schema.get('type')
  const isNullable = schema.get('nullable') === true
  if (isEither) result['type'] = ['integer', 'string', ...(isNullable ? ['null'] : [])]
  else if (typeof type === 'string' && types.has(type)) result['type'] = isNullable ? [type, 'null'] : type
  const allowed = schema.get('enum')
  if (Array.isArray(allowed) && allowed.length > 0)
    result['enum'] = [...allowed.map(toJson), ...(isNullable && !allowed.includes(null) ? [null] : [])]
  if (schema.get('uniqueItems') === true) result['uniqueItems'] = true
  addNumbers(schema, result)
  addPattern(schema.get('pattern'), result)
  if (!isNameOfSecret(place.name)) {
    const [value, example] = [schema.get('default'), schema.get('example')]
    if (value !== undefined) result['default'] = hideSecrets(toJson(value))
    if (example !== undefined) result['examples'] = [hideSecrets(toJson(example))]
  }
  addFields(schema, place, result)
  for (const keyword of lists) {
    const branches = schema.get(keyword)
    // with both types every branch that says which has been said
    if (Array.isArray(branches) && branches.length > 0 && !isEither)
      result[keyword] = branches.map((branch) =>
        branch instanceof Dict ? convert(branch, { ...place, part: 'branch' }) : {},
      )
  }
  const not = schema.get('not')
  if (not instanceof Dict) result['not'] = convert(not, { ...place, part: 'branch' })
  return result
}

function addFields(schema: Dict, place: Place, result: PlainMap): void {
  const required = schema.get('required')
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  if (names.length > 0) result['required'] = [...new Set(names)]
  const properties = schema.get('properties')
  if (properties instanceof Dict) {
    const known = createPlainMap()
    for (const [name, property] of properties)
      known[name] = property instanceof Dict ? convert(property, { name, part: place.part }) : {}
    result['properties'] = known
  }
  const items = schema.get('items')
  if (items instanceof Dict) result['items'] = convert(items, { name: place.name, part: place.part })
  const additional = schema.get('additionalProperties')
  const keeps = schema.get('x-kubernetes-preserve-unknown-fields') === true
  if (additional instanceof Dict)
    result['additionalProperties'] = convert(additional, { name: place.name, part: place.part })
  else if (place.part === 'whole' && schema.get('type') === 'object' && additional !== true && !keeps)
    result['additionalProperties'] = false
}

/** Draft 4, which Kubernetes has, says with a switch that a bound itself is not allowed. */
function addNumbers(schema: Dict, result: PlainMap): void {
  for (const keyword of counts) {
    const value = numberOf(schema.get(keyword))
    if (value !== undefined && value >= 0) result[keyword] = value
  }
  const multiple = numberOf(schema.get('multipleOf'))
  if (multiple !== undefined && multiple > 0) result['multipleOf'] = multiple
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = numberOf(schema.get(bound))
    if (value !== undefined) result[schema.get(exclusive) === true ? exclusive : bound] = value
  }
}

function numberOf(value: Value | undefined): number | undefined {
  if (value instanceof GoInt) return Number(value.value)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function addPattern(pattern: Value | undefined, result: PlainMap): void {
  if (typeof pattern !== 'string') return
  try {
    new RegExp(pattern, 'u')
    result['pattern'] = pattern
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
}

function describe(schema: Dict): string {
  const text = schema.get('description')
  const rules = schema.get('x-kubernetes-validations')
  const messages = (Array.isArray(rules) ? rules : []).flatMap((rule) => {
    const message = rule instanceof Dict ? (rule.get('message') ?? rule.get('rule')) : undefined
    return typeof message === 'string' ? [`Rule: ${message}`] : []
  })
  const whole = [...(typeof text === 'string' ? [text.slice(0, LONGEST + 1).trim()] : []), ...messages].join('\n\n')
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST).trimEnd()}…` : whole
}

/** A value as JSON has it: `__proto__` is a key like any other. */
export function toJson(value: Value): Plain {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof GoInt) return Number(value.value)
  if (Array.isArray(value)) return value.map(toJson)
  if (!(value instanceof Dict)) return null
  const map = createPlainMap()
  for (const [key, item] of value) map[key] = toJson(item)
  return map
}

/** The value without texts that stand under names of secrets. */
export function hideSecrets(value: Plain): Plain {
  if (Array.isArray(value)) return value.map((item: Plain) => hideSecrets(item))
  if (!isPlainMap(value)) return value
  const map = createPlainMap()
  for (const [key, item] of Object.entries(value))
    map[key] = isNameOfSecret(key) && item !== '' ? '********' : hideSecrets(item)
  return map
}
