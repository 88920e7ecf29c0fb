import type { Diagnostic } from './diagnostic.ts'
import type { PathStep } from './field.ts'
import type { Source, Span } from './source.ts'
import type { Value } from './value.ts'

/**
 * Where the value at `path` of a document stands, or its key; for a path that is not there, the nearest parent that is.
 * The key of a list item is the item.
 */
export type SpanOf = (path: readonly PathStep[], part?: 'key' | 'value') => Span

/** A document that knows where each of its values is written. */
export interface Positioned<Kind extends Value = Value> {
  readonly value: Kind
  readonly span: Span
  readonly spanOf: SpanOf
}

/** A file of YAML: its documents as far as they can be read, and every problem. */
export interface PositionedFile {
  readonly source: Source
  readonly documents: readonly Positioned[]
  readonly problems: readonly Diagnostic[]
}

/** A file of values, and where each of them stands. */
export interface PositionedText {
  readonly source: Source
  readonly spanOf: SpanOf
}
