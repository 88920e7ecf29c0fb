import { Dict, type Value } from '../../model/value.ts'

/** A copy of an object with other values at these JSON pointers. */
export function replaceValues(object: Dict, values: ReadonlyMap<string, Value>): Dict {
  const copyDict = (from: Dict, pointer: string): Dict => {
    const copy = new Dict()
    for (const [key, child] of from)
      copy.set(key, copyOf(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`))
    return copy
  }
  const copyOf = (value: Value, pointer: string): Value => {
    if (Array.isArray(value)) return value.map((item, index) => copyOf(item, `${pointer}/${String(index)}`))
    return value instanceof Dict ? copyDict(value, pointer) : (values.get(pointer) ?? value)
  }
  return copyDict(object, '')
}
