import { dict, goInt, type Value } from '../model/value.ts'

/** JSON that is written here in the source. */
export type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json | undefined }

/** The same as a value of the model; numbers are integers, and keys that are undefined are left out. */
export function jsonValue(json: Json): Value {
  if (typeof json === 'string' || typeof json === 'boolean') return json
  if (typeof json === 'number') return goInt(json)
  if (isList(json)) return json.map(jsonValue)
  return dict(
    Object.entries(json).flatMap(([key, value]): readonly [string, Value][] =>
      value === undefined ? [] : [[key, jsonValue(value)]],
    ),
  )
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}
