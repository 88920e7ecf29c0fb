import { parsePositionedYaml, placeOf, type ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import { RecentSources } from '../../codec/yaml/recent-sources.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import type { Positioned } from '../../model/positioned.ts'
import type { Source } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'
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

/**
 * Finds an object in the text that it was read of; the namespace counts where both name one. `nth` of equal ones, from
 * 0.
 */
export function findObject(text: string, { kind, name, namespace }: Manifest, nth: number): WrittenObject | undefined {
  const source = sourceOf(text)
  const named = objectsOf.get(source, () => readObjects(source)).get(nameOf(kind, name)) ?? []
  const equal = named.filter(
    ({ document, base }) => fieldAt(document.value, ...base, 'metadata', 'namespace') === namespace,
  )
  return equal[nth] ?? equal[0] ?? named[0]
}

/** A file of many objects is asked for each of them, one after the other. */
let recent: Source = { name: '', text: '' }
const objectsOf = new RecentSources<ReadonlyMap<string, readonly WrittenObject[]>>()

function sourceOf(text: string): Source {
  if (recent.text !== text) recent = { name: '', text }
  return recent
}

/** The objects of a text by kind and name. */
function readObjects(source: Source): ReadonlyMap<string, readonly WrittenObject[]> {
  const found = new Map<string, WrittenObject[]>()
  for (const document of parsePositionedYaml(source).documents) {
    for (const base of pathsOf(document)) {
      const key = nameOf(fieldAt(document.value, ...base, 'kind'), fieldAt(document.value, ...base, 'metadata', 'name'))
      const named = found.get(key)
      if (named === undefined) found.set(key, [{ document: placed(document), base }])
      else named.push({ document: placed(document), base })
    }
  }
  return found
}

function nameOf(kind: Value | undefined, name: Value | undefined): string {
  return JSON.stringify([typeof kind === 'string' ? kind : null, typeof name === 'string' ? name : null])
}

/** Without the places of all its values, which are read again where one is asked for. */
function placed(document: ReadDocument): Positioned {
  return { ...placeOf(document), value: document.value }
}

function pathsOf({ value }: Positioned): readonly (readonly PathStep[])[] {
  const items = fieldAt(value, 'items')
  return Array.isArray(items) ? items.map((_, index) => ['items', index]) : [[]]
}
