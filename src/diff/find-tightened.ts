import { formatGoJson } from '../codec/json/go-json.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'

/**
 * Finds values that the schemas of a definition no longer take, though the field is still there: `<version>: <field>:
 * <what>`, in the order of the new schemas. Versions that only one of the two has are not compared.
 */
export function findTightened(before: Dict, after: Dict): readonly string[] {
  return inVersions(before, after, compareValues)
}

/**
 * Finds fields that API servers merge otherwise than before, in versions that both have; as {@link findTightened} says
 * it.
 */
export function findMergedOtherwise(before: Dict, after: Dict): readonly string[] {
  return inVersions(before, after, compareMerging)
}

type Compare = (was: Dict, now: Dict, place: Place) => void

function inVersions(before: Dict, after: Dict, of: Compare): readonly string[] {
  const old = new Map(itemsAt(before, 'spec', 'versions').map((version) => [textAt(version, 'name'), version]))
  return itemsAt(after, 'spec', 'versions').flatMap((version) => {
    const name = textAt(version, 'name')
    const [was, now] = [schemaOf(old.get(name) ?? null), schemaOf(version)]
    if (was === undefined || now === undefined || fieldAt(version, 'served') === false) return []
    const found: string[] = []
    const note = (field: string, what: string): void => {
      found.push(`${name}: ${field || 'the object'}: ${what}`)
    }
    compare(was, now, { field: '', note, of })
    return found
  })
}

function schemaOf(version: Value): Dict | undefined {
  return dictAt(version, 'schema', 'openAPIV3Schema')
}

interface Place {
  readonly field: string
  readonly note: (field: string, what: string) => void
  readonly of: Compare
}

function compare(was: Dict, now: Dict, place: Place): void {
  place.of(was, now, place)
  descend(was, now, place)
}

/** A list of maps may be one for each key, or one that is replaced as a whole; so may a map. */
function compareMerging(was: Dict, now: Dict, { field, note }: Place): void {
  const [old, given] = [mergingOf(was), mergingOf(now)]
  if (textAt(was, 'type') === textAt(now, 'type') && old !== given) note(field, `is ${given}, was ${old}`)
}

function mergingOf(schema: Dict): string {
  const whole = 'replaced as a whole'
  if (textAt(schema, 'type') !== 'array')
    return textAt(schema, 'x-kubernetes-map-type') === 'atomic' ? whole : 'merged field by field'
  const keys = itemsAt(schema, 'x-kubernetes-list-map-keys').filter((key) => typeof key === 'string')
  switch (textAt(schema, 'x-kubernetes-list-type')) {
    case 'map':
      return `merged by ${keys.join(' and ')}`
    case 'set':
      return 'merged as a set'
    default:
      return whole
  }
}

function compareValues(was: Dict, now: Dict, { field, note }: Place): void {
  const say = (what: string): void => {
    note(field, what)
  }
  compareType(was, now, say)
  compareEnum(was, now, say)
  for (const [key, sense] of bounds) compareBound(was, now, { key, sense, say })
  for (const [key, word] of texts) {
    const [old, given] = [textAt(was, key), textAt(now, key)]
    if (given !== '' && given !== old) say(old === '' ? `has a ${word}` : `has another ${word}`)
  }
  if (fieldAt(was, 'nullable') === true && fieldAt(now, 'nullable') !== true) say('no longer takes null')
  if (isOpen(was) && !isOpen(now)) say('no longer keeps unknown fields')
  const old = new Set(itemsAt(was, 'x-kubernetes-validations').map((rule) => textAt(rule, 'rule')))
  const rules = itemsAt(now, 'x-kubernetes-validations').filter((rule) => !old.has(textAt(rule, 'rule')))
  if (rules.length > 0) say(rules.length === 1 ? 'has a new rule' : `has ${String(rules.length)} new rules`)
  compareRequired(was, now, { field, note })
}

function descend(was: Dict, now: Dict, { field, ...place }: Place): void {
  const properties = dictAt(was, 'properties')
  for (const [name, schema] of dictAt(now, 'properties') ?? []) {
    const old = properties?.get(name)
    if (old instanceof Dict && schema instanceof Dict) compare(old, schema, { ...place, field: join(field, name) })
  }
  for (const [key, suffix] of below) {
    const [old, schema] = [was.get(key), now.get(key)]
    if (old instanceof Dict && schema instanceof Dict) compare(old, schema, { ...place, field: `${field}${suffix}` })
  }
}

const below = [
  ['items', '[]'],
  ['additionalProperties', '.*'],
] as const

function join(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`
}

type Say = (what: string) => void

/** Further types that a type takes. */
const wider: ReadonlyMap<string, readonly string[]> = new Map([
  ['number', ['integer']],
  ['an integer or text', ['integer', 'string']],
])

function compareType(was: Dict, now: Dict, say: Say): void {
  const [old, given] = [typeOf(was), typeOf(now)]
  if (old === given || given === '' || wider.get(given)?.includes(old) === true) return
  say(old === '' ? `has to be ${given}` : `has to be ${given}, was ${old}`)
}

function typeOf(schema: Dict): string {
  return fieldAt(schema, 'x-kubernetes-int-or-string') === true ? 'an integer or text' : textAt(schema, 'type')
}

function compareEnum(was: Dict, now: Dict, say: Say): void {
  const given = now.get('enum')
  if (!Array.isArray(given)) return
  const old = was.get('enum')
  if (!Array.isArray(old)) {
    say('takes some values only')
    return
  }
  const known = new Set(given.map((value) => formatGoJson(value)))
  const lost = old.filter((value) => !known.has(formatGoJson(value)))
  if (lost.length > 0) say(`no longer takes ${lost.map(shown).join(', ')}`)
}

function shown(value: Value): string {
  return typeof value === 'string' ? value : formatGoJson(value)
}

/** Bounds: `1` for those that tighten when they rise. */
const bounds = [
  ['minimum', 1],
  ['minLength', 1],
  ['minItems', 1],
  ['minProperties', 1],
  ['maximum', -1],
  ['maxLength', -1],
  ['maxItems', -1],
  ['maxProperties', -1],
] as const

interface Bound {
  readonly key: string
  readonly sense: 1 | -1
  readonly say: Say
}

function compareBound(was: Dict, now: Dict, { key, sense, say }: Bound): void {
  const [old, given] = [numberOf(was.get(key)), numberOf(now.get(key))]
  if (given === undefined || (old !== undefined && (given - old) * sense <= 0)) return
  // what every value has already
  if (old === undefined && given === 0 && key !== 'minimum' && sense === 1) return
  say(`${key} ${String(given)}${old === undefined ? '' : `, was ${String(old)}`}`)
}

function numberOf(value: Value | undefined): number | undefined {
  return value instanceof GoInt ? Number(value.value) : typeof value === 'number' ? value : undefined
}

const texts = [
  ['pattern', 'pattern'],
  ['format', 'format'],
] as const

/** True if the API server keeps fields that no schema describes. */
function isOpen(schema: Dict): boolean {
  return (
    fieldAt(schema, 'x-kubernetes-preserve-unknown-fields') === true || fieldAt(schema, 'additionalProperties') === true
  )
}

/** A field with a default is filled in where it is missing. */
function compareRequired(was: Dict, now: Dict, { field, note }: Omit<Place, 'of'>): void {
  const old = new Set(itemsAt(was, 'required'))
  for (const name of itemsAt(now, 'required')) {
    if (typeof name !== 'string' || old.has(name)) continue
    if (fieldAt(now, 'properties', name, 'default') === undefined) note(join(field, name), 'is required')
  }
}
