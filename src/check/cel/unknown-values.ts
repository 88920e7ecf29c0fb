import { fieldAt, formatPointer, pathOfPointer, type PathStep } from '../../model/field.ts'
import type { LocatedToken } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

/** Where an object has texts that are filled in later. */
export type LateTexts = readonly Pick<LocatedToken, 'pointer'>[]

/** Fields of a map of which only a server knows something, each with the reason. */
export interface UnknownFields {
  /** They are there, with another value. */
  readonly values: ReadonlyMap<string, string>
  /** Nobody but a server knows whether they are there. */
  readonly fields: ReadonlyMap<string, string>
}

/** The fields that only a server knows, by the map that holds them. */
export type UnknownValues = ReadonlyMap<Value, UnknownFields>

/** The reason of an evaluation that needs a value which is filled in later. */
export const FILLED_LATER = 'it depends on a value that is filled in later'
const SET_BY_SERVER = 'it depends on a field that the API server sets'

/** The values of an object that are filled in later, by the map that holds them, itself or in a list. */
export function lateValues(object: Value, late: LateTexts = []): UnknownValues {
  const found = new Map<Value, { readonly values: Map<string, string>; readonly fields: ReadonlyMap<string, string> }>()
  for (const { pointer } of late) {
    const path = pathOfPointer(object, pointer)
    const last = path.findLastIndex((step) => typeof step === 'string')
    const holder = fieldAt(object, ...path.slice(0, last))
    if (holder === undefined) continue
    const known = found.get(holder) ?? { values: new Map<string, string>(), fields: new Map() }
    known.values.set(String(path[last]), FILLED_LATER)
    found.set(holder, known)
  }
  return found
}

/** The form of a placeholder in a tree. */
const WRITTEN = /\$\{[A-Za-z_]|stackmason-placeholder-/

/** Where an object of a committed tree may have placeholders: where it has them now, and where its texts show some. */
export function committedLate(object: Dict, now: LateTexts): LateTexts {
  const found: { readonly pointer: string }[] = []
  const walk = (value: Value, path: readonly PathStep[]): void => {
    if (typeof value === 'string' && WRITTEN.test(value)) found.push({ pointer: formatPointer(path) })
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...path, index])
    else if (value instanceof Dict) for (const [key, child] of value) walk(child, [...path, key])
  }
  walk(object, [])
  return [...now, ...found]
}

/** Fields that an API server adds to an object before it asks its policies. */
const ofServer: ReadonlyMap<string, string> = new Map(
  ['uid', 'creationTimestamp', 'generation', 'managedFields', 'resourceVersion', 'selfLink'].map((name) => [
    name,
    SET_BY_SERVER,
  ]),
)
const status: ReadonlyMap<string, string> = new Map([['status', SET_BY_SERVER]])
const none: ReadonlyMap<string, string> = new Map()

/** The same with the fields that an API server sets in an object as a whole. */
export function withServerFields(object: Dict, late: UnknownValues): UnknownValues {
  const found = new Map(late)
  const add = (holder: Value | undefined, fields: ReadonlyMap<string, string>): void => {
    if (holder instanceof Dict) found.set(holder, { values: found.get(holder)?.values ?? none, fields })
  }
  add(object, status)
  add(object.get('metadata'), ofServer)
  return found
}
