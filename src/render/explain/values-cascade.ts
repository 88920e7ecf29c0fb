import type { CascadeKey, CascadePlace } from '../../model/fleet-overview.ts'
import { fieldAt } from '../../model/field.ts'
import { isSensitiveName } from '../../model/sensitive-name.ts'
import { pathOf, positionAt } from '../../model/source.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { spanInLayer, type ValuesLayer } from './values-place.ts'

/**
 * The keys that the files of the fleet and of the release set, each with the file that decides, and those that it takes
 * the place of. `layers` are nearest first; `defaults` are those of the chart, which set nothing alone.
 */
export function valuesCascade(layers: readonly ValuesLayer[], defaults: readonly ValuesLayer[]): readonly CascadeKey[] {
  const known = new Map<string, CascadeKey>()
  const all = [...layers, ...defaults]
  for (const [index, layer] of layers.entries()) {
    for (const { path, value } of leavesOf(layer.values, [])) {
      const key = JSON.stringify(path)
      if (known.has(key)) continue
      const shown = shownValue(path, value)
      known.set(key, {
        path,
        shown,
        at: placeIn(layer, path),
        over: all.slice(index + 1).flatMap((farther) => {
          const own = ownPath(farther, path)
          return own === undefined || fieldAt(farther.values, ...own) === undefined ? [] : [placeIn(farther, own)]
        }),
      })
    }
  }
  return [...known.values()].toSorted((a, b) => compare(a.path.join('\0'), b.path.join('\0')))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

interface Leaf {
  readonly path: readonly string[]
  readonly value: Value
}

/** The values that are no maps: a list is set as a whole. */
function leavesOf(values: Dict, path: readonly string[]): readonly Leaf[] {
  return [...values].flatMap(([key, value]): readonly Leaf[] => {
    const own = [...path, key]
    return value instanceof Dict && value.size > 0 ? leavesOf(value, own) : [{ path: own, value }]
  })
}

/** The path in the layer's own file; undefined where the key is of another chart. */
function ownPath({ prefix }: ValuesLayer, path: readonly string[]): readonly string[] | undefined {
  return prefix.every((key, index) => path[index] === key) && path.length > prefix.length
    ? path.slice(prefix.length)
    : undefined
}

function placeIn(layer: ValuesLayer, path: readonly string[]): CascadePlace {
  const { source, start } = spanInLayer(layer, path, 'key')
  return { file: pathOf(source), line: positionAt(source, start).line, isOfFleet: layer.isOfFleet }
}

const VERSION = /^v?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+][0-9A-Za-z.-]{1,30})?$/

/**
 * The value as it may be shown, where it can hardly be a secret: any text of a values file may be one, whatever its key
 * is called.
 */
function shownValue(path: readonly string[], value: Value): string | undefined {
  if (path.some(isSensitiveName)) return undefined
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return String(value)
  if (value instanceof GoInt) return value.value.toString()
  return typeof value === 'string' && VERSION.test(value) ? value : undefined
}
