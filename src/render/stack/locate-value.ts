import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'
import type { ValuesLayer } from '../explain/values-place.ts'

/**
 * Where the file that decides about a value of the root chart writes it, or the nearest part above it that any file writes. `layers` are nearest first.
 * A file whose text is not its values (a template of values) is named as a whole.
 */
export function locateValue(path: readonly PathStep[], layers: readonly ValuesLayer[]): Span | undefined {
  for (let length = path.length; length > 0; length--) {
    const wanted = path.slice(0, length)
    for (const { source, values, prefix } of layers) {
      const own = wanted.slice(prefix.length)
      if (own.length === 0 || prefix.some((key, index) => wanted[index] !== key)) continue
      if (fieldAt(values, ...own) !== undefined) return spanOf(source, own)
    }
  }
  const [nearest] = layers
  return nearest === undefined ? undefined : { source: nearest.source, start: 0, end: 0 }
}

function spanOf(source: Source, path: readonly PathStep[]): Span {
  const [document] = parsePositionedYaml(source).documents
  const isThere = document !== undefined && fieldAt(document.value, ...path) !== undefined
  if (!isThere) return { source, start: 0, end: 0 }
  const { start } = document.spanOf(path, 'key')
  return { source, start, end: Math.max(start, document.spanOf(path).end) }
}
