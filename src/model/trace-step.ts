import type { Span } from './source.ts'

/** One step of a call chain: what was being executed (`include "cilium.labels"`) and where. */
export interface TraceStep {
  readonly what: string
  readonly at?: Span
}
