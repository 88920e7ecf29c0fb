import type { PathStep } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import { holdsToken } from '../engine/token-refused.ts'

/** A text with tokens in an object. */
export interface TextWithTokens {
  readonly path: readonly string[]
  /** The same, with numbers for positions in lists. */
  readonly steps: readonly PathStep[]
  readonly text: string
  /** True if it is a key of a map instead of a value. */
  readonly isKey: boolean
}

/** Finds every text that holds a token, keys of maps included, in the object's order. */
export function locateTokens(object: Dict): readonly TextWithTokens[] {
  const found: TextWithTokens[] = []
  const add = (text: string, steps: readonly PathStep[], isKey: boolean): void => {
    if (holdsToken(text)) found.push({ path: steps.map(String), steps, text, isKey })
  }
  const visit = (value: Value, steps: readonly PathStep[]): void => {
    if (typeof value === 'string') add(value, steps, false)
    else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...steps, index]))
    else if (value instanceof Dict) {
      for (const [key, child] of value) {
        add(key, steps, true)
        visit(child, [...steps, key])
      }
    }
  }
  visit(object, [])
  return found
}

/** Returns a copy of the object in which each text with tokens is what `replace` makes of it; keys stay. */
export function replaceTokens(object: Dict, replace: (text: string, path: readonly string[]) => string): Dict {
  const copyDict = (from: Dict, path: readonly string[]): Dict => {
    const copy = new Dict()
    for (const [key, child] of from) copy.set(key, copyOf(child, [...path, key]))
    return copy
  }
  const copyOf = (value: Value, path: readonly string[]): Value => {
    if (typeof value === 'string') return holdsToken(value) ? replace(value, path) : value
    if (Array.isArray(value)) return value.map((item, index) => copyOf(item, [...path, String(index)]))
    return value instanceof Dict ? copyDict(value, path) : value
  }
  return copyDict(object, [])
}

/** Returns what stands at a JSON pointer. */
export function valueAt(object: Dict, pointer: string): Value | undefined {
  let value: Value | undefined = object
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = value instanceof Dict ? value.get(key) : Array.isArray(value) ? value[Number(key)] : undefined
  }
  return value
}
