import type { PathStep } from '../../model/field.ts'
import { fieldAt } from '../../model/field.ts'
import type { PositionedText } from '../../model/positioned.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import type { TemplatePlace } from './template-places.ts'

/** A values file that had a say. */
export interface ValuesLayer extends PositionedText {
  readonly values: Dict
  /** Where the file's root stands in the root chart's values: empty, or a subchart's keys. */
  readonly prefix: readonly string[]
}

/** The entry of a values file that a scalar passed through from. */
export interface ValuesPlace {
  readonly layer: ValuesLayer
  /** Path inside the layer's file. */
  readonly path: readonly PathStep[]
}

/**
 * Finds the values entry behind one line of output: a `.Values` path named by one of the actions that wrote it, whose value (or a part of it, for
 * `toYaml`) stands in the line unchanged. Undefined when the line holds no scalar that came through unchanged.
 */
export function findValuesPlace(
  line: string,
  places: readonly TemplatePlace[],
  layers: readonly ValuesLayer[],
): ValuesPlace | undefined {
  const wanted = readLine(line)
  for (const place of places) {
    for (const path of valuesPaths(place)) {
      const full = [...chartKeys(place.source.name), ...path]
      const found = searchLayers(path[0] === 'global' ? [full, path] : [full], layers, wanted)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** The keys under which a chart's values stand: `a/charts/b/charts/c/templates/x.yaml` gives b, c. */
function chartKeys(template: string): readonly string[] {
  return template
    .split('/charts/')
    .slice(1)
    .map((part) => part.slice(0, part.includes('/') ? part.indexOf('/') : part.length))
}

/** The `.Values` paths in the action around a place, then those of the `with` and `range` around it, innermost first. */
function valuesPaths({ source, offset }: TemplatePlace): readonly (readonly string[])[] {
  const open = source.text.lastIndexOf('{{', offset + 1)
  const close = source.text.indexOf('}}', offset)
  if (open === -1 || close === -1 || source.text.slice(open, offset).includes('}}')) return []
  const actions = [source.text.slice(open, close), ...enclosingBlocks(source.text.slice(0, open))]
  return actions.flatMap((action) =>
    [...action.matchAll(/\.Values((?:\.[A-Za-z0-9_]+)+)/g)].map((match) => (match[1] ?? '').slice(1).split('.')),
  )
}

/** The heads of the `with` and `range` blocks that are open at the end of a template's text, innermost first. */
function enclosingBlocks(text: string): readonly string[] {
  const blocks: string[] = []
  for (const [action, keyword] of text.matchAll(/\{\{-?\s*(if|with|range|define|block|end)\b(?:[^}]|\}(?!\}))*/g)) {
    if (keyword === 'end') blocks.pop()
    else blocks.push(keyword === 'with' || keyword === 'range' ? action : '')
  }
  return blocks.toReversed()
}

interface Wanted {
  readonly key: string
  readonly text: string
}

function readLine(line: string): Wanted {
  const [, key = '', text = ''] = /^\s*(?:- )*(?:["']?([^"':\s]+)["']?:(?:\s+|$))?(.*)$/.exec(line) ?? []
  const plain = /^(["'])(.*)\1$/.exec(text.trim())?.[2]
  return { key, text: plain ?? text.trim() }
}

function searchLayers(
  paths: readonly (readonly string[])[],
  layers: readonly ValuesLayer[],
  wanted: Wanted,
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

/** The path below `value` of the scalar that the line shows: itself, or an entry of that key (or item) for maps and lists. */
function matchingLeaf(value: Value, wanted: Wanted): readonly PathStep[] | undefined {
  if (value instanceof Dict) {
    for (const [key, child] of value) {
      const isScalar = !(child instanceof Dict) && !Array.isArray(child)
      if (isScalar && wanted.key !== '' && key !== wanted.key) continue
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
  return text !== '' && wanted.text.includes(text) ? [] : undefined
}

function scalarText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  return value instanceof GoInt ? value.value.toString() : ''
}
