import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'
import { parsePositionedYaml, type PositionedYaml } from './positioned-yaml.ts'
import { RecentSources } from './recent-sources.ts'

const filesOf = { bool: new RecentSources<PositionedYaml>(), text: new RecentSources<PositionedYaml>() }

/** The documents and problems of a file of YAML, which is parsed when it is first asked for. */
export function positionedFile(source: Source, words: 'bool' | 'text' = 'text'): PositionedYaml {
  return filesOf[words].get(source, () => parsePositionedYaml(source, { words }))
}

/**
 * Where a value of a file of values stands, or its key: see `spanOf`. Of several documents the last counts that has it.
 */
export function spanInValues(source: Source, path: readonly PathStep[], part?: 'key' | 'value'): Span {
  const { documents } = positionedFile(source, 'bool')
  const document =
    documents.findLast(({ value }) => fieldAt(value, ...path) !== undefined) ??
    documents.find(({ value }) => value !== null)
  return document?.spanOf(path, part) ?? { source, start: 0, end: 0 }
}
