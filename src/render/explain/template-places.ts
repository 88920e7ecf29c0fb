import { startOfLine } from '../../codec/text/start-of-line.ts'
import type { Source, Span } from '../../model/source.ts'
import { chunkText, type Chunk } from '../engine/engine.ts'

/** A place in a template that had a part in some output. */
export interface TemplatePlace {
  /** Name of the template or `define` being executed. */
  readonly template: string
  readonly source: Source
  readonly offset: number
}

/**
 * The places that wrote the character at `offset` of a traced render, innermost first: the text or action itself, then
 * each `include`, `tpl` or `template` on the way to it. Where a function changed what an `include` returned (`indent`,
 * `trim`), the line is found again by its text.
 */
export function templatePlaces(chunks: readonly Chunk[], offset: number): readonly TemplatePlace[] {
  let start = 0
  for (const chunk of chunks) {
    const end = start + chunk.text.length
    if (offset < end) return placesInChunk(chunk, offset - start)
    start = end
  }
  return []
}

/** From the place to the end of its line. */
export function spanOfPlace({ source, offset }: Omit<TemplatePlace, 'template'>): Span {
  const start = Math.min(offset, source.text.length)
  const lineEnd = /[\n\r\u2028\u2029]/g
  lineEnd.lastIndex = start
  const line = source.text.slice(start, lineEnd.exec(source.text)?.index)
  return { source, start, end: start + line.trimEnd().length }
}

/** Where in a template a character of what it rendered to comes from; undefined when nobody can tell. */
export type LocateText = (offset: number) => Span | undefined

/** The place in a file that was taken as it is. */
export function locateInFile(source: Source): LocateText {
  return (offset) => spanOfPlace({ source, offset })
}

/** The place in the template that the pieces come from. */
export function locateInPieces(chunks: readonly Chunk[]): LocateText {
  const length = chunks.reduce((sum, { text }) => sum + text.length, 0)
  return (offset) => {
    const [place] = templatePlaces(chunks, Math.min(offset, length - 1))
    return place && spanOfPlace(place)
  }
}

/**
 * The offsets in `[start, end)` at which another piece begins, `start` first: what one scalar was put together from.
 */
export function pieceStarts(chunks: readonly Chunk[], start: number, end: number): readonly number[] {
  const starts = [start]
  let at = 0
  for (const chunk of chunks) {
    if (at > start && at < end) starts.push(at)
    at += chunk.text.length
  }
  return starts
}

function placesInChunk(chunk: Chunk, offset: number): readonly TemplatePlace[] {
  const { origin, trace, text } = chunk
  if (origin === undefined) return []
  const { source } = origin
  // a whole file is the same text, and not looked through for each place of it
  const isText = text === source.text ? origin.offset === 0 : source.text.startsWith(text, origin.offset)
  const own = {
    template: trace?.template ?? source.name,
    source,
    offset: isText ? origin.offset + offset : origin.offset,
  }
  const here = [own, ...(trace?.callers ?? [])]
  if (isText) return here
  const line = lineAround(text, offset)
  for (const call of (trace?.calls ?? []).toReversed()) {
    const found = findLine(chunkText(call.chunks), line)
    if (found !== undefined) return [...templatePlaces(call.chunks, found), ...here]
  }
  return here
}

/** A line by its trimmed text, and how many equal ones come before it. */
interface Line {
  readonly text: string
  readonly ordinal: number
}

function lineAround(text: string, offset: number): Line {
  const from = startOfLine(text, offset)
  const to = text.indexOf('\n', offset)
  const line = text.slice(from, to === -1 ? text.length : to).trim()
  const before = text.slice(0, from).split('\n')
  return { text: line, ordinal: before.filter((other) => other.trim() === line).length }
}

/** The offset of the first character of the line; undefined when there is none of that text. */
function findLine(text: string, line: Line): number | undefined {
  if (line.text === '') return undefined
  const offsets: number[] = []
  let start = 0
  for (const candidate of text.split('\n')) {
    if (candidate.trim() === line.text) offsets.push(start + candidate.length - candidate.trimStart().length)
    start += candidate.length + 1
  }
  return offsets[Math.min(line.ordinal, offsets.length - 1)]
}
