import {
  canonicalText,
  fromPlainKey,
  isPlainMap,
  type Plain,
  type PlainMap,
  toPlain,
} from '../../codec/json/plain-value.ts'
import { compileRegexp, type GoRegexp, RegexpError } from '../../codec/text/regexp.ts'
import { dict, Dict, GoInt, type Value } from '../../model/value.ts'
import { builtInRules } from '../built-in/built-in-rules.ts'
import {
  type Alternatives,
  anyNode,
  type CelRule,
  type ListKeys,
  type MinorSpan,
  type NodeType,
  type ObjectRule,
  type SchemaNode,
  type ValueRule,
} from './schema-node.ts'
import { isInt64 } from './int64.ts'
import { customFormats, quantityFormat, textFormats } from './string-formats.ts'

/** How schemas are read. Those of built-in kinds and those of definitions mean different things by the same words. */
export interface SchemaReading {
  /** The node of another definition. */
  readonly resolve: (name: string) => SchemaNode
  /**
   * True for built-in kinds: their objects are Go structures, in which null and an empty text mean that a field is not
   * set, and integers have a size.
   */
  readonly isBuiltIn: boolean
}

const nothingToResolve = (): SchemaNode => anyNode

/** Reads a schema of OpenAPI v3 as API servers understand it. */
export function readSchema(schema: Plain, reading: Partial<SchemaReading> = {}): SchemaNode {
  const node = new MutableNode()
  fillNode(node, schema, { resolve: nothingToResolve, isBuiltIn: false, ...reading })
  return node
}

/**
 * Reads a definition of a built-in kind. `known` is given the node before it is complete, for definitions that lead
 * back to themselves.
 */
export function readDefinition(
  name: string,
  schema: Plain,
  {
    resolve,
    known,
    minor,
  }: Pick<SchemaReading, 'resolve'> & { readonly known: (node: SchemaNode) => void; readonly minor: number },
): void {
  const node = new MutableNode()
  known(node)
  fillNode(node, schema, { resolve, isBuiltIn: true })
  const { optional = [], emptyKeys = [], required = [], fields = {}, whole = [] } = builtInRules.get(name) ?? {}
  node.required = [...node.required.filter((field) => !optional.includes(field)), ...required]
  node.objectRules = whole.filter((rule) => isOf(rule, minor))
  for (const key of emptyKeys) {
    const property = node.properties.get(key)
    if (property !== undefined) node.properties.set(key, { ...property, fallback: '' })
  }
  for (const [field, rules] of Object.entries(fields)) {
    const property = node.properties.get(field)
    if (property === undefined) continue
    const ofMinor = rules.filter((rule) => isOf(rule, minor))
    node.properties.set(field, { ...property, rules: [...property.rules, ...ofMinor] })
  }
}

function isOf(
  { minors: { first = 0, last = Infinity } = {} }: { readonly minors?: MinorSpan },
  minor: number,
): boolean {
  return first <= minor && minor <= last
}

class MutableNode implements SchemaNode {
  type: NodeType = 'any'
  nulls: SchemaNode['nulls'] = 'value'
  readonly properties = new Map<string, SchemaNode>()
  additional: SchemaNode | undefined = undefined
  isOpen = true
  isResource = false
  required: readonly string[] = []
  items: SchemaNode | undefined = undefined
  listKeys: ListKeys | undefined = undefined
  rules: readonly ValueRule[] = []
  objectRules: readonly ObjectRule[] = []
  alternatives: readonly Alternatives[] = []
  fallback: Value | undefined = undefined
  hasFallbacks = false
  celRules: readonly CelRule[] = []
  hasCelRules = false
  celText: SchemaNode['celText'] = undefined
}

/** Schemas in `allOf` and the like say more about values, and nothing about which fields there are. */
type Role = 'structure' | 'condition'

