import { startOfLine } from '../../codec/text/start-of-line.ts'
import { utf8Length } from '../../codec/bytes/utf8.ts'
import { positionAt, type Span } from '../../model/source.ts'
import { quoteGo } from './format.ts'
import type { ErrorFrame, TemplateError } from './template-error.ts'

/** Returns the error in the words of Go's text/template: one line, with the chain of includes, outermost first. */
export function formatGoError(error: TemplateError): string {
  const { call, frames, parse, goMessage: message } = error.details
  if (parse !== undefined) return `template: ${parse.at.source.name}:${parse.line}: ${message}`
  const own = call === undefined ? message : `error calling ${call}: ${message}`
  return visibleFrames(frames).reduce((inner, { frame, calls }) => {
    const said = calls === undefined ? inner : `${calledBy(calls)}${inner}`
    return `template: ${location(frame.at)}: ${executing(frame)}: ${said}`
  }, own)
}

/**
 * Returns the error as helm 4 prints it behind `Error: ` (pkg/engine/engine.go, reformatExecErrorMsg and
 * cleanupParseError): short for `fail`, `required` and what does not parse; one block per template for errors of the
 * evaluation; Go's own line for all others.
 */
export function formatHelmError(error: TemplateError): string {
  const { code, goMessage: message, call, frames, parse } = error.details
  const line = formatGoError(error)
  if (parse !== undefined) return `parse error at (${parse.at.source.name}:${parse.line}): ${line.split(': ').at(-1)}`
  const visible = visibleFrames(frames).toReversed()
  const [outermost] = visible
  if (outermost === undefined) return line
  if (code === 'TEMPLATE_FAIL') return `execution error at (${location(outermost.frame.at)}): ${message}`
  const isMissingTemplate = call === 'include' && message.startsWith('template: no template ')
  if ((call !== undefined && !isMissingTemplate) || visible.some(({ frame }) => frame.entry === 'tpl')) return line
  const blocks = visible.map(({ frame, calls }) => {
    const said = calls !== undefined || isMissingTemplate ? 'error calling include:' : message
    return `${location(frame.at)}\n  ${executing(frame)}:\n    ${said}`
  })
  return [...blocks, ...(isMissingTemplate ? [message] : [])].join('\n').trim()
}

const maxQuoted = 2000

/** A template that Go's error shows, with how it called the next inner one. */
interface VisibleFrame {
  readonly frame: ErrorFrame
  readonly calls: ErrorFrame | undefined
}

/** Innermost first, without templates that went on by a `template` action: Go's error does not show them. */
function visibleFrames(frames: readonly ErrorFrame[]): readonly VisibleFrame[] {
  return frames.flatMap((frame, index) => {
    const calls = frames[index - 1]
    return calls?.entry === 'template' ? [] : [{ frame, calls }]
  })
}

function calledBy({ entry, source }: ErrorFrame): string {
  if (entry === 'tpl') return `error calling tpl: error during tpl function execution for ${quoteText(source.text)}: `
  return 'error calling include: '
}

/** The text of a `tpl` as Go quotes it, but not without end. */
export function quoteText(text: string): string {
  return quoteGo(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text)
}

function executing(frame: ErrorFrame): string {
  return `executing ${quoteGo(frame.template)} at <${frame.action}>`
}

/** `name:line:column` as Go counts: the column in bytes, from 0. */
function location({ source, start }: Span): string {
  const { line } = positionAt(source, start)
  const lineStart = startOfLine(source.text, start)
  return `${source.name}:${line}:${utf8Length(source.text.slice(lineStart, start))}`
}
