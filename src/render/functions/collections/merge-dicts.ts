import { Dict, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext } from '../../engine/function.ts'
import { assumeSet } from '../../engine/token-assumptions.ts'
import { isEmpty } from './emptiness.ts'
import { isTypedNil } from '../go/typed-nil.ts'

/** Deeper maps are refused: Go's stack would overflow on a map that contains itself. */
const maxDepth = 1000

/** The fate of values that the target has: replaced (`mergeOverwrite`) or kept (`merge`). */
export type MergeMode = 'keep' | 'overwrite'

/**
 * Merges `source` into `target` as dario.cat/mergo does with `map[string]interface {}`: maps merge key by key in place,
 * a zero value of the target counts as not set, a nil of the source is skipped unless overwriting, and what is taken
 * over is shared, not copied.
 */
export function mergeDict(
  target: Dict,
  source: Dict,
  options: { readonly mode: MergeMode; readonly context: CallContext },
): void {
  mergeLevel(target, source, { ...options, depth: 0 })
}

interface Level {
  readonly mode: MergeMode
  readonly context: CallContext
  readonly depth: number
}

function mergeLevel(target: Dict, source: Dict, level: Level): void {
  if (level.depth > maxDepth) throw new FunctionError('maps are nested too deeply to merge')
  level.context.charge(16 + source.size * 16)
  for (const [key, value] of source) {
    const old = target.get(key)
    if (value === null) {
      if (level.mode === 'overwrite') assign(target, key, { value, source })
      continue
    }
    const areMaps = value instanceof Dict && old instanceof Dict
    if (areMaps && !isTypedNil(old)) mergeLevel(old, value, { ...level, depth: level.depth + 1 })
    // emptiness counts after the merge: of two empty maps the source's own is taken over
    const isSet = old !== undefined && !isEmpty(old)
    if (level.mode === 'keep' && level.context.tokens.specs.length > 0)
      assumeSet(old, level.context.tokens, level.context.origin)
    if (!isSet || (level.mode === 'overwrite' && !areMaps)) assign(target, key, { value, source })
  }
}

function assign(target: Dict, key: string, { value, source }: { readonly value: Value; readonly source: Dict }): void {
  if (target.goType === 'map[string]string' && source.goType !== target.goType) {
    throw new FunctionError('reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string')
  }
  target.set(key, value)
}
