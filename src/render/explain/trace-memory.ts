import type { TracedObject } from './traced-objects.ts'

/**
 * Keeps what the units that were looked into last give when they are rendered again: findings come unit by unit, and
 * traces are large.
 */
export type TraceMemory = (unit: object, render: () => readonly TracedObject[]) => readonly TracedObject[]

const MAX_UNITS = 4

/** Makes an empty memory. */
export function createTraceMemory(): TraceMemory {
  const known = new Map<object, readonly TracedObject[]>()
  return (unit, render) => {
    const objects = known.get(unit) ?? render()
    known.delete(unit)
    known.set(unit, objects)
    for (const oldest of known.keys()) {
      if (known.size <= MAX_UNITS) break
      known.delete(oldest)
    }
    return objects
  }
}