function fillNode(node: MutableNode, schema: Plain, reading: SchemaReading, role: Role = 'structure'): void {
  const source = isPlainMap(schema) ? schema : {}
  const child = (value: Plain): SchemaNode => readChild(value, reading, role)
  node.type = typeOf(source)
  node.nulls =
    reading.isBuiltIn || role === 'condition'
      ? 'unset'
      : source['nullable'] === true || node.type === 'any'
        ? 'value'
        : 'refused'
  node.required = textsOf(source['required'])
  node.isResource = source['x-kubernetes-embedded-resource'] === true
  node.fallback = toValue(source['default'])
  if (source['items'] !== undefined) node.items = child(source['items'])
  const { properties, additionalProperties } = source
  if (isPlainMap(additionalProperties)) node.additional = child(additionalProperties)
  const describesFields = isPlainMap(properties) || node.additional !== undefined
  node.isOpen =
    role === 'condition' ||
    source['x-kubernetes-preserve-unknown-fields'] === true ||
    additionalProperties === true ||
    (reading.isBuiltIn ? !describesFields : node.type !== 'object')
  node.rules = rulesOf(source, node.type, reading)
  node.celRules = celRulesOf(source['x-kubernetes-validations'])
  if (isPlainMap(properties))
    for (const [key, property] of Object.entries(properties)) {
      const name = fromPlainKey(key)
      // metadata has a schema of its own, and what stands here are further conditions
      const isMetadata = node.isResource && name === 'metadata'
      node.properties.set(name, isMetadata ? readChild(property, reading, 'condition') : child(property))
    }
  node.alternatives = alternativesOf(source, node.type, reading)
  node.listKeys = listKeysOf(source, node.items)
  node.celText = celTextOf(source['format'], node.type)
  const children = [node.items, node.additional, ...node.properties.values()]
  node.hasCelRules =
    !reading.isBuiltIn && (node.celRules.length > 0 || children.some((below) => below?.hasCelRules === true))
  node.hasFallbacks =
    !reading.isBuiltIn && (node.fallback !== undefined || children.some((below) => below?.hasFallbacks === true))
}

function readChild(schema: Plain, reading: SchemaReading, role: Role): SchemaNode {
  const source = isPlainMap(schema) ? schema : {}
  const { $ref } = source
  if (typeof $ref === 'string') return reading.resolve($ref)
  if (Object.keys(source).length === 0) return anyNode
  const node = new MutableNode()
  fillNode(node, source, reading, role)
  return node
}

const types: ReadonlySet<string> = new Set<NodeType>(['object', 'array', 'string', 'integer', 'number', 'boolean'])

function isNodeType(type: Plain | undefined): type is NodeType {
  return typeof type === 'string' && types.has(type)
}

function typeOf(source: PlainMap): NodeType {
  if (source['x-kubernetes-int-or-string'] === true || source['format'] === 'int-or-string') return 'int-or-string'
  const { type, oneOf } = source
  // only quantities are text or a number
  if (type === undefined && Array.isArray(oneOf) && canonicalText(oneOf) === '[{"type":"string"},{"type":"number"}]')
    return 'quantity'
  return isNodeType(type) ? type : 'any'
}

function alternativesOf(source: PlainMap, type: NodeType, reading: SchemaReading): readonly Alternatives[] {
  // what an integer or text has to be is said by the type
  if (reading.isBuiltIn || type === 'quantity') return []
  return (['allOf', 'anyOf', 'oneOf', 'not'] as const).flatMap((kind): readonly Alternatives[] => {
    const found = source[kind]
    if (found === undefined) return []
    const schemas: readonly Plain[] = Array.isArray(found) ? found : [found]
    return [{ kind, nodes: schemas.map((schema) => readChild(schema, reading, 'condition')) }]
  })
}

function listKeysOf(source: PlainMap, items: SchemaNode | undefined): ListKeys | undefined {
  const type = source['x-kubernetes-list-type']
  if (type === 'set') return { type, keys: [], fallbacks: new Map() }
  if (type !== 'map') return undefined
  const keys = textsOf(source['x-kubernetes-list-map-keys'])
  const fallbacks = new Map<string, Value>()
  for (const key of keys) {
    const fallback = items?.properties.get(key)?.fallback
    if (fallback !== undefined) fallbacks.set(key, fallback)
  }
  return { type, keys, fallbacks }
}

function celRulesOf(found: Plain | undefined): readonly CelRule[] {
  const entries: readonly Plain[] = Array.isArray(found) ? found : []
  return entries.flatMap((entry): readonly CelRule[] => {
    if (!isPlainMap(entry) || typeof entry['rule'] !== 'string') return []
    const textOf = (name: string): string | undefined => {
      const found = entry[name]
      return typeof found === 'string' && found.trim() !== '' ? found : undefined
    }
    return [
      {
        rule: entry['rule'],
        message: textOf('message'),
        messageExpression: textOf('messageExpression'),
        fieldPath: textOf('fieldPath'),
        hasOptionalOldSelf: entry['optionalOldSelf'] === true,
      },
    ]
  })
}

