import type { Code } from './error-codes.ts'
import type { Span } from './source.ts'

/**
 * An entry of `spec.acknowledged`: warnings, and findings of `check`, that somebody looked at and accepts until a day.
 */
export interface Acknowledgement {
  readonly code: Code
  /** `namespace/name`; absent: whatever the warning is about. */
  readonly cluster?: string
  /** Tag of the release. */
  readonly release?: string
  readonly addon?: string
  /** `Kind/namespace/name`, or `Kind/name` of what has no namespace. */
  readonly object?: string
  readonly reason: string
  /** Last day on which it holds, in UTC: `2027-03-31`. */
  readonly until: string
  readonly at: Span
  /** Where it names the cluster. */
  readonly clusterAt?: Span
}
