import { parsePositionedYaml, placeOf } from '../../src/codec/yaml/positioned-yaml.ts'
import { textAt } from '../../src/model/field.ts'
import type { Positioned } from '../../src/model/positioned.ts'
import { Dict } from '../../src/model/value.ts'

/** The map of a text in YAML with its places; of several that of the kind. */
export function positionedMap(
  text: string,
  { name = 'test.yaml', kind = '' }: { readonly name?: string; readonly kind?: string } = {},
): Positioned<Dict> {
  const { documents } = parsePositionedYaml({ name, text }, { words: 'bool' })
  for (const document of documents) {
    const { value } = document
    if (value instanceof Dict && (kind === '' || textAt(value, 'kind') === kind)) return { ...placeOf(document), value }
  }
  throw new Error('no map')
}
