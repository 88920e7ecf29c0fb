import { Dict, type Value } from '../../model/value.ts'
import { anyNode, type SchemaNode } from '../schema/schema-node.ts'

/**
 * The object of a built-in kind as an API server has it after it was read: without maps and lists that are empty and
 * not required. Such a map is one of free keys; an empty structure, as `emptyDir: {}`, says something.
 */
export function withoutEmpty(object: Dict, node: SchemaNode): Dict {
  const copy = new Dict()
  for (const [key, value] of object) {
    const child = node.properties.get(key) ?? node.additional ?? anyNode
    if (!isLeftOut(value, child) || node.required.includes(key) || kept.has(key)) copy.set(key, cleaned(value, child))
  }
  return copy
}

/** Lists that are kept though the schema requires none: those of roles. */
const kept: ReadonlySet<string> = new Set(['rules'])

function isLeftOut(value: Value, { additional, properties }: SchemaNode): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value instanceof Dict && value.size === 0 && additional !== undefined && properties.size === 0
}

function cleaned(value: Value, node: SchemaNode): Value {
  if (value instanceof Dict) return withoutEmpty(value, node)
  return Array.isArray(value) ? value.map((item) => cleaned(item, node.items ?? anyNode)) : value
}
