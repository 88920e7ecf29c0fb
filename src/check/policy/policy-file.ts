import type { Dict } from '../../model/value.ts'

/** An object of the fleet's folder `policies`. */
export interface PolicyObject {
  readonly object: Dict
  /** Whose API server it is meant for. */
  readonly servers: 'all' | 'management' | 'workload'
}
