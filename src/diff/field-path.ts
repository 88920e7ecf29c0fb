import type { PathStep } from '../model/field.ts'
import type { ChangeStep } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import { keyOf } from './list-keys.ts'

/** Where a changed field is in an object, with numbers for items of lists; as far as it is there. */
export function fieldPathIn(object: Dict, path: readonly ChangeStep[]): readonly PathStep[] {
  const found: PathStep[] = []
  let at: Value | undefined = object
  for (const step of path) {
    const own: PathStep | undefined = typeof step === 'object' ? placeOfItem(at, step) : step
    const next: Value | undefined =
      at instanceof Dict && typeof own === 'string' ? at.get(own) : Array.isArray(at) ? at[Number(own)] : undefined
    if (own === undefined || next === undefined) return found
    found.push(own)
    at = next
  }
  return found
}

function placeOfItem(list: Value | undefined, { key, value }: { readonly key: string; readonly value: string }) {
  if (!Array.isArray(list)) return undefined
  const keys = key.split('+')
  const at = list.findIndex((item) => (key === '' ? item === value : keyOf(item, keys) === value))
  return at === -1 ? undefined : at
}
