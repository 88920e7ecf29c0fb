import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt, formatPointer, type PathStep, withField } from '../../model/field.ts'
import type { Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { rootTokens } from '../../model/token.ts'
import type { CascadeKey } from '../../model/fleet-overview.ts'
import type { ValueReads } from '../../model/value-reads.ts'
import { Dict, type Value } from '../../model/value.ts'
import { findClusterPlace, type LocatedCluster } from './cluster-place.ts'
import { type DocumentTrace, findObject, type WrittenObject } from './document-trace.ts'
import type { TracedObject } from './traced-objects.ts'
import { type FieldOrigin, placeOf } from './field-origin.ts'
import { pieceStarts, templatePlaces, type TemplatePlace } from './template-places.ts'
import { tracePatches } from './trace-patches.ts'
import { findValuesKey, findValuesPlace, scalarText, type ShownScalar, spanInLayer } from './values-place.ts'

/** Says where the fields of a cluster's or a class's objects come from. */
export interface Locator {
  /**
   * Undefined for an object that no unit renders. `shown` is the scalar when it is other than the field: a line of it.
   */
  readonly originOf: (manifest: Manifest, path: readonly PathStep[], shown?: ShownScalar) => FieldOrigin | undefined
  /** Where a finding about the field, or about its name, stands; nothing when that cannot be told. */
  readonly locate: (manifest: Manifest, path: readonly PathStep[], part?: 'key') => Pick<Diagnostic, 'at' | 'trace'>
  /** How the templates of an addon read its values; undefined where there is no chart, or it does not render. */
  readonly readsOf: (unit: string) => ValueReads | undefined
  /** Where the values of an addon are set; none for what has no values. */
  readonly cascadeOf: (unit: string) => readonly CascadeKey[]
}

/** The inputs of a locator. */
export interface LocatorInputs {
  /** Renders a unit again for its traces; none for a unit that is not known or does not render. */
  readonly traced: (unit: string) => readonly TracedObject[]
  readonly patches: readonly Patch[]
  readonly cluster?: LocatedCluster
  readonly readsOf?: Locator['readsOf']
  readonly cascadeOf?: Locator['cascadeOf']
}

/** Makes a locator; nothing is rendered before it is asked. */
export function createLocator(inputs: LocatorInputs): Locator {
  const { traced, patches, cluster, readsOf = () => undefined, cascadeOf = () => [] } = inputs
  const originIn = (
    manifest: Manifest,
    path: readonly PathStep[],
    { shown, part }: { readonly shown?: ShownScalar | undefined; readonly part?: 'key' | undefined },
  ): FieldOrigin | undefined => {
    const objects = traced(manifest.origin.unit)
    const found = findTraced(objects, manifest)
    if (found === undefined) return undefined
    const before = tracePatches(asPlaced(found.manifest, manifest), patches, path)
    if ('patch' in before) return { isWritten: true, templates: [], patch: before.patch }
    const field = fieldIn(found, before.path, { part, nth: () => placeAmong(alikeIn(objects, manifest), found) })
    if (field === undefined) return { isWritten: false, templates: [] }
    const { trace } = found
    const [start, end] = [trace.offset + field.at.start, trace.offset + field.at.end]
    const templates = templatePlaces(trace.chunks, start)
    const isChanged = found.written !== undefined && !isSameScalar(field.value, fieldAt(manifest.object, ...path))
    const isWritten = field.isThere && !isChanged
    if (isWritten && part === 'key') {
      const entry = findValuesKey({ path: before.path, value: field.value }, templates, trace.layers)
      const at = entry && spanInLayer(entry.layer, entry.path, 'key')
      return { isWritten, templates, values: at && { at, isOfFleet: entry?.layer.isOfFleet === true } }
    }
    if (!isWritten || field.shown === undefined) return { isWritten, templates }
    const pieces = pieceStarts(trace.chunks, start, end).flatMap((piece) => templatePlaces(trace.chunks, piece))
    const origins = inputsOf(shown ?? field.shown, { pieces, trace, cluster })
    return { isWritten, templates, ...origins, ...askedBy(manifest, path, templates) }
  }
  return {
    originOf: (manifest, path, shown) => originIn(manifest, path, { shown }),
    locate: (manifest, path, part) =>
      placeOf(originIn(manifest, path, { part }) ?? { isWritten: false, templates: [] }),
    readsOf,
    cascadeOf,
  }
}

const indexes = new WeakMap<readonly TracedObject[], ReadonlyMap<string, readonly TracedObject[]>>()

function findTraced(objects: readonly TracedObject[], manifest: Manifest): TracedObject | undefined {
  const { namespace, origin } = manifest
  const alike = alikeIn(objects, manifest)
  const best = (candidates: readonly TracedObject[]): TracedObject | undefined =>
    nthIn(candidates, manifest) ?? candidates.find((object) => object.manifest.namespace === namespace) ?? candidates[0]
  return best(alike.filter((object) => object.manifest.origin.document === origin.document)) ?? best(alike)
}

/** The one that is meant of equal objects; one without a namespace gets that of the others. */
function nthIn(candidates: readonly TracedObject[], { namespace, origin }: Manifest): TracedObject | undefined {
  if (origin.nth === undefined) return undefined
  const equal = candidates.filter(({ manifest }) => (manifest.namespace ?? namespace) === namespace)
  return equal[origin.nth]
}

function alikeIn(objects: readonly TracedObject[], manifest: Manifest): readonly TracedObject[] {
  return indexOf(objects).get(keyOf(manifest)) ?? []
}

/** The objects by kind, name and template; of the same list the same index. */
function indexOf(objects: readonly TracedObject[]): ReadonlyMap<string, readonly TracedObject[]> {
  const known = indexes.get(objects)
  if (known !== undefined) return known
  const index = new Map<string, TracedObject[]>()
  for (const object of objects) {
    const key = keyOf(object.manifest)
    const alike = index.get(key)
    if (alike === undefined) index.set(key, [object])
    else alike.push(object)
  }
  indexes.set(objects, index)
  return index
}

function keyOf({ kind, name, origin }: Manifest): string {
  return JSON.stringify([kind, name, origin.template])
}

/** Maps and lists are looked at entry by entry. */
function isSameScalar(before: Value, now: Value | undefined): boolean {
  if (now instanceof Dict || Array.isArray(now)) return true
  return now !== undefined && scalarText(before) === scalarText(now)
}

/** The object that patches see: with the namespace that it gets later. */
function asPlaced(rendered: Manifest, { namespace }: Manifest): Manifest {
  if (namespace === undefined || rendered.namespace !== undefined) return rendered
  return { ...rendered, namespace, object: withField(rendered.object, ['metadata', 'namespace'], namespace) }
}

interface WrittenField {
  /** In the text of the trace. */
  readonly at: Pick<Span, 'start' | 'end'>
  readonly isThere: boolean
  readonly value: Value
  /** Set for scalars. */
  readonly shown: ShownScalar | undefined
}

const written = new WeakMap<TracedObject, WrittenObject | undefined>()

/** How many equal objects stand before it in its text. */
function placeAmong(alike: readonly TracedObject[], found: TracedObject): number {
  const { namespace } = found.manifest
  return alike.filter(({ manifest, trace }) => trace === found.trace && manifest.namespace === namespace).indexOf(found)
}

/** Where the field stands in the rendered text or, when it is not there, the nearest that it would be part of. */
function fieldIn(
  found: TracedObject,
  path: readonly PathStep[],
  { part, nth }: { readonly part: 'key' | undefined; readonly nth: () => number },
): WrittenField | undefined {
  if (!written.has(found)) written.set(found, found.written ?? findObject(found.trace.text, found.manifest, nth()))
  const object = written.get(found)
  if (object === undefined) return undefined
  const { document, base } = object
  const valueAt = (length: number): Value | undefined => fieldAt(document.value, ...base, ...path.slice(0, length))
  let length = path.length
  while (length > 0 && valueAt(length) === undefined) length--
  const value = valueAt(length) ?? null
  const full = [...base, ...path.slice(0, length)]
  const isThere = length === path.length
  if (part === 'key' || !isThere || value instanceof Dict || Array.isArray(value)) {
    const at = full.length === 0 ? document.span : spanOf(document, full, 'key')
    return { at, isThere, value, shown: undefined }
  }
  const key = path.findLast((step) => typeof step === 'string') ?? ''
  const text = scalarText(value)
  const isEncoded = found.manifest.kind === 'Secret' && path[0] === 'data'
  const decoded = isEncoded ? decodeBase64(text) : undefined
  const texts = decoded === undefined ? [text] : [text, decodeUtf8(decoded)]
  return { at: spanOf(document, full), isThere, value, shown: { key: String(key), texts } }
}

interface ScalarContext {
  readonly cluster: LocatedCluster | undefined
  readonly pieces: readonly TemplatePlace[]
  readonly trace: DocumentTrace
}

/** The inputs that a scalar was taken from unchanged. */
function inputsOf(
  shown: ShownScalar,
  { pieces, trace, cluster }: ScalarContext,
): Pick<FieldOrigin, 'values' | 'cluster'> {
  const entry = findValuesPlace(shown, pieces, trace.layers)
  const at = entry && spanInLayer(entry.layer, entry.path)
  const ofEntry = entry && scalarText(fieldAt(entry.layer.values, ...entry.path) ?? null)
  const from = at === undefined ? pieces : [{ template: at.source.name, source: at.source, offset: at.start }]
  const texts = ofEntry === undefined ? shown.texts : [ofEntry]
  const ofCluster =
    cluster && from.map((place) => findClusterPlace(place, texts, cluster)).find((span) => span !== undefined)
  return {
    values: at && { at, isOfFleet: entry?.layer.isOfFleet === true },
    cluster: ofCluster,
  }
}

/**
 * The position that asked for a value that is known only later, where that is no template of the object:
 * overwrite.yaml.
 */
function askedBy(
  { deferred = [] }: Manifest,
  path: readonly PathStep[],
  [template]: readonly TemplatePlace[],
): Pick<FieldOrigin, 'values'> {
  const pointer = formatPointer(path)
  const placeholder = deferred.find((located) => located.pointer === pointer)
  if (placeholder === undefined) return {}
  const [token = ''] = rootTokens(placeholder.text, placeholder.tokens)
  const at = placeholder.tokens.originOf(token)?.at
  return at === undefined || at.source.name === template?.source.name ? {} : { values: { at, isOfFleet: false } }
}
