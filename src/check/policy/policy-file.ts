import type { PathStep } from '../../model/field.ts'
import type { Span } from '../../model/source.ts'
import type { Dict } from '../../model/value.ts'

/** An object of the fleet's folder `policies`. */
export interface PolicyObject {
  readonly object: Dict
  /** Whose API server it is meant for. */
  readonly servers: 'all' | 'management' | 'workload'
  /** Where a value of it stands, or its key; of one that is missing, what it is missing in. */
  readonly at: (path: readonly PathStep[], part?: 'key' | 'value') => Span
}
