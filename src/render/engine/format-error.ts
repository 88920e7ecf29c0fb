import { utf8Length } from '../../codec/utf8.ts'
import { positionAt, type Span } from '../../model/source.ts'
import { quoteGo } from './format.ts'
import type { ErrorFrame, TemplateError } from './template-error.ts'

/** Returns the error in the words of Go's text/template, one line, with the whole chain of includes. */
export function formatGoError(error: TemplateError): string {
  const { message, frames, parse } = error.details
  if (parse !== undefined) return `template: ${parse.at.source.name}:${parse.line}: ${message}`
  if (frames.length === 0) return message
  return visibleFrames(frames).reduce((inner, frame) => {
    const line = `template: ${location(frame.at)}: executing ${quoteGo(frame.template)} at <${frame.action}>: `
    return line + inner
  }, '')
}

/** Returns the error as helm 4 prints it behind `Error: ` (pkg/engine/engine.go, reformatExecErrorMsg and cleanupParseError). */
export function formatHelmError(error: TemplateError): string {
  return formatGoError(error)
}

/** Go does not show the `template` actions that led to an error. */
function visibleFrames(frames: readonly ErrorFrame[]): readonly ErrorFrame[] {
  return frames
}

/** `name:line:column` as Go counts: the column in bytes, from 0. */
function location({ source, start }: Span): string {
  const { line } = positionAt(source, start)
  const lineStart = source.text.lastIndexOf('\n', start - 1) + 1
  return `${source.name}:${line}:${utf8Length(source.text.slice(lineStart, start))}`
}
