import { canonicalText, toPlain } from '../../codec/json/plain-value.ts'
import { spanInValues } from '../../codec/yaml/positioned-file.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { spanInTemplate } from './positioned-template.ts'
import type { TemplatePlace } from './template-places.ts'

/** A values file that had a say. */
export interface ValuesLayer {
  readonly source: Source
  /** A template is no YAML before it is rendered. */
  readonly form: 'yaml' | 'template'
  readonly values: Dict
  /** Where the file's root stands in the root chart's values: empty, or a subchart's keys. */
  readonly prefix: readonly string[]
  /** True if it is a file of the fleet, which people change; the others come with a release or chart. */
  readonly isOfFleet: boolean
}

/** Where a value of a layer stands in its file, or its key. */
export function spanInLayer({ source, form }: ValuesLayer, path: readonly PathStep[], part?: 'key' | 'value'): Span {
  return form === 'yaml' ? spanInValues(source, path, part) : spanInTemplate(source, path, part)
}

/** The entry of a values file that a scalar passed through from. */
export interface ValuesPlace {
  readonly layer: ValuesLayer
  /** Path inside the layer's file. */
  readonly path: readonly PathStep[]
}

/** A scalar of the output, and the key that it stands under. */
export interface ShownScalar {
  readonly key: string
  /** As it stands there and, where that encodes something, that too. */
  readonly texts: readonly string[]
}

/**
 * Finds the values entry behind a scalar of the output: a `.Values` path named by one of the actions that wrote it,
 * whose value (or a part of it, for `toYaml`) stands in the scalar unchanged. Of several (`repository:tag`) the first
 * of the fleet, which people change, else the first. Undefined when the output holds no scalar that came through
 * unchanged.
 */
export function findValuesPlace(
  shown: ShownScalar,
  places: readonly TemplatePlace[],
  layers: readonly ValuesLayer[],
): ValuesPlace | undefined {
  // a file without values has no actions to look for
  if (layers.length === 0) return undefined
  let first: ValuesPlace | undefined
  // a map that is handed on is read by names of the template that it is handed to
  const keys = new Set([shown.key])
  for (const place of places) {
    for (const name of namesIn(place)) keys.add(name)
    for (const path of valuesPaths(place)) {
      const full = [...chartKeys(place.source.name), ...path]
      const found = searchLayers(path[0] === 'global' ? [full, path] : [full], layers, { keys, texts: shown.texts })
      if (found?.layer.isOfFleet === true) return found
      first ??= found
    }
  }
  return first
}

/**
 * Finds the values entry that gave the name of a field: an entry at the end of the field's path, with its value, below
 * a `.Values` path named by one of the actions that wrote it. Undefined where the template names the field.
 */
export function findValuesKey(
  { path, value }: { readonly path: readonly PathStep[]; readonly value: Value },
  places: readonly TemplatePlace[],
  layers: readonly ValuesLayer[],
): ValuesPlace | undefined {
  const wanted = canonicalText(toPlain(value))
  for (const place of places)
    for (const named of valuesPaths(place)) {
      const full = [...chartKeys(place.source.name), ...named]
      for (const from of named[0] === 'global' ? [full, named] : [full])
        for (const layer of layers) {
          const own = from.slice(layer.prefix.length)
          if (!layer.prefix.every((key, index) => from[index] === key)) continue
          for (let length = 1; length <= path.length; length++) {
            const entry = [...own, ...path.slice(-length)]
            const found = fieldAt(layer.values, ...entry)
            if (found !== undefined && canonicalText(toPlain(found)) === wanted) return { layer, path: entry }
          }
        }
    }
  return undefined
}

/**
 * The names under which the scalar of an entry can be: its key in the output, or a name in the action that wrote it.
 */
interface WantedScalar {
  readonly keys: ReadonlySet<string>
  readonly texts: readonly string[]
}

function namesIn(place: TemplatePlace): readonly string[] {
  const [action = ''] = actionsAround(place)
  return action.match(/[A-Za-z0-9_-]+/g) ?? []
}

/** The keys under which a chart's values stand: `a/charts/b/charts/c/templates/x.yaml` gives b, c. */
function chartKeys(template: string): readonly string[] {
  return template
    .split('/charts/')
    .slice(1)
    .map((part) => part.slice(0, part.includes('/') ? part.indexOf('/') : part.length))
}