/** Texts of these formats are other values in CEL (k8s.io/apiextensions-apiserver, `cel/values.go`). */
function celTextOf(format: Plain | undefined, type: NodeType): SchemaNode['celText'] {
  if (type !== 'string') return undefined
  if (format === 'date' || format === 'date-time') return 'timestamp'
  return format === 'duration' ? 'duration' : format === 'byte' ? 'bytes' : undefined
}

function rulesOf(source: PlainMap, type: NodeType, reading: SchemaReading): readonly ValueRule[] {
  return [
    ...enumRule(source['enum'], reading),
    ...formatRule(source['format'], type, reading),
    ...(type === 'quantity' ? [textRule(quantityFormat.says, quantityFormat.allows)] : []),
    ...patternRule(source['pattern']),
    ...lengthRules(source),
    ...numberRules(source),
    ...countRules(source),
  ]
}

function enumRule(values: Plain | undefined, { isBuiltIn }: SchemaReading): readonly ValueRule[] {
  if (!Array.isArray(values)) return []
  const known = new Set(values.map((value: Plain) => canonicalText(value)))
  const shown = values.map((value: Plain) => (typeof value === 'string' ? value : canonicalText(value))).join(', ')
  return [
    {
      allows: (value) => known.has(canonicalText(toPlain(value))) || (isBuiltIn && value === ''),
      says: values.length === 1 ? shown : `one of ${shown}`,
    },
  ]
}

function formatRule(format: Plain | undefined, type: NodeType, { isBuiltIn }: SchemaReading): readonly ValueRule[] {
  if (typeof format !== 'string') return []
  if (isBuiltIn && (format === 'int32' || format === 'int-or-string' || format === 'int64')) {
    const limit = 1n << (format === 'int64' ? 63n : 31n)
    return [
      {
        allows: (value) => {
          const plain = value instanceof GoInt ? value.value : value
          return (typeof plain !== 'bigint' && typeof plain !== 'number') || (plain >= -limit && plain < limit)
        },
        says: `an integer of ${format === 'int64' ? '64' : '32'} bits`,
      },
    ]
  }
  const name = format.replaceAll('-', '')
  // what is not set is no text of a format to Go
  const known =
    type === 'string' ? ((isBuiltIn ? undefined : customFormats.get(name)) ?? textFormats.get(name)) : undefined
  return known === undefined ? [] : [textRule(known.says, known.allows)]
}

function patternRule(pattern: Plain | undefined): readonly ValueRule[] {
  if (typeof pattern !== 'string') return []
  // most patterns are never asked
  let compiled: GoRegexp | 'broken' | undefined
  const allows = (text: string): boolean => {
    compiled ??= compile(pattern)
    return compiled === 'broken' || compiled.test(text)
  }
  return [textRule(`text that matches ${pattern}`, allows)]
}

/** API servers take no definition with an expression that cannot be read; so there is nothing to check by it. */
function compile(pattern: string): GoRegexp | 'broken' {
  try {
    return compileRegexp(pattern)
  } catch (error) {
    if (error instanceof RegexpError) return 'broken'
    throw error
  }
}

function lengthRules({ minLength, maxLength }: PlainMap): readonly ValueRule[] {
  return [
    ...(typeof minLength === 'number'
      ? [textRule(`at least ${count(minLength, 'character')}`, (text) => runes(text, minLength) >= minLength)]
      : []),
    ...(typeof maxLength === 'number'
      ? [textRule(`at most ${count(maxLength, 'character')}`, (text) => runes(text, maxLength) <= maxLength)]
      : []),
  ]
}

/** The number of characters, exact where it may be more than `limit`. */
function runes(text: string, limit: number): number {
  if (text.length <= limit && text.length < 2 * limit - text.length) return text.length
  let found = 0
  for (const _ of text) found++
  return found
}

function numberRules({ minimum, maximum, multipleOf, ...rest }: PlainMap): readonly ValueRule[] {
  const excludesLeast = rest['exclusiveMinimum'] === true
  const excludesMost = rest['exclusiveMaximum'] === true
  const numberRule = (says: string, allows: (value: number) => boolean): ValueRule => ({
    allows: (value) => {
      const plain = value instanceof GoInt ? Number(value.value) : value
      return typeof plain !== 'number' || allows(plain)
    },
    says,
  })
  return [
    ...(typeof minimum === 'number'
      ? [
          excludesLeast
            ? numberRule(`more than ${String(minimum)}`, (value) => value > minimum)
            : numberRule(`${String(minimum)} or more`, (value) => value >= minimum),
        ]
      : []),
    ...(typeof maximum === 'number'
      ? [
          excludesMost
            ? numberRule(`less than ${String(maximum)}`, (value) => value < maximum)
            : numberRule(`${String(maximum)} or less`, (value) => value <= maximum),
        ]
      : []),
    ...(typeof multipleOf === 'number' ? multipleRules(multipleOf) : []),
  ]
}

