import type { PlacedObject } from '../placed-object.ts'

/** An object of the fleet's folder `policies`. */
export interface PolicyObject extends PlacedObject {
  /** Whose API server it is meant for. */
  readonly servers: 'all' | 'management' | 'workload'
}
