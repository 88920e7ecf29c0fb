import type { Manifest } from '../model/manifest.ts'

/** Reads what the objects of one GitOps tool say of their units. Of an object of another tool it says nothing. */
export interface UnitReader {
  /** The folder that the unit applies, as its object names it; '' if that is no unit. */
  readonly pathOf: (object: Manifest) => string
  /** True if what the unit applied goes with it. */
  readonly takesAlong: (object: Manifest) => boolean
  /** True if the tool leaves the unit alone. */
  readonly isSuspended: (object: Manifest) => boolean
  /** True if the unit, of a workload cluster, waits for conditions or for a unit before it. */
  readonly waitsForConditions: (object: Manifest) => boolean
  /** The units that the unit of the folder at `path` waits for, if this is its object. */
  readonly waitsFor: (object: Manifest, path: string) => readonly string[]
}
