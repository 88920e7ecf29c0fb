import type { Diagnostic } from '../../model/diagnostic.ts'
import type { RenderResult } from '../../pipeline/commands/render.ts'

/** How a run ended, with what it found. */
export interface RenderOutcome {
  readonly status: 'rendered' | 'current' | 'stale' | 'failed'
  /** Absent when it failed. */
  readonly result?: RenderResult
  readonly findings: readonly Diagnostic[]
  readonly mode: 'render' | 'check'
  /** Nothing but findings is shown. */
  readonly isQuiet: boolean
}
