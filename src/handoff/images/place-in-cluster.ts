import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { fieldAt, type PathStep, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Span } from '../../model/source.ts'

/** Where cluster.yaml says the text or truth value at `path` of its Cluster; undefined when it says something else there: a patch or the fleet does then. */
export function placeInCluster(
  { name, source }: Pick<Cluster, 'name' | 'source'>,
  path: readonly PathStep[],
  value: string | boolean,
): Span | undefined {
  const document = parsePositionedYaml(source).documents.find(
    (candidate) =>
      textAt(candidate.value, 'kind') === 'Cluster' && textAt(candidate.value, 'metadata', 'name') === name,
  )
  return document !== undefined && fieldAt(document.value, ...path) === value ? document.spanOf(path) : undefined
}
