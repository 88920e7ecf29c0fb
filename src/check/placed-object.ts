import type { PathStep } from '../model/field.ts'
import type { Span } from '../model/source.ts'
import type { Dict } from '../model/value.ts'

/** An object in a file of the fleet that rules read, and its places. */
export interface PlacedObject {
  readonly object: Dict
  /** Where a value of it stands, or its key; of one that is missing, what it is missing in. */
  readonly at: (path: readonly PathStep[], part?: 'key' | 'value') => Span
}
