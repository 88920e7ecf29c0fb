import type { Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt, formatPointer, type PathStep } from '../../model/field.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import { Dict } from '../../model/value.ts'
import { scalarText } from './values-place.ts'

/** The place of a finding, as a locator tells it. */
export type FindingPlace = Pick<Diagnostic, 'at' | 'trace'>

/** A question: a field of an object, and the facts about its possible sources. */
export interface AskedPlace {
  readonly manifest: Manifest
  readonly path: readonly PathStep[]
  readonly part: 'key' | undefined
  /** Files of values and patches that the object is made with, by identity. */
  readonly inputs: readonly object[]
}

/** An answer; `of`: whether it says the same for every unit, or follows from a file that is of this one alone. */
export interface FoundPlace {
  readonly place: FindingPlace
  readonly of: 'all' | 'one'
}

/**
 * Keeps the places of fields that units have in common. Objects whose origin is one were written by the same text of
 * the same template, or by one render that stands for many; made with the same files and of the same content, a field
 * stands at the same place.
 */
export type PlaceMemory = (asked: AskedPlace, locate: () => FoundPlace) => FindingPlace

/** Makes an empty memory. */
export function createPlaceMemory(): PlaceMemory {
  const known = new WeakMap<ManifestOrigin, Map<string, FindingPlace>>()
  const numbers = new WeakMap<object, number>()
  let last = 0
  const numberOf = (input: object): number => {
    const number = numbers.get(input) ?? ++last
    numbers.set(input, number)
    return number
  }
  return ({ manifest, path, part, inputs }, locate) => {
    const { kind, name, namespace, origin, object } = manifest
    const value = fieldAt(object, ...path)
    const content = value === undefined || value instanceof Dict || Array.isArray(value) ? '' : scalarText(value)
    const asked = [kind, name, namespace, formatPointer(path), part, content, typeof value, inputs.map(numberOf)]
    const key = JSON.stringify(asked)
    const ofOrigin = known.get(origin) ?? new Map<string, FindingPlace>()
    known.set(origin, ofOrigin)
    const before = ofOrigin.get(key)
    if (before !== undefined) return before
    const found = locate()
    if (found.of === 'all') ofOrigin.set(key, found.place)
    return found.place
  }
}
