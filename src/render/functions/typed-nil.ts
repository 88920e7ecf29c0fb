import { JsonError } from '../../codec/go-json.ts'
import { Dict, GoInt, GoObject, goTypeOf, typedList, type Value } from '../../model/value.ts'

const nils = new WeakSet<Value[] | Dict>()

/**
 * Go's nil slice inside an interface: it prints, counts and ranges as an empty list, but encodes as `null` (`rest` of an empty
 * list, `concat` of nothing, a regular expression without matches). Never write to it.
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

/** Whether the value is a nil slice or nil map. */
export function isTypedNil(value: Value): boolean {
  return isContainer(value) && nils.has(value)
}

function isContainer(value: Value): value is Value[] | Dict {
  return Array.isArray(value) || value instanceof Dict
}

/** Encoders refuse what is deeper: it can only be a cycle. */
const maxDepth = 1000

/**
 * What encoders must see: the value with each typed nil replaced by null; the same value when there is none.
 * @throws JsonError for values that contain themselves, as Go's encoder does
 */
export function withoutTypedNils(value: Value, depth: number = 0): Value {
  if (!isContainer(value)) return value
  if (depth > maxDepth) throw new JsonError(`json: unsupported value: encountered a cycle via ${goTypeOf(value)}`)
  if (nils.has(value)) return null
  return Array.isArray(value) ? listWithoutNils(value, depth) : dictWithoutNils(value, depth)
}

function listWithoutNils(list: Value[], depth: number): Value[] {
  let copy: Value[] | undefined
  list.forEach((item, index) => {
    if (isPlain(item)) return
    const next = withoutTypedNils(item, depth + 1)
    if (next === item) return
    copy ??= [...list]
    copy[index] = next
  })
  return copy ?? list
}

function dictWithoutNils(map: Dict, depth: number): Dict {
  let copy: Dict | undefined
  for (const [key, item] of map) {
    if (isPlain(item)) continue
    const next = withoutTypedNils(item, depth + 1)
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

function isPlain(value: Value): boolean {
  return value === null || typeof value !== 'object' || value instanceof GoInt || value instanceof GoObject
}
