import { decodeUtf8, encodeUtf8, utf8Length } from '../../codec/bytes/utf8.ts'
import { Dict, GoBytes, GoInt, GoObject, elementType, goTypeOf, typedList, type Value } from '../../model/value.ts'
import { integer, ours, say } from './error-text.ts'
import { FunctionError } from './function.ts'
import { holdsToken, refuseToken, TokenRefusedError } from './token-refused.ts'

/**
 * Go's `index` (funcs.go): `item[i][j]…`.
 * @throws FunctionError for nil, for a position outside of a list, and for what cannot be indexed; TokenRefusedError
 */
export function indexValue(item: Value, indexes: readonly Value[]): Value {
  if (item === null) throw new FunctionError('index of untyped nil')
  let current: Value = item
  for (const index of indexes) current = elementAt(unwrap(current), index)
  return current
}

/** Objects that stand for a list or a map are one here. */
function unwrap(value: Value): Value {
  return value instanceof GoObject && (value.kind === 'slice' || value.kind === 'map') ? value.toValue() : value
}

function elementAt(item: Value, index: Value): Value {
  if (item === null) throw new FunctionError('index of nil pointer')
  if (item instanceof Dict) {
    const key = mapKey(index)
    const value = item.get(key)
    return value === undefined ? item.zero() : value
  }
  if (Array.isArray(item)) {
    const at = position(index, item.length)
    const value = item[at]
    if (value === undefined) throw new FunctionError('reflect: slice index out of range')
    return value
  }
  if (typeof item === 'string' || item instanceof GoBytes) {
    const bytes =
      typeof item === 'string'
        ? encodeUtf8(refuseToken(item, 'cannot cut a value that is only known later'))
        : item.bytes
    const byte = bytes[position(index, bytes.length)]
    if (byte === undefined)
      throw new FunctionError(say`reflect: ${ours(typeof item === 'string' ? 'string' : 'slice')} index out of range`)
    return new GoInt(BigInt(byte), 'uint8')
  }
  throw new FunctionError(say`can't index item of type ${ours(concreteType(item))}`)
}

/** The type behind a pointer: Go follows it before it looks. */
function concreteType(value: Value): string {
  const type = goTypeOf(value)
  return type.startsWith('*') ? type.slice(1) : type
}

function mapKey(index: Value): string {
  if (index === null) throw new FunctionError('value is nil; should be of type string')
  if (typeof index !== 'string') throw new FunctionError(say`value has type ${ours(goTypeOf(index))}; should be string`)
  if (holdsToken(index)) throw new TokenRefusedError('cannot look up a key that is only known later')
  return index
}

/** An index as Go checks it; one past the end passes here and fails at the access. */
function position(index: Value, length: number): number {
  if (index === null) throw new FunctionError('cannot index slice/array with nil')
  if (!(index instanceof GoInt))
    throw new FunctionError(say`cannot index slice/array with type ${ours(goTypeOf(index))}`)
  const at = BigInt.asIntN(64, index.value)
  if (at < 0n || at > BigInt(length)) throw new FunctionError(say`index out of range: ${integer(at)}`)
  return Number(at)
}

/**
 * Go's `slice` (funcs.go): `item[i:j:k]` of a string or a list.
 * @throws FunctionError for nil, bad positions and what cannot be sliced; TokenRefusedError
 */
export function sliceValue(value: Value, indexes: readonly Value[]): Value {
  const item = unwrap(value)
  if (item === null) throw new FunctionError('slice of untyped nil')
  if (indexes.length > 3) throw new FunctionError(say`too many slice indexes: ${ours(indexes.length)}`)
  if (typeof item !== 'string' && !Array.isArray(item) && !(item instanceof GoBytes)) {
    throw new FunctionError(say`can't slice item of type ${ours(goTypeOf(item))}`)
  }
  if (typeof item === 'string' && indexes.length === 3) throw new FunctionError('cannot 3-index slice a string')
  const length = lengthOf(item)
  const [start = 0, end = length, max = length] = indexes.map((index) => position(index, length))
  if (start > end) throw new FunctionError(say`invalid slice index: ${integer(start)} > ${integer(end)}`)
  if (end > max) throw new FunctionError(say`invalid slice index: ${integer(end)} > ${integer(max)}`)
  if (Array.isArray(item)) {
    const part = item.slice(start, end)
    return elementType(item) === 'interface {}' ? part : typedList(elementType(item), part)
  }
  if (item instanceof GoBytes) return new GoBytes(item.bytes.slice(start, end))
  return decodeUtf8(encodeUtf8(item).subarray(start, end))
}

/**
 * Go's `len` (funcs.go): bytes of a string, elements of a list or map.
 * @throws FunctionError for what has no length; TokenRefusedError
 */
export function lengthOf(value: Value): number {
  const item = unwrap(value)
  if (item === null) throw new FunctionError('len of nil pointer')
  if (typeof item === 'string') return utf8Length(refuseToken(item, 'cannot measure a value that is only known later'))
  if (Array.isArray(item)) return item.length
  if (item instanceof Dict) return item.size
  if (item instanceof GoBytes) return item.bytes.length
  throw new FunctionError(say`len of type ${ours(concreteType(item))}`)
}
