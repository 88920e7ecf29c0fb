import { Dict, type Value } from '../../model/value.ts'

/** The map at a path of keys joined by dots; undefined when there is none (Helm's Values.Table). */
export function findTable(values: Dict, path: string): Dict | undefined {
  let table = values
  for (const key of path.split('.')) {
    const next = table.get(key)
    if (!(next instanceof Dict)) return undefined
    table = next
  }
  return table
}

/** The value at a path of keys joined by dots, unless it is a map or missing (Helm's Values.PathValue). */
export function pathValue(values: Dict, path: string): Value | undefined {
  const dot = path.lastIndexOf('.')
  const table = dot === -1 ? values : findTable(values, path.slice(0, dot))
  const value = table?.get(path.slice(dot + 1))
  return value instanceof Dict ? undefined : value
}
