import type { PathStep } from './field.ts'
import type { Span } from './source.ts'
import type { Value } from './value.ts'

/**
 * Where the value at `path` of a document stands, or its key; for a path that is not there, the nearest parent that is. The key of a
 * list item is the item.
 */
export type SpanOf = (path: readonly PathStep[], part?: 'key' | 'value') => Span

/** A document that knows where each of its values is written. */
export interface Positioned {
  readonly value: Value
  readonly span: Span
  readonly spanOf: SpanOf
}
