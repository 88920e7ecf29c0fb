import { copyDict } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * The value with the defaults that an API server fills in before it checks (k8s.io/apiextensions-apiserver,
 * `defaulting`); what does not change is shared.
 */
export function applyDefaults(value: Value, node: SchemaNode): Value {
  if (!node.hasFallbacks) return value
  if (Array.isArray(value)) return withItems(value, node)
  return value instanceof Dict ? withFields(value, node) : value
}

function withItems(value: Value[], { items }: SchemaNode): Value {
  if (items === undefined) return value
  const filled = value.map((item) => filledIn(item, items))
  return filled.every((item, index) => item === value[index]) ? value : filled
}

function withFields(value: Dict, node: SchemaNode): Dict {
  let filled: Dict | undefined
  const set = (name: string, child: Value): void => {
    filled ??= copyDict(value)
    filled.set(name, child)
  }
  for (const [name, property] of node.properties) {
    const child = value.get(name)
    if (child !== undefined) continue
    if (property.fallback !== undefined) set(name, applyDefaults(property.fallback, property))
  }
  for (const [name, child] of value) {
    const property = node.properties.get(name) ?? node.additional
    if (property === undefined) continue
    const now = filledIn(child, property)
    if (now !== child) set(name, now)
  }
  return filled ?? value
}

/** Null in a field that does not take it is replaced, too. */
function filledIn(value: Value, node: SchemaNode): Value {
  const given = value === null && node.nulls !== 'value' ? (node.fallback ?? null) : value
  return applyDefaults(given, node)
}