/** As servers reckon (k8s.io/kube-openapi, `MultipleOfNativeType`): integers by the whole part of the factor. */
function multipleRules(factor: number): readonly ValueRule[] {
  const whole = BigInt(Math.trunc(factor))
  const integerOf = (value: Value): bigint | undefined => {
    if (value instanceof GoInt) return isInt64(value.value) ? value.value : undefined
    return Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined
  }
  const isMultiple = (value: number): boolean => isNearInteger(factor < 1 ? (1 / factor) * value : value / factor)
  return [
    ...(whole > 0n
      ? []
      : [
          {
            allows: (value: Value) => integerOf(value) === undefined,
            says: `a number with a fraction: servers take no integer where multiples of ${String(factor)} are asked for`,
          },
        ]),
    {
      allows: (value) => {
        const integer = integerOf(value)
        if (integer !== undefined) return whole > 0n && integer % whole === 0n
        const plain = value instanceof GoInt ? Number(value.value) : value
        return typeof plain !== 'number' || isMultiple(plain)
      },
      says: `a multiple of ${String(factor)}`,
    },
  ]
}

/** Floats are compared with a tolerance, upwards only (go-openapi/swag, `IsFloat64AJSONInteger`). */
function isNearInteger(value: number): boolean {
  if (Number.isSafeInteger(value)) return true
  const rest = value % 1
  return value > 1 && value < Number.MAX_SAFE_INTEGER && rest / (2 * value - rest) < 1e-9
}

function countRules({ minItems, maxItems, minProperties, maxProperties, uniqueItems }: PlainMap): readonly ValueRule[] {
  const rule = (
    says: string,
    sizeOf: (value: Value) => number | undefined,
    allows: (size: number) => boolean,
  ): ValueRule => ({
    allows: (value) => {
      const size = sizeOf(value)
      return size === undefined || allows(size)
    },
    says,
  })
  const items = (value: Value): number | undefined => (Array.isArray(value) ? value.length : undefined)
  const fields = (value: Value): number | undefined => (value instanceof Dict ? value.size : undefined)
  return [
    ...(typeof minItems === 'number'
      ? [rule(`at least ${count(minItems, 'item')}`, items, (size) => size >= minItems)]
      : []),
    ...(typeof maxItems === 'number'
      ? [rule(`at most ${count(maxItems, 'item')}`, items, (size) => size <= maxItems)]
      : []),
    ...(typeof minProperties === 'number'
      ? [rule(`at least ${count(minProperties, 'entry')}`, fields, (size) => size >= minProperties)]
      : []),
    ...(typeof maxProperties === 'number'
      ? [rule(`at most ${count(maxProperties, 'entry')}`, fields, (size) => size <= maxProperties)]
      : []),
    ...(uniqueItems === true
      ? [
          {
            allows: (value: Value) =>
              !Array.isArray(value) || new Set(value.map((item) => canonicalText(toPlain(item)))).size === value.length,
            says: 'a list without equal items',
          },
        ]
      : []),
  ]
}

function textRule(says: string, allows: (text: string) => boolean): ValueRule {
  return { allows: (value) => typeof value !== 'string' || allows(value), says }
}

function count(amount: number, unit: string): string {
  if (amount === 1) return `1 ${unit}`
  return `${String(amount)} ${unit.endsWith('y') ? `${unit.slice(0, -1)}ies` : `${unit}s`}`
}

function textsOf(found: Plain | undefined): readonly string[] {
  return Array.isArray(found) ? found.filter((item: Plain) => typeof item === 'string') : []
}

/** A default of a schema as a value of an object. */
function toValue(plain: Plain | undefined): Value | undefined {
  if (plain === undefined || plain === null) return undefined
  if (typeof plain === 'number') return Number.isInteger(plain) ? new GoInt(BigInt(plain)) : plain
  if (typeof plain !== 'object') return plain
  if (isPlainMap(plain)) return dict(Object.entries(plain).map(([key, value]) => [key, toValue(value) ?? null]))
  return plain.map((item) => toValue(item) ?? null)
}
