import type { Source } from '../../model/source.ts'

/** Where a piece of output comes from: the text or action at `offset` of a template. */
export interface Origin {
  readonly source: Source
  readonly offset: number
}

/** A template that was called while a piece was made; kept by a traced render only. */
export interface TracedCall {
  readonly template: string
  readonly chunks: readonly Chunk[]
}

/** A place that led to a piece: the template that was being executed, and its node. */
export interface Caller extends Origin {
  readonly template: string
}

/** The trace of a piece besides its origin. */
export interface ChunkTrace {
  /** Name of the template whose node wrote it. */
  readonly template: string
  /** `template` actions that led there, innermost first. */
  readonly callers: readonly Caller[]
  /** Calls of `include` and `tpl` by the same execution until then, oldest first. */
  readonly calls: readonly TracedCall[]
}

/** A piece of output. Pieces of no known origin (what `tpl` and `include` returned into a function) have none. */
export interface Chunk {
  readonly text: string
  readonly origin?: Origin
  readonly trace?: ChunkTrace
}

/** Go's text for nil; Helm deletes it from files and from results of `tpl`. */
const noValue = '<no value>'

/**
 * Collects what templates write. Origins are kept only by a recording output, so that `include` pays nothing for them.
 */
export class Output {
  text = ''
  private readonly ends: number[] | undefined
  private readonly sources: Source[] = []
  private readonly offsets: number[] = []
  private readonly traces: (ChunkTrace | undefined)[] = []

  constructor(mode: 'plain' | 'recording') {
    this.ends = mode === 'recording' ? [] : undefined
  }

  /** Appends `text`, written by the node at `offset` of `source`. */
  write(text: string, source: Source, offset: number, trace?: ChunkTrace): void {
    this.text += text
    if (this.ends === undefined) return
    this.ends.push(this.text.length)
    this.sources.push(source)
    this.offsets.push(offset)
    this.traces.push(trace)
  }

  /** Returns everything written, cut where the origin changes. */
  chunks(): readonly Chunk[] {
    const chunks: Chunk[] = []
    let start = 0
    this.ends?.forEach((end, index) => {
      const source = this.sources[index]
      const offset = this.offsets[index]
      if (end > start && source !== undefined && offset !== undefined) {
        const trace = this.traces[index]
        const chunk = { text: this.text.slice(start, end), origin: { source, offset } }
        chunks.push(trace === undefined ? chunk : { ...chunk, trace })
      }
      start = end
    })
    return chunks
  }
}

/** Returns the text of all chunks. */
export function chunkText(chunks: readonly Chunk[]): string {
  return chunks.map(({ text }) => text).join('')
}

/** Returns `text` without any `<no value>`, as Helm does for each rendered file and each result of `tpl`. */
export function withoutNoValue(text: string): string {
  return text.includes('<no') ? text.replaceAll(noValue, '') : text
}

/**
 * Returns the chunks without any `<no value>`, also where it lies across several; call it once for each rendered file.
 */
export function removeNoValue(chunks: readonly Chunk[]): readonly Chunk[] {
  const text = chunkText(chunks)
  if (!text.includes(noValue)) return chunks
  const result: Chunk[] = []
  let start = 0
  let found = text.indexOf(noValue)
  for (const chunk of chunks) {
    const end = start + chunk.text.length
    let kept = ''
    let at = start
    while (found !== -1 && found < end) {
      kept += text.slice(at, Math.max(at, found))
      at = Math.min(found + noValue.length, end)
      if (found + noValue.length > end) break
      found = text.indexOf(noValue, found + noValue.length)
    }
    kept += text.slice(at, end)
    if (kept !== '') result.push({ ...chunk, text: kept })
    start = end
  }
  return result
}
