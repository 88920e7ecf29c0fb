import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { type KeptInputs, keptInputs, type KeptLookup, type KeptState } from './kept-inputs.ts'
import { type LookedAt, placeOf, unusedInputs, type UsedInputs } from './unused-inputs.ts'

/** Where unused inputs are looked for, and the clusters that stay as they are committed. */
export interface UnusedSearch extends Omit<KeptLookup, 'isAsked'>, Pick<LookedAt, 'looked'> {
  readonly staying: readonly KeptState[]
}

/**
 * Finds unused inputs of `clusters`, which came to `results`. Those that stay as they are committed are looked at only
 * where no other has a use for something: it is rare, and takes time.
 */
export async function findUnused(
  clusters: readonly Cluster[],
  results: readonly UsedInputs[],
  { looked, staying, ...lookup }: UnusedSearch,
): Promise<readonly Diagnostic[]> {
  const found = unusedInputs(clusters, results, { looked })
  if (found.length === 0 || staying.length === 0) return found
  const places = new Set(found.flatMap(({ at }) => (at === undefined ? [] : [placeOf({ at })])))
  const kept: KeptInputs[] = []
  for (const state of staying)
    kept.push(await keptInputs(state, { ...lookup, isAsked: (patch) => places.has(placeOf(patch)) }))
  return unusedInputs(clusters, results, { looked, kept })
}
