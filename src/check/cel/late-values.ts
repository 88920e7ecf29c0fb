import { fieldAt, pathOfPointer } from '../../model/field.ts'
import type { LocatedToken } from '../../model/manifest.ts'
import type { Value } from '../../model/value.ts'

/** Keys of values that are filled in later, by the map that holds them, itself or in a list. */
export type LateValues = ReadonlyMap<Value, ReadonlySet<string>>

/** The values of an object that are filled in later. */
export function lateValues(object: Value, late: readonly LocatedToken[] = []): LateValues {
  const found = new Map<Value, Set<string>>()
  for (const { pointer } of late) {
    const path = pathOfPointer(object, pointer)
    const last = path.findLastIndex((step) => typeof step === 'string')
    const holder = fieldAt(object, ...path.slice(0, last))
    if (holder === undefined) continue
    const keys = found.get(holder) ?? new Set()
    found.set(holder, keys.add(String(path[last])))
  }
  return found
}
