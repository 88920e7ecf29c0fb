import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import type { ListType } from './list-keys.ts'

/** Finds the schema of a kind as its definition has it; undefined where nobody knows it. */
export type FindSchema = (apiVersion: string, kind: string) => Value | undefined

/** The schemas of kinds by their definitions; of two definitions of one kind the first counts. */
export function createSchemaFinder(definitions: Iterable<Dict>): FindSchema {
  const found = new Map<string, Value>()
  for (const definition of definitions) {
    const [group, kind] = [textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'kind')]
    for (const version of itemsAt(definition, 'spec', 'versions')) {
      const key = `${group}/${textAt(version, 'name')} ${kind}`
      const schema = fieldAt(version, 'schema', 'openAPIV3Schema')
      if (schema !== undefined && !found.has(key)) found.set(key, schema)
    }
  }
  return (apiVersion, kind) => found.get(`${apiVersion} ${kind}`)
}

/** The schema of a field of a map. */
export function fieldSchema(schema: Value | undefined, key: string): Value | undefined {
  return schema === undefined
    ? undefined
    : (fieldAt(schema, 'properties', key) ?? fieldAt(schema, 'additionalProperties'))
}

/** The schema of the items of a list. */
export function itemSchema(schema: Value | undefined): Value | undefined {
  return schema === undefined ? undefined : fieldAt(schema, 'items')
}

/** Undefined where it says nothing. */
export function listTypeOf(schema: Value | undefined): ListType | undefined {
  if (!(schema instanceof Dict)) return undefined
  const type = textAt(schema, 'x-kubernetes-list-type')
  if (type !== 'atomic' && type !== 'set' && type !== 'map') return undefined
  const keys = itemsAt(schema, 'x-kubernetes-list-map-keys').filter((key) => typeof key === 'string')
  if (type === 'map' && keys.length === 0) return undefined
  const defaults = new Map(
    keys.flatMap((key) => {
      const value = fieldAt(schema, 'items', 'properties', key, 'default')
      return value === undefined ? [] : [[key, value] as const]
    }),
  )
  return { type, keys, defaults }
}

/** Kinds in a text, and groups of kinds that are defined apart, as far as it can be told without reading it whole. */
interface MentionedKinds {
  readonly groups: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

const DEFINITION = /\/customresourcedefinition-([a-z0-9-]+)\.([a-z0-9.-]+)\.yaml$/

/** True for a file of a tree that defines a kind, by its name. */
export function isDefinitionFile(path: string): boolean {
  return path.includes('/customresourcedefinition-') && DEFINITION.test(path)
}

/**
 * The files of a tree, among these paths, that may define kinds of objects in the texts: file names hold what a
 * definition is called.
 */
export function definitionFiles(paths: Iterable<string>, texts: Iterable<string>): readonly string[] {
  const { groups, kinds } = mentionedKinds(texts)
  if (groups.size === 0) return []
  return [...paths].filter((path) => {
    const [, plural = '', group = ''] = DEFINITION.exec(path) ?? []
    // a plural has the beginning of the kind
    return groups.has(group) && [...kinds].some((kind) => plural.startsWith(kind.slice(0, -1)))
  })
}

function mentionedKinds(texts: Iterable<string>): MentionedKinds {
  const [groups, kinds] = [new Set<string>(), new Set<string>()]
  for (const text of texts) {
    const own = Array.from(text.matchAll(/\bapiVersion["']?: *["']?([\w.-]{1,253})\/v/g), ([, group = '']) => group)
    for (const group of own) groups.add(group)
    if (own.length === 0) continue
    for (const [, kind = ''] of text.matchAll(/\bkind["']?: *["']?(\w{2,63})/g)) kinds.add(kind.toLowerCase())
  }
  return { groups, kinds }
}
