import { JsonError } from '../../../codec/json/go-json.ts'
import { Dict, goTypeOf, typedList, type Value } from '../../../model/value.ts'

const nils = new WeakSet<Value[] | Dict>()

/**
 * Go's nil slice inside an interface: it prints, counts and ranges as an empty list, but encodes as `null` (`rest` of
 * an empty list, `concat` of nothing, a regular expression without matches). Never write to it.
 */
export function nilList(type = 'interface {}'): Value[] {
  const list: Value[] = type === 'interface {}' ? [] : typedList(type, [])
  nils.add(list)
  return list
}

/** Go's nil map inside an interface (`fromJson "null"`): reads as an empty map; writing to it is an error. */
export function nilDict(): Dict {
  const map = new Dict()
  nils.add(map)
  return map
}

/** True if the value is a nil slice or nil map. */
export function isTypedNil(value: Value): boolean {
  return isContainer(value) && nils.has(value)
}

function isContainer(value: Value): value is Value[] | Dict {
  return Array.isArray(value) || value instanceof Dict
}

/** Encoders refuse what is deeper: it can only be a cycle. */
const maxDepth = 1000

/**
 * The cost of an entry besides its text; lists that share parts are counted as often as an encoder would write them.
 */
const entryCost = 16

/** Called with the size of what is about to be written. */
export type Charge = (amount: number) => void

/**
 * The value for encoders: with each typed nil replaced by null, or the same value when there is none. Counts the work
 * of an encoder beforehand.
 * @throws JsonError for values that contain themselves, as Go's encoder does; what `charge` throws
 */
export function prepareEncoding(value: Value, charge: Charge, depth: number = 0): Value {
  if (!isContainer(value)) {
    if (typeof value === 'string') charge(value.length)
    return value
  }
  if (depth > maxDepth) throw new JsonError(`json: unsupported value: encountered a cycle via ${goTypeOf(value)}`)
  if (nils.has(value)) return null
  charge((Array.isArray(value) ? value.length : value.size) * entryCost)
  return Array.isArray(value) ? prepareList(value, charge, depth) : prepareDict(value, charge, depth)
}

function prepareList(list: Value[], charge: Charge, depth: number): Value[] {
  let copy: Value[] | undefined
  list.forEach((item, index) => {
    const next = prepareEncoding(item, charge, depth + 1)
    if (next === item) return
    copy ??= [...list]
    copy[index] = next
  })
  return copy ?? list
}

function prepareDict(map: Dict, charge: Charge, depth: number): Dict {
  let copy: Dict | undefined
  for (const [key, item] of map) {
    const next = prepareEncoding(item, charge, depth + 1)
    if (next === item) continue
    copy ??= copyDict(map)
    copy.set(key, next)
  }
  return copy ?? map
}

function copyDict(map: Dict): Dict {
  const copy = new Dict(map)
  copy.goType = map.goType
  return copy
}
