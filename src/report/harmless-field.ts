const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/
const API_VERSION = /^(?:[a-z0-9](?:[-a-z0-9.]{0,250}[a-z0-9])?\/)?v[0-9]{1,3}(?:(?:alpha|beta)[0-9]{1,3})?$/
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,250}[a-z0-9])?$/
const LABEL = /^(?:[a-z0-9](?:[-a-z0-9.]{0,250}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9._]{0,61}[A-Za-z0-9])?$/
const POINTER = /^(?:\/[A-Za-z0-9._~-]{0,100}){1,30}$/

const type: readonly Field[] = [
  ['apiVersion', API_VERSION],
  ['kind', KIND],
]
const target: readonly Field[] = [
  ['kind', KIND],
  ...['name', 'namespace', 'addon', 'group', 'version'].map((key): Field => [key, NAME]),
]
const reference: readonly Field[] = ['name', 'namespace', 'key'].map((key): Field => [key, NAME])
const selection: readonly Field[] = [['key', LABEL]]
const operation: readonly Field[] = [
  ['op', /^(?:add|remove|replace|move|copy|test)$/],
  ['path', POINTER],
  ['from', POINTER],
]

type Field = readonly [key: string, form: RegExp]

/**
 * Fields that say what an object is or where a patch applies, and so hide nothing, by the part of a file that they
 * stand in.
 */
const fields: Readonly<Record<Part, ReadonlyMap<string, RegExp>>> = {
  object: new Map(type),
  target: new Map(target),
  reference: new Map(reference),
  selection: new Map(selection),
  jsonPatch: new Map(operation),
  mergePatch: new Map(),
}

/** A part of a patch, an object itself, or what says which Secret or ConfigMap, or which label or taint, is meant. */
export type Part = 'object' | 'target' | 'reference' | 'selection' | 'jsonPatch' | 'mergePatch'

/** True if a value may be shown in any file; one that does not have the form of its field may not. */
export function isHarmless(part: Part, key: string, value: string): boolean {
  const plain = /^(["']?)(.*)\1$/s.exec(value.trim())?.[2] ?? ''
  return fields[part].get(key)?.test(plain) === true
}

/** The part of a patch that a line stands in; `indent` is that of its text. */
export function partOfPatch(above: string, indent: number): Part {
  if (indent === 0) return 'object'
  const [last] = [...above.matchAll(/^\s*(target|jsonPatch|mergePatch)\s*:/gm)].slice(-1)
  const name = last?.[1]
  return name === 'target' || name === 'jsonPatch' ? name : 'mergePatch'
}
