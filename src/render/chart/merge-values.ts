import { mergeMaps } from '../../codec/merge-maps.ts'
import type { Dict } from '../../model/value.ts'

/**
 * Returns `base` with `over` on top, as Helm merges several `-f` files: maps merge, everything else is replaced, null
 * stays null. Neither argument is changed.
 */
export function mergeValues(base: Dict, over: Dict): Dict {
  return mergeMaps(base, over)
}
