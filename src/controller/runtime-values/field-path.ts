import { isRecord } from '../../kube/json-field.ts'

/** One step of a path: a key of a map, an item of a list by its number, or the first item whose field has a value. */
type PathStep =
  { readonly key: string } | { readonly index: number } | { readonly field: string; readonly equals: string }

const step =
  /\.?([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]{1,9})\]|\[([A-Za-z_][A-Za-z0-9_-]*)=([A-Za-z0-9_./:-]+)\]|\['([^']+)'\]/y

/** Reads a path as the definition of RuntimeValues has it; undefined for anything else. */
export function parseFieldPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = []
  for (step.lastIndex = 0; step.lastIndex < text.length;) {
    const [, name, index, field, equals, key] = step.exec(text) ?? []
    if (name !== undefined) steps.push({ key: name })
    else if (index !== undefined) steps.push({ index: Number(index) })
    else if (field !== undefined && equals !== undefined) steps.push({ field, equals })
    else if (key !== undefined) steps.push({ key })
    else return undefined
  }
  return steps.length === 0 || text.startsWith('.') ? undefined : steps
}

/** The value at a path; undefined where there is nothing. */
export function valueAt(value: unknown, path: readonly PathStep[]): unknown {
  let at = value
  for (const part of path) {
    if ('key' in part) at = isRecord(at) && Object.hasOwn(at, part.key) ? at[part.key] : undefined
    else {
      const items: readonly unknown[] = Array.isArray(at) ? at : []
      at =
        'index' in part
          ? items[part.index]
          : items.find((item) => isRecord(item) && Object.hasOwn(item, part.field) && item[part.field] === part.equals)
    }
  }
  return at
}
