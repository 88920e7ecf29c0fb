import { dirName } from '../codec/path.ts'
import type { Unit } from '../model/handoff.ts'

/** Finds the unit that applies a folder of the tree. */
export type FindUnit = (path: string) => Unit | undefined

/** Makes a finder: of several units above a folder, the one whose path is nearest applies it. */
export function createUnitFinder(units: readonly Unit[]): FindUnit {
  const byPath = new Map(units.map((unit) => [unit.path, unit]))
  return (path) => {
    for (let at = path; at !== '.'; at = dirName(at)) {
      const unit = byPath.get(at)
      if (unit !== undefined) return unit
    }
    return undefined
  }
}
