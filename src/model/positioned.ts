import type { Span } from './source.ts'
import type { Value } from './value.ts'

/** One document of a text. A plain value: the places in it are found by `spanOf` of codec. */
export interface DocumentPlace {
  readonly span: Span
  /** Its number among the documents of the text, from 0. */
  readonly index: number
  /** The meaning of yes, no, on and off, which may be keys: `bool` as in YAML 1.1, `text` as in 1.2. */
  readonly words: 'bool' | 'text'
}

/** A document with its value, of which every part can be found in the text. */
export interface Positioned<Kind extends Value = Value> extends DocumentPlace {
  readonly value: Kind
}
