import type { PathStep } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import type { YamlChange } from './yaml-change.ts'

/** The value of a document after a change, as it must read from the changed file. */
export function applyChange(value: Value, { how, path, value: added }: YamlChange): Value {
  return withValue(value, path, (old) => (how === 'append' ? [...(Array.isArray(old) ? old : []), added] : added))
}

function withValue(value: Value, path: readonly PathStep[], change: (old: Value) => Value): Value {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withValue(item, rest, change) : item))
  const old = value instanceof Dict ? value : new Dict()
  const key = String(step)
  return new Dict([...old, [key, withValue(old.get(key) ?? null, rest, change)]])
}
