import { Dict, type Value } from './value.ts'

/** A step into a value: a map key or a list index. */
export type PathStep = string | number

/** Writes a path as a JSON pointer (RFC 6901). */
export function formatPointer(path: readonly PathStep[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The path that a JSON pointer names in a value, with numbers for items of lists; `-` is behind the last. */
export function pathOfPointer(value: Value, pointer: string): readonly PathStep[] {
  const path: PathStep[] = []
  let at: Value | undefined = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) path.push(name === '-' ? at.length : Number(name))
    else path.push(name)
    at = fieldAt(value, ...path)
  }
  return path
}

/** The value at `path`, or undefined when some step is not there. */
export function fieldAt(value: Value, ...path: readonly PathStep[]): Value | undefined {
  let at: Value | undefined = value
  for (const step of path) {
    if (at instanceof Dict && typeof step === 'string') at = at.get(step)
    else if (Array.isArray(at) && typeof step === 'number') at = at[step]
    else return undefined
    if (at === undefined) return undefined
  }
  return at
}

/** The string at `path`; '' when there is none or it is something else. */
export function textAt(value: Value, ...path: readonly PathStep[]): string {
  const found = fieldAt(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** The map at `path`; undefined when there is none or it is something else. */
export function dictAt(value: Value, ...path: readonly PathStep[]): Dict | undefined {
  const found = fieldAt(value, ...path)
  return found instanceof Dict ? found : undefined
}

/** The items of the list at `path`; none when there is no list. */
export function itemsAt(value: Value, ...path: readonly PathStep[]): readonly Value[] {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A copy of `object` with `value` at `path`; maps on the way are copied (or made), everything else is shared. */
export function withField(object: Dict, path: readonly string[], value: Value): Dict {
  const [key, ...rest] = path
  if (key === undefined) return object
  const copy = copyDict(object)
  if (rest.length === 0) {
    copy.set(key, value)
    return copy
  }
  const child = object.get(key)
  copy.set(key, withField(child instanceof Dict ? child : new Dict(), rest, value))
  return copy
}

/** A shallow copy. */
export function copyDict(object: Dict): Dict {
  const copy = new Dict()
  for (const [key, value] of object) copy.set(key, value)
  return copy
}

/** A deep copy of maps and lists; scalars are immutable and shared. */
export function copyValue(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyValue)
  if (!(value instanceof Dict)) return value
  const copy = new Dict()
  for (const [key, child] of value) copy.set(key, copyValue(child))
  return copy
}
