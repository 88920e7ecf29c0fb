import type { Code } from '../../model/error-codes.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Source, Span } from '../../model/source.ts'
import type { TraceStep } from '../../model/trace-step.ts'
import { quoteGo } from './format.ts'

/** How a template came to be executed by the next outer one. */
export type FrameEntry = 'execute' | 'template' | 'include' | 'tpl'

/** One template on the stack of executions, at the moment of an error. */
export interface ErrorFrame {
  /** Name of the executing template. */
  readonly template: string
  readonly source: Source
  /** Go's position of the node that was being evaluated. */
  readonly at: Span
  /** The node as Go prints it. */
  readonly action: string
  readonly entry: FrameEntry
}

/** What a {@link TemplateError} is made of. */
export interface TemplateErrorDetails {
  readonly code: Code
  readonly message: string
  /** The message in Go's words where ours differs: Go quotes whole texts, which may hold secrets. */
  readonly goMessage?: string | undefined
  /** The function or method that failed; absent for an error of the evaluation itself. */
  readonly call?: string | undefined
  readonly hint?: string | undefined
  /** Innermost first; empty for a parse error and for a template that does not exist. */
  readonly frames: readonly ErrorFrame[]
  /** Where a template did not parse, and the line by Go's count. */
  readonly parse?: { readonly at: Span; readonly line: number } | undefined
}

/** A failure of a template, with all that is needed to say it in Helm's words: see `format-error.ts`. */
export class TemplateError extends StackmasonError {
  readonly details: TemplateErrorDetails

  constructor(details: TemplateErrorDetails, options?: ErrorOptions) {
    const { code, message, call, hint, frames, parse } = details
    const at = parse?.at ?? frames[0]?.at
    super(
      {
        code,
        severity: 'error',
        // what `fail`, `required` and we ourselves say stands for itself
        message: call === undefined || code !== 'TEMPLATE_EXECUTION' ? message : `error calling ${call}: ${message}`,
        ...(at === undefined ? {} : { at }),
        ...(frames.length === 0 ? {} : { trace: frames.map(traceStep) }),
        ...(hint === undefined ? {} : { hint }),
      },
      options,
    )
    this.name = 'TemplateError'
    this.details = details
  }
}

/** Returns a frame as a step of a diagnostic's trace. */
export function traceStep(frame: ErrorFrame): TraceStep {
  return { what: `executing ${quoteGo(frame.template)} at <${frame.action}>`, at: frame.at }
}
