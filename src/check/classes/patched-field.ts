import { nearestName } from '../../model/nearest-name.ts'
import type { NodeType, SchemaNode } from '../schema/schema-node.ts'

/** The schema of the field that a JSON pointer names, or the step of the path at which the schema ends. */
export type PatchedField =
  | { readonly state: 'known'; readonly node: SchemaNode }
  /** Whatever stands there is kept: the schema does not say what it is. */
  | { readonly state: 'open' }
  | { readonly state: 'unknown'; readonly name: string; readonly near: string | undefined }

const SCALARS: ReadonlySet<NodeType> = new Set(['string', 'integer', 'number', 'boolean', 'int-or-string', 'quantity'])

/** Finds the field that a JSON pointer of a patch names in the schema of a kind. */
export function findPatchedField(root: SchemaNode, pointer: string): PatchedField {
  let node = root
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (node.type === 'array' && node.items !== undefined) {
      if (name !== '-' && !/^\d+$/.test(name)) return { state: 'unknown', name, near: undefined }
      node = node.items
      continue
    }
    const child = node.properties.get(name) ?? node.additional
    if (child === undefined) {
      // a schema keeps unknown fields of maps alone
      if (SCALARS.has(node.type)) return { state: 'unknown', name, near: undefined }
      if (node.isOpen || node.type === 'any' || (node.isResource && name === 'metadata')) return { state: 'open' }
      return { state: 'unknown', name, near: nearestName(name, [...node.properties.keys()]) }
    }
    node = child
  }
  return { state: 'known', node }
}
