import type { SchemaDraft } from './json-schema-dialect.ts'
import { schemaFormats } from './json-schema-formats.ts'
import { isMultipleOf } from './multiple-of.ts'
import { canonicalText, isPlainMap, type Plain, type PlainMap } from '../json/plain-value.ts'
import { compileRegexp, type GoRegexp, RegexpError } from '../text/regexp.ts'

/** Says whether a value is valid, or that it cannot tell (`unknown`). */
export type QuickCheck = (value: Plain) => 'valid' | 'invalid' | 'unknown'

interface Check {
  readonly root: Plain
  /** Drafts before 2019-09 check formats. */
  readonly checksFormats: boolean
  readonly patterns: Map<string, GoRegexp>
  readonly compile: PatternTime
  readonly targets: Map<string, Plain>
  readonly enums: Map<Plain, ReadonlySet<string>>
  /** References that may still be followed. */
  left: number
}

/** When patterns are compiled: a wrong one that no value meets is only found `at-once`. */
export type PatternTime = 'at-once' | 'on-use'

/** Thrown when the check gives up. */
class Unknown extends Error {}

/** Above this the full validator decides, which counts for itself. */
const MAX_REFERENCES = 200_000

/**
 * Prepares a check that answers yes or no by walking the schema, a fraction of the cost of compiling it: most values
 * are valid, and then nobody needs a list of problems. Takes schemas in normal form. Undefined for those whose
 * references it cannot follow or keywords it does not have.
 */
export function createQuickCheck(
  root: Plain,
  { draft, patterns: compile }: { readonly draft: SchemaDraft; readonly patterns: PatternTime },
): QuickCheck | undefined {
  const checksFormats = draft.startsWith('draft')
  const [patterns, targets, enums] = [new Map(), new Map(), new Map()]
  const check: Check = { root, checksFormats, patterns, compile, targets, enums, left: 0 }
  if (!prepare(root, check)) return undefined
  return (value) => {
    check.left = MAX_REFERENCES
    try {
      return holds(root, value, check) ? 'valid' : 'invalid'
    } catch (error) {
      // endless recursion of the schema or endless nesting of the value
      if (error instanceof Unknown || error instanceof RangeError) return 'unknown'
      throw error
    }
  }
}

/** Keywords whose value maps names to schemas. */
const namedSchemas: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
])

/**
 * Compiles patterns and finds the targets of references; false when something in the schema is beyond the quick check.
 */
function prepare(schema: Plain, check: Check): boolean {
  if (Array.isArray(schema)) return schema.every((item: Plain) => prepare(item, check))
  if (!isPlainMap(schema)) return true
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'enum' || key === 'const') continue
    if (key === 'unevaluatedProperties' || key === 'unevaluatedItems' || key === '$anchor') return false
    if (key === '$id' && schema !== check.root) return false
    if (key === '$ref' && typeof value === 'string' && !addTarget(value, check)) return false
    if (key === 'pattern' && typeof value === 'string' && !addPattern(value, check)) return false
    if (namedSchemas.has(key) && isPlainMap(value)) {
      if (key === 'patternProperties' && !Object.keys(value).every((name) => addPattern(name, check))) return false
      if (!Object.values(value).every((child) => prepare(child, check))) return false
    } else if (!prepare(value, check)) return false
  }
  return true
}

function addPattern(pattern: string, check: Check): boolean {
  if (check.compile === 'on-use') return true
  try {
    check.patterns.set(pattern, compileRegexp(pattern))
    return true
  } catch (error) {
    // whether this pattern is ever used, the full compilation knows
    if (error instanceof RegexpError) return false
    throw error
  }
}

function addTarget(reference: string, check: Check): boolean {
  const target = follow(reference, check.root)
  if (target !== undefined) check.targets.set(reference, target)
  return target !== undefined
}

function follow(reference: string, root: Plain): Plain | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/') || reference.includes('%')) return undefined
  let at: Plain | undefined = root
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isPlainMap(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined
  }
  return typeof at === 'boolean' || isPlainMap(at) ? at : undefined
}

function holds(schema: Plain, data: Plain, check: Check): boolean {
  if (!isPlainMap(schema)) return schema !== false
  if (schema['$ref'] !== undefined && !referenceHolds(schema['$ref'], data, check)) return false
  return (
    anyTypeHolds(schema, data) &&
    (schema['enum'] === undefined || enumOf(schema['enum'], check).has(canonicalText(data))) &&
    (typeof data !== 'string' || stringHolds(schema, data, check)) &&
    (typeof data !== 'number' || numberHolds(schema, data)) &&
    (!Array.isArray(data) || listHolds(schema, data, check)) &&
    (!isPlainMap(data) || mapHolds(schema, data, check)) &&
    combinationsHold(schema, data, check)
  )
}

function referenceHolds(reference: Plain, data: Plain, check: Check): boolean {
  const target = typeof reference === 'string' ? check.targets.get(reference) : undefined
  if (target === undefined || --check.left < 0) throw new Unknown()
  return holds(target, data, check)
}

function enumOf(values: Plain, check: Check): ReadonlySet<string> {
  const known = check.enums.get(values)
  if (known !== undefined) return known
  const texts = new Set(listOf(values).map(canonicalText))
  check.enums.set(values, texts)
  return texts
}

function anyTypeHolds(schema: PlainMap, data: Plain): boolean {
  const { type } = schema
  if (typeof type === 'string') return isOfType(type, data)
  return type === undefined || listOf(type).some((name) => typeof name === 'string' && isOfType(name, data))
}

