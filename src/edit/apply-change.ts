import { fieldAt, type PathStep } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import type { YamlChange } from './yaml-change.ts'

/** The value of a document after a change, as it must read from the changed file. */
export function applyChange(value: Value, change: YamlChange): Value {
  if (change.how === 'remove') return withoutValue(value, emptiedPath(value, change.path))
  const { how, value: added } = change
  return withValue(value, change.path, (old) =>
    how === 'append' ? [...(Array.isArray(old) ? old : []), added] : added,
  )
}

/** The path to remove so that no empty map or list stays where this one was removed; empty: nothing would be left. */
export function emptiedPath(value: Value, path: readonly PathStep[]): readonly PathStep[] {
  const above = path.slice(0, -1)
  const parent = path.length === 0 ? undefined : fieldAt(value, ...above)
  const size = parent instanceof Dict ? parent.size : Array.isArray(parent) ? parent.length : 2
  return path.length > 0 && size === 1 ? emptiedPath(value, above) : path
}

function withoutValue(value: Value, path: readonly PathStep[]): Value {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      index !== step ? [item] : rest.length === 0 ? [] : [withoutValue(item, rest)],
    )
  if (!(value instanceof Dict)) return value
  return new Dict(
    [...value].flatMap(([key, child]) =>
      key !== step ? [[key, child]] : rest.length === 0 ? [] : [[key, withoutValue(child, rest)]],
    ),
  )
}

function withValue(value: Value, path: readonly PathStep[], change: (old: Value) => Value): Value {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withValue(item, rest, change) : item))
  const old = value instanceof Dict ? value : new Dict()
  const key = String(step)
  return new Dict([...old, [key, withValue(old.get(key) ?? null, rest, change)]])
}
