import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Span } from '../../model/source.ts'
import { spanInLayer, type ValuesLayer } from '../explain/values-place.ts'

/**
 * Where the file that decides about a value of the root chart writes it, or the nearest part above it that any file
 * writes. `layers` are nearest first.
 */
export function locateValue(path: readonly PathStep[], layers: readonly ValuesLayer[]): Span | undefined {
  for (let length = path.length; length > 0; length--) {
    const wanted = path.slice(0, length)
    for (const layer of layers) {
      const { source, values, prefix } = layer
      const own = wanted.slice(prefix.length)
      if (own.length === 0 || prefix.some((key, index) => wanted[index] !== key)) continue
      if (fieldAt(values, ...own) === undefined) continue
      const { start } = spanInLayer(layer, own, 'key')
      return { source, start, end: Math.max(start, spanInLayer(layer, own).end) }
    }
  }
  const [nearest] = layers
  return nearest === undefined ? undefined : { source: nearest.source, start: 0, end: 0 }
}
