import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Span } from '../../model/source.ts'

/** Where cluster.yaml says the text or truth value at `path` of its Cluster; undefined when it says something else there: a patch or the fleet does then. */
export function placeInCluster(
  { document }: Pick<Cluster, 'document'>,
  path: readonly PathStep[],
  value: string | boolean,
): Span | undefined {
  return fieldAt(document.value, ...path) === value ? document.spanOf(path) : undefined
}
