import { compileRegexp, RegexpError } from '../../codec/text/regexp.ts'
import { fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import type { FoundProblem } from '../schema/schema-node.ts'
import { isGiven } from './rule-parts.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const NOT_SUPPORTED = ['$ref', 'additionalItems', 'definitions', 'dependencies', 'id', 'patternProperties']
const META = ['apiVersion', 'kind', 'metadata']
const LIST_TYPES = ['atomic', 'map', 'set']
const MAP_TYPES = ['atomic', 'granular']
const JUNCTORS = ['allOf', 'anyOf', 'oneOf']

/** Keywords that a schema below allOf, anyOf, oneOf or not may not have: they belong outside of it. */
const OUTSIDE_ONLY = [
  'additionalProperties',
  'default',
  'description',
  'nullable',
  'title',
  'type',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]

/** Keywords that the schema of a version with a status may have at its root. */
const AT_ROOT: ReadonlySet<string> = new Set([
  'description',
  'example',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'externalDocs',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
  'uniqueItems',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
])

type Level = 'root' | 'inner' | 'metadata'

/** Collects what is wrong, and where. */
interface Walk {
  readonly path: PathStep[]
  readonly problems: FoundProblem[]
}

/**
 * Problems that API servers refuse in the schema of a custom resource (k8s.io/apiextensions-apiserver,
 * `schema/validation.go` and `apis/apiextensions/validation`). Rules in CEL are checked elsewhere.
 */
export function schemaProblems(schema: Dict, hasStatus: boolean): readonly FoundProblem[] {
  const walk: Walk = { path: [], problems: [] }
  if (schema.get('nullable') === true) report(walk, 'left out at the root', 'nullable')
  if (hasStatus)
    for (const [name, value] of schema)
      if (!AT_ROOT.has(name) && !isZero(value)) report(walk, 'left out at the root of a version with a status', name)
  visit(schema, 'root', walk)
  return walk.problems
}

/** True for a field that a Go structure leaves out. */
function isZero(value: Value): boolean {
  return value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
}

function report({ path, problems }: Walk, says: string, ...below: readonly PathStep[]): void {
  problems.push({ path: [...path, ...below], says })
}

function below(walk: Walk, steps: readonly PathStep[], visitChild: () => void): void {
  walk.path.push(...steps)
  visitChild()
  walk.path.length -= steps.length
}

function visit(schema: Dict, level: Level, walk: Walk): void {
  visitType(schema, level, walk)
  visitCommon(schema, walk)
  visitList(schema, walk)
  const isEmbedded = schema.get('x-kubernetes-embedded-resource') === true
  if (isEmbedded && schema.get('x-kubernetes-preserve-unknown-fields') !== true && !hasProperties(schema))
    report(walk, 'set where x-kubernetes-embedded-resource is true', 'properties')
  const { properties, items, additionalProperties } = {
    properties: schema.get('properties'),
    items: schema.get('items'),
    additionalProperties: schema.get('additionalProperties'),
  }
  if (properties instanceof Dict)
    for (const [name, child] of properties)
      if (child instanceof Dict)
        below(walk, ['properties', name], () => {
          if ((level === 'root' || isEmbedded) && META.includes(name)) visitMeta(name, child, level, walk)
          visit(child, 'inner', walk)
        })
  if (items instanceof Dict) below(walk, ['items'], () => visit(items, 'inner', walk))
  if (additionalProperties instanceof Dict)
    below(walk, ['additionalProperties'], () => visit(additionalProperties, 'inner', walk))
  visitJunctors(schema, level === 'root' ? schema : undefined, walk, true)
}

function hasProperties(schema: Dict): boolean {
  const properties = schema.get('properties')
  return properties instanceof Dict && properties.size > 0
}

function visitType(schema: Dict, level: Level, walk: Walk): void {
  const type = textAt(schema, 'type')
  const isFree = ['x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields'].some(
    (name) => schema.get(name) === true,
  )
  if (type !== '' && !TYPES.includes(type)) report(walk, `one of ${TYPES.join(', ')}`, 'type')
  else if (level === 'root' && type !== 'object' && (type !== '' || !isFree)) report(walk, 'object', 'type')
  else if (schema.get('x-kubernetes-embedded-resource') === true && type !== 'object')
    report(walk, 'object where x-kubernetes-embedded-resource is true', 'type')
  else if (type === '' && !isFree && typeof (schema.get('type') ?? '') === 'string')
    report(walk, 'set: every field has a type', 'type')
  const { problems } = walk
  const known = problems.length
  if (isGiven(schema, 'default')) {
    const says = wrongDefault(schema, type)
    if (says !== undefined && known === problems.length) report(walk, says, 'default')
  }
}

/** The type of a default, and words that it is one of. */
function wrongDefault(schema: Dict, type: string): string | undefined {
  const value = schema.get('default') ?? null
  const isOfType =
    type === '' ||
    (type === 'string' && typeof value === 'string') ||
    (type === 'boolean' && typeof value === 'boolean') ||
    (type === 'integer' && (value instanceof GoInt || (typeof value === 'number' && Number.isInteger(value)))) ||
    (type === 'number' && (value instanceof GoInt || typeof value === 'number')) ||
    (type === 'array' && Array.isArray(value)) ||
    (type === 'object' && value instanceof Dict)
  if (!isOfType) return `of type ${type}`
  const words = itemsAt(schema, 'enum')
  return typeof value === 'string' && words.length > 0 && !words.includes(value) ? 'one of enum' : undefined
}

function visitMeta(name: string, schema: Dict, level: Level, walk: Walk): void {
  const type = name === 'metadata' ? 'object' : 'string'
  const given = textAt(schema, 'type')
  if (given !== type && given !== '') report(walk, type, 'type')
  if (level !== 'root') return
  if (isGiven(schema, 'default')) report(walk, `left out of ${name} of the whole object`, 'default')
  const properties = fieldAt(schema, 'properties')
  if (name !== 'metadata' || !(properties instanceof Dict)) return
  for (const property of properties.keys())
    if (property !== 'name' && property !== 'generateName')
      report(walk, 'left out: of metadata a schema may restrict name and generateName', 'properties', property)
}

function visitCommon(schema: Dict, walk: Walk): void {
  for (const name of NOT_SUPPORTED) {
    const value = schema.get(name) ?? null
    if (!isZero(value) && !(value instanceof Dict && value.size === 0)) report(walk, 'left out', name)
  }
  if (schema.get('uniqueItems') === true) report(walk, 'false: x-kubernetes-list-type set says it', 'uniqueItems')
  if (schema.get('x-kubernetes-preserve-unknown-fields') === false)
    report(walk, 'true or left out', 'x-kubernetes-preserve-unknown-fields')
  const additional = schema.get('additionalProperties')
  const properties = schema.get('properties')
  if (properties instanceof Dict && properties.size > 0 && (additional instanceof Dict || additional === false))
    report(walk, 'left out beside properties', 'additionalProperties')
  else if (walk.path.length === 0 && additional !== undefined && additional !== null)
    report(walk, 'left out at the root', 'additionalProperties')
  const mapType = textAt(schema, 'x-kubernetes-map-type')
  if (mapType !== '' && !MAP_TYPES.includes(mapType))
    report(walk, `one of ${MAP_TYPES.join(', ')}`, 'x-kubernetes-map-type')
  if (mapType !== '' && ['array', 'boolean', 'integer', 'number', 'string'].includes(textAt(schema, 'type')))
    report(walk, 'object where x-kubernetes-map-type is set', 'type')
  visitPattern(schema, walk)
  for (const [index, rule] of itemsAt(schema, 'x-kubernetes-validations').entries()) visitRule(rule, index, walk)
}

function visitPattern(schema: Dict, walk: Walk): void {
  const pattern = textAt(schema, 'pattern')
  if (pattern === '') return
  try {
    compileRegexp(pattern)
  } catch (error) {
    if (!(error instanceof RegexpError)) throw error
    report(walk, 'a regular expression of Go (RE2)', 'pattern')
  }
}

/** A rule in CEL but for its expression. */
function visitRule(rule: Value, index: number, walk: Walk): void {
  const [expression, message] = [textAt(rule, 'rule').trim(), textAt(rule, 'message')]
  const place = ['x-kubernetes-validations', index] as const
  if (expression === '') {
    if (typeof fieldAt(rule, 'rule') === 'string') report(walk, 'an expression in CEL', ...place, 'rule')
  } else if (message !== '' && message.trim() === '') report(walk, 'text that is not empty', ...place, 'message')
  else if (/[\n\r]/.test(message.trim())) report(walk, 'a text of one line', ...place, 'message')
  else if (/[\n\r]/.test(expression) && message === '')
    report(walk, 'set where the rule has several lines', ...place, 'message')
}

function visitList(schema: Dict, walk: Walk): void {
  const type = textAt(schema, 'type')
  const listType = textAt(schema, 'x-kubernetes-list-type')
  const items = schema.get('items')
  if (Array.isArray(items)) report(walk, 'one schema', 'items')
  else if (type === 'array' && !(items instanceof Dict))
    report(walk, 'set: every list says what its items are', 'items')
  const keys = itemsAt(schema, 'x-kubernetes-list-map-keys')
  if (listType === '') {
    if (keys.length > 0) report(walk, 'map where x-kubernetes-list-map-keys is set', 'x-kubernetes-list-type')
    return
  }
  if (!LIST_TYPES.includes(listType)) report(walk, `one of ${LIST_TYPES.join(', ')}`, 'x-kubernetes-list-type')
  else if (type !== '' && type !== 'array') report(walk, 'array where x-kubernetes-list-type is set', 'type')
  if (!(items instanceof Dict) || (listType !== 'map' && listType !== 'set')) return
  if (items.get('nullable') === true) report(walk, `false in a list of type ${listType}`, 'items', 'nullable')
  if (listType === 'map') visitMapKeys(items, keys, walk)
  else if (textAt(items, 'type') === 'object' && textAt(items, 'x-kubernetes-map-type') !== 'atomic')
    report(walk, 'atomic in a list of type set', 'items', 'x-kubernetes-map-type')
}

function visitMapKeys(items: Dict, keys: readonly Value[], walk: Walk): void {
  if (keys.length === 0) report(walk, 'set in a list of type map', 'x-kubernetes-list-map-keys')
  const type = textAt(items, 'type')
  if (type !== 'object') {
    if (type !== '') report(walk, 'object in a list of type map', 'items', 'type')
    return
  }
  for (const [index, key] of keys.entries()) {
    if (typeof key !== 'string') continue
    const property = fieldAt(items, 'properties', key)
    const place = ['items', 'properties', key] as const
    if (!(property instanceof Dict)) {
      report(walk, 'the name of a field of the items', 'x-kubernetes-list-map-keys', index)
      continue
    }
    if (keys.indexOf(key) < index) report(walk, 'another than a key before it', 'x-kubernetes-list-map-keys', index)
    if (['array', 'object'].includes(textAt(property, 'type'))) report(walk, 'a single value', ...place, 'type')
    if (!itemsAt(items, 'required').includes(key) && !isGiven(property, 'default'))
      report(walk, 'set, for it is a key and not required', ...place, 'default')
    if (property.get('nullable') === true) report(walk, 'false: it is a key', ...place, 'nullable')
  }
}

/**
 * Looks at what stands below allOf and the like. `structure` is the schema that says what fields there are; servers
 * compare with that of the whole object alone.
 */
function visitJunctors(schema: Dict, structure: Dict | undefined, walk: Walk, isOwn: boolean): void {
  for (const junctor of JUNCTORS)
    for (const [index, child] of itemsAt(schema, junctor).entries()) {
      const isIntOrString =
        isOwn &&
        ((junctor === 'anyOf' && isEitherType(itemsAt(schema, 'anyOf'))) ||
          (junctor === 'allOf' && index === 0 && isEitherType(itemsAt(child, 'anyOf'))))
      if (child instanceof Dict && !isIntOrString)
        below(walk, [junctor, index], () => visitNested(child, structure, walk))
    }
  const excluded = schema.get('not')
  if (excluded instanceof Dict) below(walk, ['not'], () => visitNested(excluded, structure, walk))
}

function isEitherType(alternatives: readonly Value[]): boolean {
  const types = alternatives.map((item) => textAt(item, 'type'))
  const isPlain = alternatives.every((item) => item instanceof Dict && item.size === 1)
  return isPlain && types.length === 2 && types[0] === 'integer' && types[1] === 'string'
}

function visitNested(schema: Dict, structure: Dict | undefined, walk: Walk): void {
  for (const name of OUTSIDE_ONLY) {
    const value = schema.get(name) ?? null
    if (!isZero(value)) report(walk, 'said outside of allOf, anyOf, oneOf and not', name)
  }
  visitPattern(schema, walk)
  const properties = schema.get('properties')
  if (properties instanceof Dict)
    for (const [name, child] of properties)
      below(walk, ['properties', name], () => {
        const known = structure === undefined ? undefined : fieldAt(structure, 'properties', name)
        if (name === 'metadata') report(walk, 'left out below allOf, anyOf, oneOf and not')
        else if (structure !== undefined && known === undefined)
          report(walk, 'a field that the schema outside has, too')
        else if (child instanceof Dict) visitNested(child, known instanceof Dict ? known : undefined, walk)
      })
  const items = schema.get('items')
  if (items instanceof Dict)
    below(walk, ['items'], () => {
      const known = structure?.get('items')
      if (structure !== undefined && known === undefined) report(walk, 'left out: the schema outside has no items')
      else visitNested(items, known instanceof Dict ? known : undefined, walk)
    })
  visitJunctors(schema, structure, walk, false)
}
