import { textAt } from '../model/field.ts'
import type { ObjectName } from '../model/object-name.ts'
import type { ChangeStep, FieldChange } from '../model/tree-change.ts'
import { dict, Dict, type Value } from '../model/value.ts'

/** Replaces in a text what is a cluster's own; `at` is the key that it stands under, '' for a key. */
export type Generalize = (text: string, at?: string) => string

/**
 * Makes the replacement of a cluster's own texts by variables: `<cluster>`, `<namespace>`, `<endpoint>`. They are
 * replaced as whole words only: a cluster `web` has nothing to do with a webhook. `object` is its Cluster.
 */
export function createGeneralize({ namespace, name }: ObjectName, object: Value): Generalize {
  const endpoint = textAt(object, 'spec', 'controlPlaneEndpoint', 'host')
  const variables = new Map<string, string>()
  if (endpoint !== '') variables.set(endpoint, '<endpoint>')
  if (!variables.has(name)) variables.set(name, '<cluster>')
  if (!variables.has(namespace)) variables.set(namespace, '<namespace>')
  const texts = [...variables.keys()].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${texts.map(escapePattern).join('|')})(?![A-Za-z0-9])`, 'g')
  return (text) => text.replaceAll(pattern, (found) => variables.get(found) ?? found)
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The value with all of its texts replaced, keys of maps too. */
export function generalizeValue(value: Value, generalize: Generalize, at = ''): Value {
  if (typeof value === 'string') return generalize(value, at)
  if (Array.isArray(value)) return value.map((item) => generalizeValue(item, generalize, at))
  if (value instanceof Dict) return generalizeDict(value, generalize)
  return value
}

/** The same of a map. */
export function generalizeDict(map: Dict, generalize: Generalize): Dict {
  return dict(
    [...map].map(([key, entry]): [string, Value] => [generalize(key), generalizeValue(entry, generalize, key)]),
  )
}

/** A checksum or digest on its own. */
const HASH = /^(?:sha256:)?[0-9a-f]{32,128}$/

/**
 * True if a value is a hash in an annotation: it follows from what it is the hash of. Nowhere else, for elsewhere (the
 * digest of an image) it is the change itself.
 */
export function isHashOf(path: readonly ChangeStep[], value: Value | undefined): boolean {
  return path.at(-2) === 'annotations' && typeof value === 'string' && HASH.test(value)
}

/** A change with variables; a hash of something else is one, too. */
export function generalizeField(field: FieldChange, generalize: Generalize): FieldChange {
  const { path, before, after } = field
  const at = path.findLast((step) => typeof step === 'string') ?? ''
  const one = (value: Value): Value => (isHashOf(path, value) ? '<hash>' : generalizeValue(value, generalize, at))
  return {
    ...field,
    path: path.map((step) => generalizeStep(step, generalize)),
    before: before === undefined ? undefined : one(before),
    after: after === undefined ? undefined : one(after),
  }
}

function generalizeStep(step: ChangeStep, generalize: Generalize): ChangeStep {
  if (typeof step === 'string') return generalize(step)
  return typeof step === 'number' ? step : { ...step, value: generalize(step.value, step.key) }
}
