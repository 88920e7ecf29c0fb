import { copyDict, copyValue, dictAt, fieldAt, textAt, withField } from '../../model/field.ts'
import { dict, Dict, type Value } from '../../model/value.ts'

/**
 * Returns the Cluster with the defaults of its class's variables, as Cluster API's topology webhook sets them: a
 * variable that is absent and whose schema has a default is appended in class order; inside given values, defaults of
 * absent properties are filled in. Rule: Cluster API internal/topology/variables/cluster_variable_defaulting.go.
 */
export function defaultClassVariables(cluster: Dict, clusterClass: Dict): Dict {
  const declared = fieldAt(clusterClass, 'spec', 'variables')
  if (!Array.isArray(declared) || dictAt(cluster, 'spec', 'topology') === undefined) return cluster
  const given = fieldAt(cluster, 'spec', 'topology', 'variables')
  const variables = Array.isArray(given) ? [...given] : []
  for (const variable of declared) {
    const name = textAt(variable, 'name')
    const schema = dictAt(variable, 'schema', 'openAPIV3Schema')
    if (name === '' || schema === undefined) continue
    const index = variables.findIndex((entry) => textAt(entry, 'name') === name)
    const current = variables[index]
    if (current instanceof Dict) {
      const value = current.get('value')
      if (value === undefined) continue
      const changed = copyDict(current)
      changed.set('value', withDefaults(value, schema))
      variables[index] = changed
    } else if (schema.has('default')) {
      variables.push(
        dict([
          ['name', name],
          ['value', withDefaults(copyValue(schema.get('default') ?? null), schema)],
        ]),
      )
    }
  }
  return variables.length === 0 ? cluster : withField(cluster, ['spec', 'topology', 'variables'], variables)
}

/** Structural defaulting of Kubernetes: properties, items and additionalProperties. */
function withDefaults(value: Value, schema: Dict): Value {
  if (value instanceof Dict) {
    const result = copyDict(value)
    for (const [key, property] of dictAt(schema, 'properties') ?? new Dict()) {
      if (!(property instanceof Dict)) continue
      const current = result.get(key)
      if (current !== undefined) result.set(key, withDefaults(current, property))
      else if (property.has('default'))
        result.set(key, withDefaults(copyValue(property.get('default') ?? null), property))
    }
    const additional = dictAt(schema, 'additionalProperties')
    const properties = dictAt(schema, 'properties')
    if (additional !== undefined)
      for (const [key, child] of result)
        if (properties?.has(key) !== true) result.set(key, withDefaults(child, additional))
    return result
  }
  const items = dictAt(schema, 'items')
  return Array.isArray(value) && items !== undefined ? value.map((item) => withDefaults(item, items)) : value
}