function isOfType(type: string, data: Plain): boolean {
  switch (type) {
    case 'null':
      return data === null
    case 'array':
      return Array.isArray(data)
    case 'object':
      return isPlainMap(data)
    case 'integer':
      return Number.isInteger(data)
    case 'number':
      return typeof data === 'number' && Number.isFinite(data)
    default:
      return typeof data === type
  }
}

function stringHolds(schema: PlainMap, data: string, check: Check): boolean {
  const { minLength, maxLength, pattern, format } = schema
  if (minLength !== undefined || maxLength !== undefined) {
    if (!isWithin(characterCount(data), minLength, maxLength)) return false
  }
  if (typeof pattern === 'string' && !patternHolds(pattern, data, check)) return false
  if (!check.checksFormats || typeof format !== 'string' || !Object.hasOwn(schemaFormats, format)) return true
  return schemaFormats[format]?.(data) !== false
}

function patternHolds(pattern: string, text: string, check: Check): boolean {
  const regexp = check.patterns.get(pattern) ?? (check.compile === 'on-use' ? compileRegexp(pattern) : undefined)
  if (regexp === undefined) throw new Unknown()
  check.patterns.set(pattern, regexp)
  return regexp.test(text)
}

function characterCount(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0)
}

function numberHolds(schema: PlainMap, data: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  return (
    isWithin(data, minimum, maximum) &&
    (typeof exclusiveMinimum !== 'number' || data > exclusiveMinimum) &&
    (typeof exclusiveMaximum !== 'number' || data < exclusiveMaximum) &&
    (typeof multipleOf !== 'number' || isMultipleOf(data, multipleOf))
  )
}

function isWithin(size: number, minimum: Plain | undefined, maximum: Plain | undefined): boolean {
  return (typeof minimum !== 'number' || size >= minimum) && (typeof maximum !== 'number' || size <= maximum)
}

function listHolds(schema: PlainMap, data: readonly Plain[], check: Check): boolean {
  const { items, prefixItems, additionalItems, contains, minContains, maxContains } = schema
  if (!isWithin(data.length, schema['minItems'], schema['maxItems'])) return false
  if (schema['uniqueItems'] === true && new Set(data.map(canonicalText)).size < data.length) return false
  const first = Array.isArray(items) ? listOf(items) : listOf(prefixItems ?? [])
  const rest = Array.isArray(items) ? additionalItems : items
  for (const [index, item] of data.entries()) {
    const own = index < first.length ? first[index] : rest
    if (own !== undefined && !holds(own, item, check)) return false
  }
  if (contains === undefined) return true
  const found = data.filter((item) => holds(contains, item, check)).length
  return isWithin(found, minContains ?? 1, maxContains)
}

function mapHolds(schema: PlainMap, data: PlainMap, check: Check): boolean {
  const { properties, patternProperties, additionalProperties, propertyNames } = schema
  const keys = Object.keys(data)
  if (!isWithin(keys.length, schema['minProperties'], schema['maxProperties'])) return false
  if (!hasAll(schema['required'], data)) return false
  const patterns = isPlainMap(patternProperties) ? Object.entries(patternProperties) : []
  for (const key of keys) {
    const value = data[key] ?? null
    const own = isPlainMap(properties) ? properties[key] : undefined
    if (own !== undefined && !holds(own, value, check)) return false
    let isKnown = own !== undefined
    for (const [pattern, child] of patterns) {
      if (!patternHolds(pattern, key, check)) continue
      isKnown = true
      if (!holds(child, value, check)) return false
    }
    if (!isKnown && additionalProperties !== undefined && !holds(additionalProperties, value, check)) return false
    if (propertyNames !== undefined && !holds(propertyNames, key, check)) return false
  }
  return dependenciesHold(schema, data, check)
}

function hasAll(names: Plain | undefined, data: PlainMap): boolean {
  return names === undefined || listOf(names).every((name) => typeof name !== 'string' || data[name] !== undefined)
}

function dependenciesHold(schema: PlainMap, data: PlainMap, check: Check): boolean {
  for (const keyword of ['dependencies', 'dependentRequired', 'dependentSchemas']) {
    const dependencies = schema[keyword]
    if (!isPlainMap(dependencies)) continue
    for (const [key, demand] of Object.entries(dependencies)) {
      if (data[key] === undefined) continue
      if (!(Array.isArray(demand) ? hasAll(demand, data) : holds(demand, data, check))) return false
    }
  }
  return true
}

function combinationsHold(schema: PlainMap, data: Plain, check: Check): boolean {
  const { allOf, anyOf, oneOf, not, if: condition, const: only } = schema
  if (only !== undefined && canonicalText(only) !== canonicalText(data)) return false
  if (allOf !== undefined && !listOf(allOf).every((item) => holds(item, data, check))) return false
  if (anyOf !== undefined && !listOf(anyOf).some((item) => holds(item, data, check))) return false
  if (oneOf !== undefined && listOf(oneOf).filter((item) => holds(item, data, check)).length !== 1) return false
  if (not !== undefined && holds(not, data, check)) return false
  if (condition === undefined) return true
  const branch = holds(condition, data, check) ? schema['then'] : schema['else']
  return branch === undefined || holds(branch, data, check)
}

function listOf(value: Plain): readonly Plain[] {
  return Array.isArray(value) ? value : []
}
