import { formatManifestYaml } from '../../codec/yaml/manifest-yaml.ts'
import type { FoldedObject } from '../../model/tree-change.ts'

/** The lines of a new object that are shown, and how many are not. */
export interface ContentLines {
  readonly lines: readonly string[]
  readonly more: number
}

/** The content of a new object as YAML, at most so many lines; none where it is no new one. */
export function contentLines({ content }: Pick<FoldedObject, 'content'>, most: number): ContentLines {
  if (content === undefined) return { lines: [], more: 0 }
  const lines = formatManifestYaml(content).trimEnd().split('\n')
  return { lines: lines.slice(0, most), more: Math.max(0, lines.length - most) }
}

/** Said of the content that is that of one of several new objects. */
export const ONE_OF_MANY = 'as in the first of them; it is not the same everywhere'
