import { createPlainMap, isPlainMap, type Plain, type PlainMap, toPlainKey } from '../json/plain-value.ts'

/** A draft of JSON Schema, oldest first. */
export type SchemaDraft = 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12'

/** Thrown for a schema that cannot be used; the message says where and why. */
export class SchemaError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SchemaError'
  }
}

/** The keyword that {@link normalizeSchema} puts beside every reference, so that a validator can count them. */
export const REFERENCE_COUNTER = 'x-stackmason-reference'

/** The keyword that keeps the first of `examples`, for messages. */
export const EXAMPLE = 'x-stackmason-example'

const draftUrls: ReadonlyMap<string, SchemaDraft> = new Map([
  ['json-schema.org/schema', '2020-12'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-04/schema', 'draft-04'],
])

/**
 * The draft that `$schema` names; without one 2020-12 (as santhosh-tekuri/jsonschema v6, which Helm 4 uses).
 * @throws SchemaError when `$schema` names something else
 */
export function draftOf(schema: Plain): SchemaDraft {
  const named = isPlainMap(schema) ? schema['$schema'] : undefined
  if (typeof named !== 'string') return '2020-12'
  const draft = draftUrls.get(named.replace(/^https?:\/\//, '').replace(/#$/, ''))
  if (draft === undefined) {
    throw new SchemaError(`$schema ${JSON.stringify(named)} is not a known draft; use one of draft-04 to 2020-12`)
  }
  return draft
}

type Shape =
  | 'schema'
  | 'schemaMap'
  | 'schemaList'
  | 'items'
  | 'dependencies'
  | 'text'
  | 'number'
  | 'positive'
  | 'count'
  | 'flag'
  | 'limit'
  | 'texts'
  | 'textsMap'
  | 'types'
  | 'list'
  | 'any'
  /** Known to the validator library, meaningless (or dangerous) here. */
  | 'drop'

interface Keyword {
  readonly shape: Shape
  /** First and last draft that know it; all when absent. */
  readonly since?: SchemaDraft
  readonly until?: SchemaDraft
}

const draftOrder: readonly SchemaDraft[] = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12']

/** The keywords of all drafts with the shape that their meta-schemas demand. */
const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$ref', { shape: 'text' }],
  ['$recursiveRef', { shape: 'text', since: '2019-09', until: '2019-09' }],
  ['$recursiveAnchor', { shape: 'flag', since: '2019-09', until: '2019-09' }],
  ['$dynamicRef', { shape: 'text', since: '2020-12' }],
  ['$dynamicAnchor', { shape: 'text', since: '2020-12' }],
  ['$anchor', { shape: 'text', since: '2019-09' }],
  ['$id', { shape: 'text', since: 'draft-06' }],
  ['id', { shape: 'text', until: 'draft-04' }],
  ['$defs', { shape: 'schemaMap' }],
  ['definitions', { shape: 'schemaMap' }],
  ['allOf', { shape: 'schemaList' }],
  ['anyOf', { shape: 'schemaList' }],
  ['oneOf', { shape: 'schemaList' }],
  ['not', { shape: 'schema' }],
  ['if', { shape: 'schema', since: 'draft-07' }],
  ['then', { shape: 'schema', since: 'draft-07' }],
  ['else', { shape: 'schema', since: 'draft-07' }],
  ['items', { shape: 'items' }],
  ['prefixItems', { shape: 'schemaList', since: '2020-12' }],
  ['additionalItems', { shape: 'schema', until: '2019-09' }],
  ['contains', { shape: 'schema', since: 'draft-06' }],
  ['properties', { shape: 'schemaMap' }],
  ['patternProperties', { shape: 'schemaMap' }],
  ['additionalProperties', { shape: 'schema' }],
  ['propertyNames', { shape: 'schema', since: 'draft-06' }],
  ['dependencies', { shape: 'dependencies' }],
  ['dependentSchemas', { shape: 'schemaMap', since: '2019-09' }],
  ['dependentRequired', { shape: 'textsMap', since: '2019-09' }],
  ['unevaluatedItems', { shape: 'schema', since: '2019-09' }],
  ['unevaluatedProperties', { shape: 'schema', since: '2019-09' }],
  ['type', { shape: 'types' }],
  ['enum', { shape: 'list' }],
  ['const', { shape: 'any', since: 'draft-06' }],
  ['multipleOf', { shape: 'positive' }],
  ['maximum', { shape: 'number' }],
  ['minimum', { shape: 'number' }],
  ['exclusiveMaximum', { shape: 'limit' }],
  ['exclusiveMinimum', { shape: 'limit' }],
  ['maxLength', { shape: 'count' }],
  ['minLength', { shape: 'count' }],
  ['maxItems', { shape: 'count' }],
  ['minItems', { shape: 'count' }],
  ['maxContains', { shape: 'count', since: '2019-09' }],
  ['minContains', { shape: 'count', since: '2019-09' }],
  ['maxProperties', { shape: 'count' }],
  ['minProperties', { shape: 'count' }],
  ['uniqueItems', { shape: 'flag' }],
  ['pattern', { shape: 'text' }],
  ['format', { shape: 'text' }],
  ['required', { shape: 'texts' }],
  ['title', { shape: 'text' }],
  ['description', { shape: 'text' }],
  ['default', { shape: 'drop' }],
  ['examples', { shape: 'drop' }],
  ['$schema', { shape: 'drop' }],
  ['$comment', { shape: 'drop' }],
  ['$vocabulary', { shape: 'drop' }],
  ['nullable', { shape: 'drop' }],
  ['discriminator', { shape: 'drop' }],
  ['contentEncoding', { shape: 'drop' }],
  ['contentMediaType', { shape: 'drop' }],
  ['contentSchema', { shape: 'drop' }],
  ['$async', { shape: 'drop' }],
  [REFERENCE_COUNTER, { shape: 'drop' }],
  [EXAMPLE, { shape: 'drop' }],
])

const types: readonly string[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** Schemas in one document, ten times what the largest of charts hold. */
const MAX_SCHEMAS = 50_000
/** Schemas of one list: compiling costs the square of their number. */
const MAX_BRANCHES = 1000

/** Where in the schema, and whether shapes are checked: under a keyword that nobody knows they are not. */
interface Place {
  readonly count: { schemas: number }
  readonly draft: SchemaDraft
  readonly pointer: string
  readonly checked: boolean
}

/**
 * Brings a schema of any draft into the form that a draft-07 (or newer, for the newer ones) validator reads the same
 * way: draft-04's `id` and boolean limits are rewritten, what stands beside a `$ref` is dropped where the draft says
 * that it is ignored, keywords of other drafts and private ones of the validator are dropped, references are marked for
 * counting.
 * @throws SchemaError when a keyword has a value that the draft's meta-schema forbids, or the schema is too large to be
 * compiled in time
 */
export function normalizeSchema(schema: Plain, draft: SchemaDraft): Plain {
  return normalizeAt(schema, { count: { schemas: 0 }, draft, pointer: '#', checked: true })
}

function normalizeAt(schema: Plain, place: Place): Plain {
  if (++place.count.schemas > MAX_SCHEMAS) throw new SchemaError(`it holds more than ${MAX_SCHEMAS} schemas`)
  if (typeof schema === 'boolean') return schema
  if (!isPlainMap(schema)) {
    if (!place.checked) return schema
    throw new SchemaError(`${place.pointer} must be an object or a boolean`)
  }
  const result = createPlainMap()
  const { draft } = place
  const referenceAlone = isBefore(draft, '2019-09') && typeof schema['$ref'] === 'string'
  for (const [name, value] of Object.entries(schema)) {
    const keyword = keywords.get(name)
    const at = { ...place, pointer: `${place.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` }
    if (keyword === undefined) {
      // A `$ref` may lead through it, so it stays; what it holds may or may not be schemas.
      result[name] = typeof value === 'object' ? normalizeAt(asMap(value), { ...at, checked: false }) : value
    } else if (keyword.shape !== 'drop' && isKnown(keyword, draft)) {
      if (referenceAlone && !(name === '$ref' || name === '$defs' || name === 'definitions')) continue
      result[name === 'id' ? '$id' : name] = normalizeKeyword(value, keyword.shape, at)
    }
  }
  makeReferencesStatic(result)
  moveDraft4Limits(result, draft)
  const example = Array.isArray(schema['examples']) ? schema['examples'][0] : undefined
  if (typeof example === 'string') result[EXAMPLE] = example
  return result
}

/**
 * Inside one document without nested `$id`s a dynamic reference always leads to the one anchor of its name, so it is
 * written as a plain one. (Schemas that embed other documents and override their anchors are not supported.)
 */
function makeReferencesStatic(result: PlainMap): void {
  const dynamic = result['$dynamicRef'] ?? result['$recursiveRef']
  const anchor = result['$dynamicAnchor']
  delete result['$dynamicRef']
  delete result['$recursiveRef']
  delete result['$recursiveAnchor']
  delete result['$dynamicAnchor']
  if (anchor !== undefined && result['$anchor'] === undefined) result['$anchor'] = anchor
  if (dynamic !== undefined && result['$ref'] === undefined) result['$ref'] = dynamic
  else if (dynamic !== undefined) {
    const also: PlainMap = createPlainMap()
    also['$ref'] = dynamic
    also[REFERENCE_COUNTER] = true
    const others = result['allOf']
    result['allOf'] = Array.isArray(others) ? [...others, also] : [also]
  }
  if ('$ref' in result) result[REFERENCE_COUNTER] = true
}

function moveDraft4Limits(result: PlainMap, draft: SchemaDraft): void {
  if (draft !== 'draft-04') return
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const exclusive = result[flag] === true
    const bound = result[limit]
    delete result[flag]
    if (!exclusive || bound === undefined) continue
    result[flag] = bound
    delete result[limit]
  }
}

function normalizeKeyword(value: Plain, shape: Shape, place: Place): Plain {
  const { draft } = place
  if (shape === 'schema') return normalizeAt(value, place)
  if (shape === 'items' && (!Array.isArray(value) || draft !== '2020-12')) {
    return Array.isArray(value) ? listSchemas(value, place) : normalizeAt(value, place)
  }
  if (shape === 'schemaList' && Array.isArray(value) && value.length > 0) return listSchemas(value, place)
  if (shape === 'schemaMap' && isPlainMap(value)) return mapSchemas(value, place, () => false)
  if (shape === 'dependencies' && isPlainMap(value)) return mapSchemas(value, place, isTexts)
  if (shape === 'texts' && isTexts(value)) return asKeys(value)
  if (shape === 'textsMap' && isTextsMap(value)) return mapSchemas(value, place, isTexts)
  if (shape === 'limit' && typeof value === (draft === 'draft-04' ? 'boolean' : 'number')) return value
  const rule = simpleShapes.get(shape)
  if (rule?.fits(value)) return value
  if (!place.checked) return value
  throw new SchemaError(`${place.pointer} must be ${rule?.wanted ?? wantedOf(shape, draft)}`)
}

function wantedOf(shape: Shape, draft: SchemaDraft): string {
  if (shape === 'items') return 'an object or a boolean (lists are prefixItems since 2020-12)'
  if (shape === 'limit') return draft === 'draft-04' ? 'a boolean in draft-04' : 'a number'
  return shape === 'schemaList' ? 'a list of schemas' : 'an object'
}

interface SimpleShape {
  readonly fits: (value: Plain) => boolean
  readonly wanted: string
}

const simpleShapes: ReadonlyMap<Shape, SimpleShape> = new Map<Shape, SimpleShape>([
  ['text', { fits: (value) => typeof value === 'string', wanted: 'a string' }],
  ['number', { fits: (value) => typeof value === 'number', wanted: 'a number' }],
  ['positive', { fits: (value) => typeof value === 'number' && value > 0, wanted: 'a number above 0' }],
  ['count', { fits: isCount, wanted: 'an integer from 0 on' }],
  ['flag', { fits: (value) => typeof value === 'boolean', wanted: 'a boolean' }],
  ['texts', { fits: isTexts, wanted: 'a list of different strings' }],
  ['textsMap', { fits: isTextsMap, wanted: 'an object of lists of strings' }],
  ['types', { fits: isTypes, wanted: `one of ${types.join(', ')}, or a list of them` }],
  ['list', { fits: (value) => Array.isArray(value), wanted: 'a list' }],
  ['any', { fits: () => true, wanted: 'anything' }],
])

function isCount(value: Plain): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isTextsMap(value: Plain): value is PlainMap {
  return isPlainMap(value) && Object.values(value).every(isTexts)
}

function isTexts(value: Plain): boolean {
  return (
    Array.isArray(value) &&
    value.every((item: Plain) => typeof item === 'string') &&
    new Set<Plain>(value).size === value.length
  )
}

function isTypes(value: Plain): boolean {
  if (typeof value === 'string') return types.includes(value)
  return isTexts(value) && Array.isArray(value) && value.length > 0 && value.every(isTypes)
}

function listSchemas(list: readonly Plain[], place: Place): Plain {
  if (list.length > MAX_BRANCHES) throw new SchemaError(`${place.pointer} lists more than ${MAX_BRANCHES} schemas`)
  return list.map((item, index) => normalizeAt(item, { ...place, pointer: `${place.pointer}/${index}` }))
}

function mapSchemas(map: PlainMap, place: Place, keep: (value: Plain) => boolean): PlainMap {
  const result = createPlainMap()
  for (const [name, value] of Object.entries(map)) {
    result[name] = keep(value) ? asKeys(value) : normalizeAt(value, { ...place, pointer: `${place.pointer}/${name}` })
  }
  return result
}

/** Names of properties as the value's maps hold them. */
function asKeys(names: Plain): Plain {
  return Array.isArray(names) ? names.map((name: Plain) => (typeof name === 'string' ? toPlainKey(name) : name)) : names
}

function isKnown(keyword: Keyword, draft: SchemaDraft): boolean {
  if (keyword.since !== undefined && isBefore(draft, keyword.since)) return false
  return keyword.until === undefined || !isBefore(keyword.until, draft)
}

function isBefore(a: SchemaDraft, b: SchemaDraft): boolean {
  return draftOrder.indexOf(a) < draftOrder.indexOf(b)
}

function asMap(value: Plain): Plain {
  if (isPlainMap(value)) return value
  return Array.isArray(value) ? Object.assign(createPlainMap(), value) : true
}
