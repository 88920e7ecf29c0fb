import { positionAt, type Span } from '../model/source.ts'
import { MASK, redactLine } from './redact-line.ts'

/** The line that a span points into, as it may be shown. */
export interface Excerpt {
  /** From 1. */
  readonly line: number
  /** The line or, of a long one, what is around the mark; values that may be secret are masked. */
  readonly text: string
  /** Offset of the mark in the text. */
  readonly start: number
  readonly length: number
}

const MAX_EXCERPT = 120
const CONTEXT = 40
/** Nobody reads longer lines, and what they hide cannot be told in a glance. */
const LONGEST_LINE = 4096

/** The line of a span, and what of it to mark; undefined where there is nothing to show. */
export function excerptOf(span: Span): Excerpt | undefined {
  const { text } = span.source
  const { line: number, column } = positionAt(span.source, span.start)
  const lineStart = Math.min(span.start, text.length) - (column - 1)
  const lineEnd = text.indexOf('\n', lineStart)
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd).replace(/\r$/, '')
  if (line.length > LONGEST_LINE) return undefined
  const shown = redactLine(span.source, lineStart, line)
  if (shown.trim() === '') return undefined
  const { start, length } = markOf({
    line,
    shown,
    from: column - 1,
    to: Math.max(span.end, span.start + 1) - lineStart,
  })
  const window = cutAround(shown, start)
  return { line: number, text: window.text, start: start - window.offset, length }
}

/** The range to mark; a mask has another length than the text that it hides. */
function markOf(place: { readonly line: string; readonly shown: string; readonly from: number; readonly to: number }): {
  readonly start: number
  readonly length: number
} {
  const { line, shown, from, to } = place
  const pieces = shown === line ? undefined : pairPieces(line, shown)
  if (pieces !== undefined) {
    const first = pieces.find((piece) => from < piece.line.end)
    const last = pieces.find((piece) => Math.min(to, line.length) <= piece.line.end)
    if (first !== undefined && last !== undefined) {
      const start = first.isMask ? first.shown.start : first.shown.start + from - first.line.start
      const end = last.isMask ? last.shown.end : last.shown.start + Math.min(to, line.length) - last.line.start
      return { start, length: Math.max(1, end - start) }
    }
  }
  let same = 0
  while (same < from && line[same] === shown[same]) same++
  const start = Math.min(same, shown.length)
  const length = shown === line ? Math.min(to, line.length) - start : shown.length - start
  return { start, length: Math.max(1, length) }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** A part of a line that is shown as it is, or a mask and what it hides. */
interface Piece {
  readonly isMask: boolean
  readonly line: Range
  readonly shown: Range
}

/** Finds what of a line stands in what is shown of it; undefined where more than masks differs. */
function pairPieces(line: string, shown: string): readonly Piece[] | undefined {
  const texts = shown.split(MASK)
  const pieces: Piece[] = []
  let [inLine, inShown] = [0, 0]
  const add = (isMask: boolean, end: number, length: number): void => {
    pieces.push({ isMask, line: { start: inLine, end }, shown: { start: inShown, end: inShown + length } })
    inLine = end
    inShown += length
  }
  for (const [index, text] of texts.entries()) {
    const isLast = index === texts.length - 1
    const found = index === 0 ? 0 : isLast ? line.length - text.length : line.indexOf(text, inLine + 1)
    if (found < inLine || !line.startsWith(text, found)) return undefined
    if (index > 0) add(true, found, MASK.length)
    add(false, found + text.length, text.length)
  }
  return pieces
}

function cutAround(text: string, at: number): { readonly text: string; readonly offset: number } {
  if (text.length <= MAX_EXCERPT) return { text, offset: 0 }
  const offset = Math.max(0, Math.min(at - CONTEXT, text.length - MAX_EXCERPT))
  return { text: text.slice(offset, offset + MAX_EXCERPT), offset }
}
