import type { VariablesResult } from '../../pipeline/commands/variables.ts'

/** The variables that were asked for. */
export interface VariablesOutcome extends VariablesResult {
  /** For editors, if it was asked for. */
  readonly schema?: unknown
}
