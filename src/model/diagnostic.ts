import type { Code } from './error-codes.ts'
import type { Span } from './source.ts'

/** One step of a call chain: what was being executed (`include "cilium.labels"`) and where. */
export interface TraceStep {
  readonly what: string
  readonly at?: Span
}

/** A problem that a user can act on. Formatting (colour, excerpt, caret) belongs to the reporter in `cli`. */
export interface Diagnostic {
  readonly code: Code
  readonly severity: 'error' | 'warning'
  /** One sentence, no trailing position, no secret values. */
  readonly message: string
  readonly at?: Span
  /** The file meant when there is no text to point into (a binary, a missing file, a folder). */
  readonly file?: string
  /** Innermost first. */
  readonly trace?: readonly TraceStep[]
  /** What to do next, one sentence. */
  readonly hint?: string
}

/** The one error class for problems of the user's input. Programmer errors stay plain `Error`. */
export class StackmasonError extends Error {
  readonly diagnostics: readonly Diagnostic[]

  /** @param diagnostics at least one; the first that is an error gives the message */
  constructor(diagnostics: Diagnostic | readonly Diagnostic[], options?: ErrorOptions) {
    const all: readonly Diagnostic[] = 'code' in diagnostics ? [diagnostics] : diagnostics
    super((all.find(({ severity }) => severity === 'error') ?? all[0])?.message ?? 'unknown problem', options)
    this.name = 'StackmasonError'
    this.diagnostics = all
  }
}
