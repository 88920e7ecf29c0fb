import { GoInt, type Value } from '../../../model/value.ts'
import type { CallContext } from '../../engine/function.ts'
import { holdsToken, TokenRefusedError } from '../../engine/token-refused.ts'
import { deepEqual } from '../go/deep-equal.ts'

/**
 * Values by Go's deep equality. Both functions throw TokenRefusedError when the answer depends on a value only known
 * later.
 */
export interface ElementSet {
  readonly has: (value: Value) => boolean
  /** Says whether the value was not there before. */
  readonly add: (value: Value) => boolean
}

/** Makes an empty set. Plain values are found at once, all others by comparing them one by one. */
export function createElementSet(context: CallContext): ElementSet {
  const plain = new Set<string>()
  /** The values without a key: lists, maps, texts with tokens, NaN. */
  const compared: Value[] = []
  const texts: Value[] = []

  function has(value: Value): boolean {
    const key = plainKey(value)
    if (key !== undefined && plain.has(key)) return true
    // a text with a token may turn out to be any other text
    if (typeof value === 'string')
      return isElement(key === undefined ? [...compared, ...texts] : compared, value, context)
    return key === undefined && isElement(compared, value, context)
  }

  function add(value: Value): boolean {
    if (has(value)) return false
    const key = plainKey(value)
    if (key === undefined) compared.push(value)
    else plain.add(key)
    if (key !== undefined && typeof value === 'string') texts.push(value)
    return true
  }

  return { has, add }
}

/** A text that equal values share and others do not; undefined for what has to be compared. */
function plainKey(value: Value): string | undefined {
  if (value === null) return 'nil'
  if (typeof value === 'string') return holdsToken(value) ? undefined : `string ${value}`
  // 0 and -0 are equal, and NaN is not even itself
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : `float64 ${value}`
  if (typeof value === 'boolean') return `bool ${value}`
  return value instanceof GoInt ? `${value.kind} ${value.value}` : undefined
}

/**
 * True if an equal element is in the list; one certain hit decides, even where other elements depend on a token.
 * @throws TokenRefusedError
 */
export function isElement(list: readonly Value[], value: Value, context: CallContext): boolean {
  context.charge(list.length)
  let refused: TokenRefusedError | undefined
  for (const item of list) {
    try {
      if (deepEqual(value, item, context)) return true
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error
      refused = error
    }
  }
  if (refused !== undefined) throw refused
  return false
}
