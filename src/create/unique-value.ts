import { isCidr } from '../codec/text/cidr.ts'
import type { PathStep } from '../model/field.ts'
import { isNameOfSecret, refersToSecret } from '../model/sensitive-name.ts'
import { Dict, type Value } from '../model/value.ts'

/** A scalar of a document. */
export interface Leaf {
  readonly path: readonly PathStep[]
  readonly value: Value
  /** The key that says what it is; of an item `{name, value}` its name. */
  readonly name: string
  /** The part that goes when it is left out: of an item `{name, value}` the whole. */
  readonly removed: readonly PathStep[]
}

/** All scalars of a value, in order. */
export function leavesOf(value: Value): readonly Leaf[] {
  return walk(value, { path: [], name: '', isReference: false })
}

interface Place {
  readonly path: readonly PathStep[]
  readonly name: string
  readonly removed?: readonly PathStep[]
  /** Below what tells where a secret is: nothing there is one. */
  readonly isReference: boolean
}

function walk(value: Value, place: Place): readonly Leaf[] {
  const { path, name } = place
  if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, { ...place, path: [...path, index] }))
  if (!(value instanceof Dict))
    return [{ path, value, name: place.isReference ? '' : name, removed: place.removed ?? path }]
  const item = value.get('name')
  return [...value].flatMap(([key, child]) => {
    const isNamed = key === 'value' && typeof item === 'string'
    // of a toleration, a selector, or a reference to a Secret
    const isLabel =
      key === 'key' && ['operator', 'effect', 'name', 'optional', 'path'].some((other) => value.has(other))
    const known = isNamed ? item : isLabel ? '' : key
    const isScalar = !(child instanceof Dict) && !Array.isArray(child)
    return walk(child, {
      path: [...path, key],
      name: known,
      isReference: place.isReference || refersToSecret(known),
      ...(isNamed && isScalar && { removed: path }),
    })
  })
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const ENDPOINT = /(?:endpoint|floating-?ip|load-?balancer-?ip|vip|virtual-?ip|external-?ip)s?$/i
const ADDRESS = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d./])/

/** Why a value belongs to one cluster alone, in words; undefined where nothing says so. */
export function whyUnique({ name, value }: Leaf): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (isNameOfSecret(name)) return 'a secret'
  if (UUID.test(value)) return 'an ID'
  if (ENDPOINT.test(name) && /[.:]/.test(value)) return 'an endpoint'
  if (/cidr|subnet|network/i.test(name) && isCidr(value) && !value.endsWith('/0')) return 'a range of addresses'
  return undefined
}

/** Why somebody should look at a value that was copied, in words. */
export function whyReviewed(
  { value }: Pick<Leaf, 'value'>,
  model: { readonly name: string; readonly namespace: string },
): string | undefined {
  if (typeof value !== 'string') return undefined
  if (hasWord(value, model.name)) return `names ${model.name}`
  if (model.namespace !== '' && hasWord(value, model.namespace)) return `names ${model.namespace}`
  return ADDRESS.test(value) ? 'holds an address' : undefined
}

/** True if a word stands in a text by itself: `web` in `web.example.com` and `web-kubeconfig`, not in `webhook`. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[A-Za-z0-9]/.test(text[at - 1] ?? ' ') && !/[A-Za-z0-9]/.test(text[at + word.length] ?? ' ')) return true
  }
  return false
}
