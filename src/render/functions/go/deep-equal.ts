import { Dict, elementType, GoBytes, GoInt, GoObject, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext } from '../../engine/function.ts'
import { isEqualWithTokens } from '../../engine/token-equality.ts'
import { TokenRefusedError } from '../../engine/token-refused.ts'
import { isTypedNil } from './typed-nil.ts'

/** Deeper values are refused: Go follows cycles by address, and nothing sensible comes near. */
const maxDepth = 1000

/**
 * Go's reflect.DeepEqual: types count (`3` is not `3.0`, `[]string` is not `[]interface {}`), and a nil slice is not an
 * empty one.
 * @throws TokenRefusedError when the answer depends on a value that is only known later
 */
export function deepEqual(a: Value, b: Value, context: CallContext, depth: number = 0): boolean {
  if (typeof a === 'string' || typeof b === 'string')
    return typeof a === 'string' && typeof b === 'string' && isEqualWithTokens(a, b, context)
  if (a === null || typeof a !== 'object') return a === b
  if (b === null || typeof b !== 'object') return false
  if (depth > maxDepth) throw new FunctionError('values are nested too deeply to compare')
  if (a instanceof GoInt) return b instanceof GoInt && a.kind === b.kind && a.value === b.value
  if (a instanceof GoBytes) return b instanceof GoBytes && equalBytes(a.bytes, b.bytes)
  if (a === b) return true
  if (isTypedNil(a) !== isTypedNil(b)) return false
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b, { context, depth })
  if (a instanceof Dict) return b instanceof Dict && equalDicts(a, b, { context, depth })
  return b instanceof GoObject && a.goType === b.goType && a.toText() === b.toText()
}

interface Comparison {
  readonly context: CallContext
  readonly depth: number
}

function equalLists(a: readonly Value[], b: readonly Value[], { context, depth }: Comparison): boolean {
  if (elementType(a) !== elementType(b) || a.length !== b.length) return false
  return everyEqual(
    a.map((item, index): readonly [Value, Value] => [item, b[index] ?? null]),
    { context, depth },
  )
}

function equalDicts(a: Dict, b: Dict, { context, depth }: Comparison): boolean {
  if (a.goType !== b.goType || a.size !== b.size) return false
  const pairs: (readonly [Value, Value])[] = []
  for (const [key, item] of a) {
    const other = b.get(key)
    if (other === undefined) return false
    pairs.push([item, other])
  }
  return everyEqual(pairs, { context, depth })
}

/** One certain difference decides, even where another pair depends on a token. */
function everyEqual(pairs: readonly (readonly [Value, Value])[], { context, depth }: Comparison): boolean {
  context.charge(16 + pairs.length * 16)
  let refused: TokenRefusedError | undefined
  for (const [a, b] of pairs) {
    try {
      if (!deepEqual(a, b, context, depth + 1)) return false
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error
      refused = error
    }
  }
  if (refused !== undefined) throw refused
  return true
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
