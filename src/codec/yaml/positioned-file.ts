import { fieldAt } from '../../model/field.ts'
import type { PositionedFile, PositionedText } from '../../model/positioned.ts'
import type { Source } from '../../model/source.ts'
import { parsePositionedYaml, type PositionedYaml } from './positioned-yaml.ts'

/** A file of YAML that is parsed, once, when its documents or problems are first asked for. */
export function positionedFile(source: Source): PositionedFile {
  let parsed: PositionedYaml | undefined
  const parse = (): PositionedYaml => (parsed ??= parsePositionedYaml(source))
  return {
    source,
    get documents() {
      return parse().documents
    },
    get problems() {
      return parse().problems
    },
  }
}

/**
 * A file of values that is parsed for their places, once, when the first is asked for; of several documents the last
 * counts that has it.
 */
export function positionedValues(source: Source): PositionedText {
  const file = positionedFile(source)
  return {
    source,
    spanOf(path, part) {
      const { documents } = file
      const document =
        documents.findLast(({ value }) => fieldAt(value, ...path) !== undefined) ??
        documents.find(({ value }) => value !== null)
      return document?.spanOf(path, part) ?? { source, start: 0, end: 0 }
    },
  }
}
