import { Dict, elementType, GoBytes, typedList, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext } from '../../engine/function.ts'
import { isTypedNil } from '../go/typed-nil.ts'

/** Deeper values are refused: Go's stack would overflow on a value that contains itself. */
const maxDepth = 1000

/** The cost of a copied container, in characters. */
const containerCost = 32
const entryCost = 16

/**
 * The deep copy that sprig's deepCopy makes (mitchellh/copystructure): what is shared inside becomes several copies.
 */
export function copyDeep(value: Value, context: CallContext, depth: number = 0): Value {
  if (depth > maxDepth) throw new FunctionError('values are nested too deeply to copy')
  if (isTypedNil(value)) return value
  if (Array.isArray(value)) {
    context.charge(containerCost + value.length * entryCost)
    const copy = value.map((item) => copyDeep(item, context, depth + 1))
    const type = elementType(value)
    return type === 'interface {}' ? copy : typedList(type, copy)
  }
  if (value instanceof GoBytes) return new GoBytes(value.bytes.slice())
  if (!(value instanceof Dict)) return value
  context.charge(containerCost + value.size * entryCost)
  const copy = new Dict()
  copy.goType = value.goType
  for (const [key, item] of value) copy.set(key, copyDeep(item, context, depth + 1))
  return copy
}