/** The paths of values in the action around a place, then those of the blocks around it, innermost first. */
export function valuesPaths(place: TemplatePlace): readonly (readonly string[])[] {
  return pathsIn(
    place,
    isHandlebars(place) ? /(?<![.\w])(?:@root\.)?values((?:\.[A-Za-z0-9_-]+)+)/g : /\.Values((?:\.[A-Za-z0-9_]+)+)/g,
  )
}

/**
 * The paths of fields of the Cluster in the action around a place, then those of the blocks around it, innermost first.
 */
export function clusterPaths(place: TemplatePlace): readonly (readonly string[])[] {
  return pathsIn(
    place,
    isHandlebars(place) ? /(?<![.\w])(?:@root\.)?cluster((?:\.[A-Za-z0-9_-]+)+)/g : /\.Cluster((?:\.[A-Za-z0-9_]+)+)/g,
  )
}

function isHandlebars({ source }: TemplatePlace): boolean {
  return source.name.endsWith('.hbs')
}

function pathsIn(place: TemplatePlace, pattern: RegExp): readonly (readonly string[])[] {
  return actionsAround(place).flatMap((action) =>
    [...action.matchAll(pattern)].map((match) => (match[1] ?? '').slice(1).split('.')),
  )
}

/** The action around a place, then the heads of the blocks around that, innermost first; none when it is text. */
function actionsAround(place: TemplatePlace): readonly string[] {
  const { source, offset } = place
  const open = source.text.lastIndexOf('{{', offset + 1)
  const close = source.text.indexOf('}}', offset)
  if (open === -1 || close === -1 || source.text.slice(open, offset).includes('}}')) return []
  const before = source.text.slice(0, open)
  return [source.text.slice(open, close), ...enclosingBlocks(before, isHandlebars(place) ? handlebarsBlock : goBlock)]
}

const goBlock = /\{\{-?\s*(if|with|range|define|block|end)\b(?:[^}]|\}(?!\}))*/g
const handlebarsBlock = /\{\{~?(#(?:if|unless|with|each)|\/(?:if|unless|with|each))\b(?:[^}]|\}(?!\}))*/g
const scoping: ReadonlySet<string> = new Set(['with', 'range', '#with', '#each'])

/**
 * The heads of the blocks that change what names mean and are open at the end of a template's text, innermost first.
 */
function enclosingBlocks(text: string, pattern: RegExp): readonly string[] {
  const blocks: string[] = []
  for (const [action, keyword = ''] of text.matchAll(pattern)) {
    if (keyword === 'end' || keyword.startsWith('/')) blocks.pop()
    else blocks.push(scoping.has(keyword) ? action : '')
  }
  return blocks.toReversed()
}

function searchLayers(
  paths: readonly (readonly string[])[],
  layers: readonly ValuesLayer[],
  wanted: WantedScalar,
): ValuesPlace | undefined {
  for (const layer of layers) {
    for (const path of paths) {
      if (!layer.prefix.every((key, index) => path[index] === key)) continue
      const own = path.slice(layer.prefix.length)
      const value = fieldAt(layer.values, ...own)
      const rest = value === undefined ? undefined : matchingLeaf(value, wanted)
      if (rest !== undefined) return { layer, path: [...own, ...rest] }
      // a nearer file that sets a scalar hides what farther ones say
      if (value !== undefined && !(value instanceof Dict)) return undefined
    }
  }
  return undefined
}

/** The path below `value` of the scalar that is shown: itself, or an entry of that key (or item) for maps and lists. */
function matchingLeaf(value: Value, wanted: WantedScalar): readonly PathStep[] | undefined {
  if (value instanceof Dict) {
    for (const [key, child] of value) {
      const isScalar = !(child instanceof Dict) && !Array.isArray(child)
      if (isScalar && !wanted.keys.has('') && !wanted.keys.has(key)) continue
      const rest = matchingLeaf(child, wanted)
      if (rest !== undefined) return [key, ...rest]
    }
    return undefined
  }
  if (Array.isArray(value)) {
    for (const [index, child] of value.entries()) {
      const rest = matchingLeaf(child, wanted)
      if (rest !== undefined) return [index, ...rest]
    }
    return undefined
  }
  const text = scalarText(value)
  return text !== '' && wanted.texts.some((whole) => whole.includes(text)) ? [] : undefined
}

/** A scalar as templates print it; '' for null, maps and lists. */
export function scalarText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  return value instanceof GoInt ? value.value.toString() : ''
}
