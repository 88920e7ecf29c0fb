import { Dict, type Value } from '../../model/value.ts'
import { EXAMPLE } from './json-schema-dialect.ts'
import { fromPlainKey, isPlainMap, type Plain } from '../json/plain-value.ts'

/** One way in which a value misses its schema. Messages never hold the value itself: it may be a secret. */
export interface SchemaProblem {
  /** From the root of the value; list indexes are numbers. */
  readonly path: readonly (string | number)[]
  /** The keyword of the schema that refused (`type`, `enum`, `required`, `additionalProperties` …). */
  readonly keyword: string
  readonly message: string
  /** The property that is unknown, badly named or missing. */
  readonly property?: string | undefined
  /**
   * The values of an enum; the properties that the schema knows; for `oneOf`, `anyOf` and `not` over `required` alone
   * the properties that they are about.
   */
  readonly allowed?: readonly string[] | undefined
  /** Set when the problem belongs to one branch of such a keyword, which has a problem of its own. */
  readonly within?: 'anyOf' | 'oneOf' | undefined
  /** The types of a `type`, and what came instead. */
  readonly expected?: readonly string[]
  readonly got?: string
  /** The schema's first example, when it is a string. */
  readonly example?: string | undefined
}

/** The fields of the validator library's error that are used. */
export interface RawProblem {
  readonly keyword: string
  /** JSON pointer into the value. */
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly schema?: unknown
  readonly parentSchema?: unknown
  readonly message?: string
}

/** Describes one error of the validator library. */
export function toProblem(error: RawProblem, value: Value): SchemaProblem {
  const parent: Plain = isSchemaObject(error.parentSchema) ? error.parentSchema : null
  const { path, at } = locate(value, error.instancePath)
  const property = textOf(error.params, 'additionalProperty', 'unevaluatedProperty', 'propertyName', 'missingProperty')
  const expected = expectedTypes(error)
  const got = typeName(at)
  const example = exampleOf(error.keyword, parent)
  const within = withinOf(error.schemaPath)
  const allowed = allowedOf(error, parent)
  return {
    path,
    keyword: error.keyword,
    message: messageOf(error, { property, expected, got, allowed }),
    property,
    allowed,
    ...(expected !== undefined && { expected, got }),
    example,
    within,
  }
}

function exampleOf(keyword: string, parent: Plain): string | undefined {
  const schema = isPlainMap(parent) && keyword === 'propertyNames' ? parent['propertyNames'] : parent
  const example = isPlainMap(schema) ? schema[EXAMPLE] : undefined
  return typeof example === 'string' ? example : undefined
}

function withinOf(schemaPath: string): 'anyOf' | 'oneOf' | undefined {
  if (/\/oneOf\/\d+\//.test(schemaPath)) return 'oneOf'
  return /\/anyOf\/\d+\//.test(schemaPath) ? 'anyOf' : undefined
}

function isSchemaObject(schema: unknown): schema is Plain {
  return typeof schema === 'object' && schema !== null
}

/** Follows a JSON pointer into the value: only the value tells an index from a key. */
function locate(value: Value, pointer: string): { path: readonly (string | number)[]; at: Value } {
  const path: (string | number)[] = []
  let at: Value = value
  for (const part of pointer.split('/').slice(1)) {
    const key = fromPlainKey(part.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (Array.isArray(at)) {
      path.push(Number(key))
      at = at[Number(key)] ?? null
    } else {
      path.push(key)
      at = at instanceof Dict ? (at.get(key) ?? null) : null
    }
  }
  return { path, at }
}

function textOf(params: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = params[name]
    if (typeof value === 'string') return fromPlainKey(value)
  }
  return undefined
}

function expectedTypes(error: RawProblem): readonly string[] | undefined {
  if (error.keyword !== 'type') return undefined
  const wanted: unknown = error.params['type']
  return typeof wanted === 'string' ? wanted.split(',') : Array.isArray(wanted) ? wanted.map(String) : undefined
}

function allowedOf(error: RawProblem, parent: Plain): readonly string[] | undefined {
  if (error.keyword === 'enum' && isPlainMap(parent) && Array.isArray(parent['enum'])) {
    return parent['enum'].filter((item: Plain) => !isPlainMap(item) && !Array.isArray(item)).map(String)
  }
  if (error.keyword === 'const' && isPlainMap(parent)) {
    const wanted = parent['const']
    return wanted === undefined || typeof wanted === 'object' ? undefined : [String(wanted)]
  }
  if (isPlainMap(parent) && ['oneOf', 'anyOf', 'not'].includes(error.keyword))
    return requiredNames(parent[error.keyword])
  if (!['additionalProperties', 'unevaluatedProperties', 'propertyNames'].includes(error.keyword)) return undefined
  return isPlainMap(parent) && isPlainMap(parent['properties'])
    ? Object.keys(parent['properties']).map(fromPlainKey)
    : []
}

/** The properties that branches of the form `{required: […]}` are about. */
function requiredNames(branches: Plain | undefined): readonly string[] | undefined {
  const names: string[] = []
  for (const branch of Array.isArray(branches) ? branches : [branches]) {
    const required = isPlainMap(branch) && Object.keys(branch).length === 1 ? branch['required'] : undefined
    if (!Array.isArray(required)) return undefined
    names.push(...required.map(String))
  }
  return names.map(fromPlainKey)
}

/** JSON's name of a value's type. */
function typeName(value: Value): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Dict) return 'object'
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value
  return 'number'
}

interface Facts {
  readonly property: string | undefined
  readonly expected: readonly string[] | undefined
  readonly got: string
  readonly allowed: readonly string[] | undefined
}

/** In place of those of the validator library, which speak of its own ways. */
const ownWords: ReadonlyMap<string, string> = new Map([
  ['contains', 'no item is as one of them has to be'],
  ['additionalItems', 'it has more items than it may have'],
  ['unevaluatedItems', 'it has more items than it may have'],
])

/** The wording of santhosh-tekuri/jsonschema v6 where it does not show the value. */
function messageOf(error: RawProblem, facts: Facts): string {
  const { property, expected, got, allowed } = facts
  const limit: unknown = error.params['limit'] ?? (error.keyword === 'multipleOf' ? error.schema : undefined)
  switch (error.keyword) {
    case 'type':
      return `got ${got}, want ${(expected ?? []).join(' or ')}`
    case 'required':
      return `missing property '${property}'`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `additional properties '${property}' not allowed`
    case 'propertyNames':
      return `invalid propertyName '${property}'`
    case 'enum':
      return `value must be one of ${(allowed ?? []).map((text) => `'${text}'`).join(', ')}`
    case 'const':
      return allowed === undefined ? "'const' failed" : `value must be '${allowed.join()}'`
    case 'pattern':
      return `does not match pattern '${String(error.params['pattern'])}'`
    case 'format':
      return `is not a valid ${String(error.params['format'])}`
    case 'false schema':
      return 'false schema'
    case 'uniqueItems':
      return 'items are equal'
    case 'dependencies':
    case 'dependentRequired':
      return `properties ${String(error.params['deps'])} required, if '${String(error.params['property'])}' exists`
    case 'not':
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return `'${error.keyword}' failed`
    default:
      if (ownWords.has(error.keyword)) return ownWords.get(error.keyword) ?? ''
      return typeof limit === 'number' ? `${error.keyword}: want ${limit}` : `'${error.keyword}' failed`
  }
}
