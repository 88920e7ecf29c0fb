import { compareBytes } from '../../codec/text/text-order.ts'
import { Dict, GoBytes, GoInt, GoObject, goTypeOf, type Value } from '../../model/value.ts'
import { inGo, ours, say } from './error-text.ts'
import { formatPrintf } from './format.ts'
import { FunctionError } from './function.ts'

/** The kinds that Go's comparison functions know; `other` covers nil, lists, maps and objects. */
type BasicKind = 'bool' | 'int' | 'uint' | 'float' | 'string' | 'other'

function basicKind(value: Value): BasicKind {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'float'
  if (typeof value === 'boolean') return 'bool'
  if (value instanceof GoInt) return value.kind.startsWith('u') ? 'uint' : 'int'
  return 'other'
}

/**
 * Go's `==` between two template values (funcs.go, eq): signed and unsigned integers compare, nil compares with
 * everything.
 * @throws FunctionError for types that do not compare
 */
export function isEqual(a: Value, b: Value): boolean {
  const kindA = basicKind(a)
  const kindB = basicKind(b)
  if (a instanceof GoInt && b instanceof GoInt) return a.value === b.value
  if (kindA !== kindB) {
    if (a === null || b === null) return false
    throw new FunctionError(say`incompatible types for comparison: ${ours(goTypeOf(a))} and ${ours(goTypeOf(b))}`)
  }
  return kindA === 'other' ? isSame(a, b) : a === b
}

/** Values of no basic kind: only nil, and objects that are the same, are equal. */
function isSame(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b
  if (reflectKind(a) !== reflectKind(b)) {
    const types = [goTypeOf(a), goTypeOf(b)] as const
    const go = formatPrintf('non-comparable types %s: %v, %s: %v', [a, types[0], types[1], b])
    throw new FunctionError(inGo(go, say`non-comparable types ${ours(types[0])} and ${ours(types[1])}`))
  }
  if (reflectKind(b) === 'map' || reflectKind(b) === 'slice') {
    const go = formatPrintf('non-comparable type %s: %v', [b, goTypeOf(b)])
    throw new FunctionError(inGo(go, say`non-comparable type ${ours(goTypeOf(b))}`))
  }
  return a instanceof GoObject && b instanceof GoObject ? a.isSame(b) : a === b
}

function reflectKind(value: Value): string {
  if (value instanceof Dict) return 'map'
  if (Array.isArray(value) || value instanceof GoBytes) return 'slice'
  return value !== null && typeof value === 'object' && !(value instanceof GoInt) ? value.kind : 'other'
}

/**
 * Go's `<` between two template values (funcs.go, lt).
 * @throws FunctionError for types that have no order
 */
export function isLess(a: Value, b: Value): boolean {
  const kindA = basicKind(a)
  const kindB = basicKind(b)
  if (kindA === 'other' || kindB === 'other') throw new FunctionError('invalid type for comparison')
  if (a instanceof GoInt && b instanceof GoInt) return a.value < b.value
  if (kindA !== kindB)
    throw new FunctionError(say`incompatible types for comparison: ${ours(goTypeOf(a))} and ${ours(goTypeOf(b))}`)
  if (typeof a === 'number' && typeof b === 'number') return a < b
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b) < 0
  throw new FunctionError('invalid type for comparison')
}
