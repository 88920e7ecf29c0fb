import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import type { Positioned } from '../../model/positioned.ts'
import type { Source } from '../../model/source.ts'
import type { Chunk } from '../engine/output.ts'
import type { ValuesLayer } from './values-place.ts'

/** A document as it was rendered, with what wrote it. */
export interface DocumentTrace {
  readonly text: string
  /** The pieces of the whole rendered template. */
  readonly chunks: readonly Chunk[]
  /** Where the document starts in them. */
  readonly offset: number
  /** The values files that had a say, nearest first. */
  readonly layers: readonly ValuesLayer[]
}

/** The documents of a unit that was rendered for its traces. */
export type DocumentTraces = Map<ManifestOrigin, DocumentTrace>

/** The trace of a file that is taken as it is. */
export function traceFile(source: Source): DocumentTrace {
  return { text: source.text, chunks: [{ text: source.text, origin: { source, offset: 0 } }], offset: 0, layers: [] }
}

/** Where an object is written in a text: in one of its documents or, of a List, in an item of one. */
export interface WrittenObject {
  readonly document: Positioned
  /** The path of the object in its document. */
  readonly base: readonly PathStep[]
}

/** Finds an object in the text that it was read of; the namespace counts where both name one. */
export function findObject(text: string, { kind, name, namespace }: Manifest): WrittenObject | undefined {
  const found = parsePositionedYaml({ name: '', text }).documents.flatMap((document) =>
    objectsIn(document, []).map((base) => ({ document, base })),
  )
  const named = found.filter(
    ({ document, base }) =>
      fieldAt(document.value, ...base, 'kind') === kind &&
      fieldAt(document.value, ...base, 'metadata', 'name') === name,
  )
  return (
    named.find(({ document, base }) => fieldAt(document.value, ...base, 'metadata', 'namespace') === namespace) ??
    named[0]
  )
}

function objectsIn({ value }: Positioned, base: readonly PathStep[]): readonly (readonly PathStep[])[] {
  const items = fieldAt(value, ...base, 'items')
  return Array.isArray(items) ? items.map((_, index) => [...base, 'items', index]) : [base]
}
