import { pathAtLine } from '../codec/yaml/path-at-line.ts'
import { parsePositionedYaml } from '../codec/yaml/positioned-yaml.ts'
import { fieldAt, type PathStep } from '../model/field.ts'
import type { Cluster, Patch } from '../model/fleet.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Positioned } from '../model/positioned.ts'
import type { Source, Span } from '../model/source.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { pieceStarts, templatePlaces, type TemplatePlace } from '../render/explain/template-places.ts'
import { findValuesPlace } from '../render/explain/values-place.ts'
import type { ChartRenderer } from '../render/stack/chart-renderer.ts'
import { matchesTarget } from '../render/stack/patch.ts'
import { type HoleOrigin, holesAt } from './hole-origins.ts'
import { type OwnWork, ownHead, ownWork } from './own-work.ts'

/** One line of a rendered file and what made it. */
export interface ExplainedLine {
  readonly line: number
  readonly text: string
  /** Templates, innermost first; empty for what comes from no template. */
  readonly templates: readonly TemplatePlace[]
  /** The entry of a values file that the line's scalar came from unchanged. */
  readonly values?: Span
  /** The entry of a fleet file that stands in the line. */
  readonly fleet?: Span
  /** What stackmason itself did here, or `fleet`: taken from the file of the fleet that the head names. */
  readonly by?: OwnWork | 'fleet'
  /** What the line waits for: values that are known when the cluster runs, and who asked for them. */
  readonly holes: readonly HoleOrigin[]
  readonly patches: readonly Span[]
}

/** What a rendered file is explained with. */
export interface Explaining {
  readonly source: Source
  readonly manifest: Manifest
  /** The same object as it was rendered, before it was handed over. */
  readonly rendered: Manifest | undefined
  readonly cluster: Cluster | undefined
  /** Whether its folder stays as it is committed. */
  readonly isKept: boolean
  /** Files of the fleet that objects are taken from, templates left out. */
  readonly fleetFiles: readonly Source[]
  readonly charts: ChartRenderer
  readonly line: number | undefined
}

/** Says of each line of a rendered file, or of one, what made it. */
export function explainLines(explaining: Explaining): readonly ExplainedLine[] {
  const { source, manifest, charts, line } = explaining
  const [document] = parsePositionedYaml(source).documents
  if (document === undefined) return []
  const patches = (explaining.cluster?.patches ?? []).filter((patch) => matchesTarget(manifest, patch.target))
  const texts = source.text.split('\n')
  if (texts.at(-1) === '') texts.pop()
  const wanted = line === undefined ? texts.map((_, index) => index + 1) : [line]
  const traced = charts.traceOf(manifest.origin)
  const original = traced === undefined ? undefined : originalOf(traced.text, manifest)
  const fleetFile = explaining.fleetFiles.find(({ name }) => name === manifest.origin.template)
  const inFleet = fleetFile === undefined ? undefined : originalOf(fleetFile.text, manifest, fleetFile)
  const isOpaque = traced === undefined && inFleet === undefined && explaining.rendered !== undefined
  return wanted.map((number): ExplainedLine => {
    const text = texts[number - 1] ?? ''
    const none = { line: number, text, templates: [], holes: [], patches: [] }
    const head = ownHead(text, number)
    if (head !== undefined) return { ...none, by: head }
    const path = pathAtLine(document, number)
    const value = fieldAt(document.value, ...path)
    const touching = patches.filter((patch) => touches(patch, path)).map((patch) => patch.at)
    const base = { ...none, patches: touching, holes: holesAt(explaining.rendered, path, text) }
    const own = (): Pick<ExplainedLine, 'by'> =>
      touching.length > 0 || base.holes.length > 0 ? {} : { by: ownWork(path, value) }
    if (traced === undefined && explaining.rendered === undefined)
      return { ...base, by: explaining.isKept ? 'kept' : 'stackmason' }
    if (isOpaque) {
      const isRendered = fieldAt(explaining.rendered.object, ...path) !== undefined
      return { ...base, ...(isRendered ? { by: 'fleet' } : own()) }
    }
    if (traced === undefined) {
      const fleet = inFleet === undefined ? undefined : placeIn(inFleet, path, value)
      const isSame =
        inFleet !== undefined && isSameScalar(fieldAt(inFleet.document.value, ...inFleet.base, ...path), value)
      return fleet === undefined || !isSame ? { ...base, ...own() } : { ...base, by: 'fleet', fleet }
    }
    const found = original === undefined ? undefined : placeIn(original, path, value)
    if (found === undefined) return { ...base, ...own() }
    const [start, end] = [traced.offset + found.start, traced.offset + found.end]
    const templates = templatePlaces(traced.chunks, start)
    const pieces = pieceStarts(traced.chunks, start, end).flatMap((piece) => templatePlaces(traced.chunks, piece))
    const entry = findValuesPlace(text, pieces, traced.layers)
    const values = entry?.layer.spanOf(entry.path)
    return { ...base, templates, ...(values === undefined ? {} : { values }) }
  })
}

/** Maps and lists are looked at entry by entry. */
function isSameScalar(before: Value | undefined, now: Value | undefined): boolean {
  if (now instanceof Dict || Array.isArray(now)) return true
  if (before instanceof GoInt && now instanceof GoInt) return before.value === now.value
  return before === now
}

/** The document that the object was in; of a List the items are looked through. */
function originalOf(
  text: string,
  manifest: Manifest,
  source: Source = { name: manifest.origin.template, text },
): { readonly document: Positioned; readonly base: readonly PathStep[] } | undefined {
  for (const document of parsePositionedYaml(source).documents) {
    const items = fieldAt(document.value, 'items')
    const bases: readonly (readonly PathStep[])[] = Array.isArray(items)
      ? items.map((_, index) => ['items', index])
      : [[]]
    for (const base of bases) {
      const isSame =
        fieldAt(document.value, ...base, 'kind') === manifest.kind &&
        fieldAt(document.value, ...base, 'metadata', 'name') === manifest.name
      if (isSame) return { document, base }
    }
  }
  return undefined
}

/** Where the entry stands in Helm's text: its value when that is a scalar, else its key; undefined when it is not there. */
function placeIn(
  original: NonNullable<ReturnType<typeof originalOf>>,
  path: readonly PathStep[],
  value: Value | undefined,
): Span | undefined {
  const full = [...original.base, ...path]
  if (path.length > 0 && fieldAt(original.document.value, ...full) === undefined) return undefined
  const isScalar = !(value instanceof Dict) && !Array.isArray(value)
  return original.document.spanOf(full, isScalar ? 'value' : 'key')
}

/** Whether a patch names this entry, something above it, or something below it. */
function touches(patch: Patch, path: readonly PathStep[]): boolean {
  if (patch.mergePatch !== undefined) return fieldAt(patch.mergePatch, ...path) !== undefined
  const pointer = `/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
  return (patch.jsonPatch ?? []).some(
    (operation) => pointer === operation.path || pointer.startsWith(`${operation.path}/`),
  )
}
