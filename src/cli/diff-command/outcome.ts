import type { DiffResult } from '../../pipeline/commands/diff.ts'

/** A comparison, and how it is shown. */
export interface DiffOutcome extends DiffResult {
  readonly detail: 'short' | 'all'
  /** True if differences end the run with 1. */
  readonly isExitCode: boolean
  /** True if nothing is written for people. */
  readonly isQuiet: boolean
}
