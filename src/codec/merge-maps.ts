import { Dict } from '../model/value.ts'

/**
 * Returns `base` with `over` on top: maps merge key by key, everything else is replaced, null included (Helm
 * pkg/chart/v2/loader, MergeMaps). Neither argument is changed; what is not merged is shared with them.
 */
export function mergeMaps(base: Dict, over: Dict): Dict {
  const result = new Dict(base)
  for (const [key, value] of over) {
    const below = result.get(key)
    result.set(key, value instanceof Dict && below instanceof Dict ? mergeMaps(below, value) : value)
  }
  return result
}
