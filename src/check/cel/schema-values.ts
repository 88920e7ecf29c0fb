import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { anyNode, type SchemaNode } from '../schema/schema-node.ts'
import { type CelInput, durationOf, partlyKnown, timestampOf } from './cel-program.ts'
import { CelFailure } from './cel-failure.ts'
import { escapedName } from './escaped-name.ts'
import type { UnknownFields, UnknownValues } from './unknown-values.ts'

/** Makes the values that rules in CEL see: each once. */
export interface CelValues {
  /** Undefined for a value that rules do not see. */
  readonly of: (value: Value, node: SchemaNode) => CelInput | undefined
}

const metadataFields: readonly string[] = ['name', 'generateName']

/**
 * Makes values as the schema tells (k8s.io/apiextensions-apiserver, `cel/values.go`): fields under their escaped names,
 * texts of some formats as times, and nothing that the schema does not describe.
 */
export function celValues(unknown: UnknownValues): CelValues {
  const made = new Map<Value, CelInput>()
  const of = (value: Value, node: SchemaNode): CelInput | undefined => {
    if (value === null) return node.nulls === 'value' && node.type !== 'any' ? null : undefined
    if (value instanceof GoInt) return node.type === 'number' ? Number(value.value) : value.value
    if (typeof value === 'number') return node.type === 'number' ? value : wholeOf(value)
    if (typeof value === 'string') return textValue(value, node)
    if (typeof value === 'boolean') return value
    if (node.type === 'any' && !node.isResource) return undefined
    const known = made.get(value)
    if (known !== undefined) return known
    const input = Array.isArray(value) ? itemsOf(value, node) : value instanceof Dict ? mapOf(value, node) : undefined
    if (input !== undefined) made.set(value, input)
    return input
  }
  const itemsOf = (value: readonly Value[], { items = anyNode }: SchemaNode): CelInput =>
    value.flatMap((item) => {
      const input = of(item, items)
      return input === undefined ? [] : [input]
    })
  const mapOf = (value: Dict, node: SchemaNode): CelInput => {
    const isStructure = node.properties.size > 0 || node.isResource
    const nameOf = (name: string): string | undefined => (isStructure ? escapedName(name) : name)
    const map = new Map<string, CelInput>()
    for (const [key, child] of value) {
      const property = node.properties.get(key) ?? node.additional
      const name = nameOf(key)
      if (name === undefined) continue
      const input = node.isResource && resourceFields.has(key) ? resourceField(child) : property && of(child, property)
      if (input !== undefined) map.set(name, input)
    }
    return partlyKnown(map, renamed(unknown.get(value), nameOf))
  }
  return { of }
}

/** The same under the names by which rules know the fields. */
function renamed(
  found: UnknownFields | undefined,
  nameOf: (name: string) => string | undefined,
): UnknownFields | undefined {
  if (found === undefined) return undefined
  const named = (fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    new Map([...fields].flatMap(([key, reason]) => pairOf(nameOf(key), reason)))
  return { values: named(found.values), fields: named(found.fields) }
}

function pairOf(name: string | undefined, reason: string): readonly (readonly [string, string])[] {
  return name === undefined ? [] : [[name, reason]]
}

const resourceFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Of the metadata of an object rules see its name alone. */
function resourceField(child: Value): CelInput | undefined {
  if (!(child instanceof Dict)) return typeof child === 'string' ? child : undefined
  const map = new Map<string, CelInput>()
  for (const name of metadataFields) {
    const text = child.get(name)
    if (typeof text === 'string') map.set(name, text)
  }
  return map
}

function wholeOf(value: number): CelInput {
  return Number.isInteger(value) ? BigInt(value) : value
}

function textValue(text: string, { celText }: SchemaNode): CelInput {
  try {
    switch (celText) {
      case 'timestamp':
        return timestampOf(/^[0-9-]{10}$/.test(text) ? `${text}T00:00:00Z` : text)
      case 'duration':
        return durationOf(text)
      case 'bytes':
        return decodeBase64(text) ?? text
      case undefined:
        return text
    }
  } catch (error) {
    // a format that the library reads more strictly
    if (error instanceof CelFailure) return text
    throw error
  }
}
