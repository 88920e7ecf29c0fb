import { toPlain } from '../../codec/json/plain-value.ts'
import { dictAt, fieldAt, itemsAt, textAt, withField } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import { readSchema } from './read-schema.ts'
import type { SchemaNode } from './schema-node.ts'

/** A kind that a CustomResourceDefinition defines. */
export interface CustomKind {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
  readonly versions: readonly CustomVersion[]
}

/** A version of a custom kind. */
export interface CustomVersion {
  readonly name: string
  readonly isServed: boolean
  /** Set where the definition calls it deprecated: its own words, or ''. */
  readonly deprecation: string | undefined
  /** True if what is applied never sets the status. */
  readonly hasStatus: boolean
  /** Read when it is asked for; undefined where the definition has none. */
  readonly schema: () => SchemaNode | undefined
}

/** Marks a schema of whole objects inside others. */
const RESOURCE = 'x-kubernetes-embedded-resource'

const known = new WeakMap<Dict, CustomKind>()

/** Reads a CustomResourceDefinition (apiextensions.k8s.io/v1); the same one once. */
export function readCustomKind(definition: Dict): CustomKind {
  const found = known.get(definition)
  if (found !== undefined) return found
  const read: CustomKind = {
    group: textAt(definition, 'spec', 'group'),
    kind: textAt(definition, 'spec', 'names', 'kind'),
    namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
    versions: itemsAt(definition, 'spec', 'versions').map((version): CustomVersion => {
      const schema = dictAt(version, 'schema', 'openAPIV3Schema')
      let node: SchemaNode | undefined
      return {
        name: textAt(version, 'name'),
        isServed: fieldAt(version, 'served') === true,
        deprecation: fieldAt(version, 'deprecated') === true ? textAt(version, 'deprecationWarning') : undefined,
        hasStatus: dictAt(version, 'subresources', 'status') !== undefined,
        schema: () => (node ??= schema && readSchema(toPlain(withField(schema, [RESOURCE], true)))),
      }
    }),
  }
  known.set(definition, read)
  return read
}
