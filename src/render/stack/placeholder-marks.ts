import type { LocatedToken } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'
import { formatPointer } from '../../model/field.ts'

/** A lone surrogate, which no file can hold; behind it stands the number of the placeholder, between two of it. */
const MARK = '\uDBFE'

/** Returns the object with a mark in front of each placeholder, so that what a patch moves or copies is found again. */
export function markPlaceholders(object: Dict, deferred: readonly LocatedToken[]): Dict {
  const numbers = new Map(deferred.map(({ pointer }, index) => [pointer, index]))
  return mapTexts(object, (text, pointer) => {
    const number = numbers.get(pointer)
    return number === undefined ? text : `${MARK}${String(number)}${MARK}${text}`
  })
}

/**
 * Returns the object without marks, and the placeholders where their marks were: of a copied one two, of a replaced one
 * none.
 */
export function takeMarks(
  object: Dict,
  deferred: readonly LocatedToken[],
): { readonly object: Dict; readonly deferred: readonly LocatedToken[] } {
  const found: LocatedToken[] = []
  const clean = mapTexts(object, (text, pointer) => {
    if (!text.startsWith(MARK)) return text
    const [, number, written = ''] = text.split(MARK)
    const placeholder = deferred[Number(number)]
    if (placeholder !== undefined) found.push({ ...placeholder, pointer })
    return written
  })
  return { object: clean, deferred: found }
}

function mapTexts(object: Dict, map: (text: string, pointer: string) => string): Dict {
  const copyDict = (from: Dict, pointer: string): Dict => {
    const copy = new Dict()
    for (const [key, child] of from) copy.set(key, copyOf(child, pointer + formatPointer([key])))
    return copy
  }
  const copyOf = (value: Value, pointer: string): Value => {
    if (typeof value === 'string') return map(value, pointer)
    if (Array.isArray(value)) return value.map((item, index) => copyOf(item, `${pointer}/${String(index)}`))
    return value instanceof Dict ? copyDict(value, pointer) : value
  }
  return copyDict(object, '')
}
