import type { Code } from '../../model/error-codes.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { positionAt, type Source, type Span } from '../../model/source.ts'
import type { TraceStep } from '../../model/trace-step.ts'
import { GoInt, type Value } from '../../model/value.ts'
import type { ErrorSite } from './error-text.ts'
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

/** The details of a {@link TemplateError}. */
export interface TemplateErrorDetails {
  readonly code: Code
  readonly message: string
  /** The message in Go's words, for comparison with Go: it quotes data, which may hold secrets. */
  readonly goMessage: string
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
    const { at, trace } = parse === undefined ? placeOf(frames) : { at: parse.at, trace: [] }
    super(
      {
        code,
        severity: 'error',
        // what `fail`, `required` and we ourselves say stands for itself
        message: call === undefined || code !== 'TEMPLATE_EXECUTION' ? message : `error calling ${call}: ${message}`,
        at,
        ...(trace.length === 0 ? {} : { trace }),
        hint,
      },
      options,
    )
    this.name = 'TemplateError'
    this.details = details
  }
}

/** The place of an error as a finding tells it: the innermost that is in a file, and all templates that led there. */
export function placeOf(frames: readonly ErrorFrame[]): {
  readonly at: Span | undefined
  readonly trace: readonly TraceStep[]
} {
  return { at: (frames.find(isPublic) ?? frames[0])?.at, trace: frames.map(traceStep) }
}

/** A frame as a step of a trace. Of a text that `tpl` was given nothing is shown: it may be a value. */
function traceStep(frame: ErrorFrame): TraceStep {
  if (isPublic(frame)) return { what: `executing ${quoteGo(frame.template)} at <${frame.action}>`, at: frame.at }
  const { line } = positionAt(frame.source, frame.at.start)
  return { what: `executing the text that tpl was given, line ${line}` }
}

/** True if the text of a template may be shown. */
export function isPublicSource({ holds }: Source): boolean {
  return holds !== 'values'
}

function isPublic({ source }: ErrorFrame): boolean {
  return isPublicSource(source)
}

/** The site that decides what may be shown of an error at this frame. */
export function siteOf(frame: ErrorFrame): ErrorSite {
  const isTemplatePublic = isPublic(frame)
  return { isTemplatePublic, isWritten: (value) => isTemplatePublic && isLiteralIn(frame.action, value) }
}

/** True if an expression, which the error shows anyway, writes the value down. */
function isLiteralIn(action: string, value: Value): boolean {
  if (typeof value === 'string') return [quoteGo(value), `\`${value}\``].some((literal) => action.includes(literal))
  if (typeof value !== 'number' && !(value instanceof GoInt)) return false
  const digits = String(value instanceof GoInt ? value.value : value)
  return ` ${action} `.split(/[\s()]/).includes(digits)
}
