import { Dict, type Value } from '../../model/value.ts'

/** Below this depth there can only be a cycle, which functions refuse in Go's words. */
const maxDepth = 1000
/** The number of elements that are counted at a time. */
const batch = 4096
/** Characters that a leaf or map is worth beside its text. */
const leafSize = 8

/**
 * Measures `values` as one who walks them would meet them, shared ones each time, and calls `charge` with their size in
 * characters, in batches. Stops at values that are nested too deeply to be walked.
 */
export function chargeLeaves(values: readonly Value[], charge: (amount: number) => void): void {
  if (!values.some(isContainer)) return
  const pending: { readonly value: Value; readonly depth: number }[] = values.map((value) => ({ value, depth: 0 }))
  let count = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next
    if (depth > maxDepth) return
    count += typeof value === 'string' ? leafSize + value.length : leafSize
    if (count >= batch) {
      charge(count)
      count = 0
    }
    if (isContainer(value)) {
      for (const element of value.values()) pending.push({ value: element, depth: depth + 1 })
    }
  }
  charge(count)
}

function isContainer(value: Value): value is Value[] | Dict {
  return Array.isArray(value) || value instanceof Dict
}
