import { formatGoJson } from '../codec/json/go-json.ts'
import { fieldAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'

/** The values at a path, by their places without the common part. */
export function valuesAt(object: Dict, steps: readonly string[]): ReadonlyMap<string, Value> {
  let found: readonly (readonly [place: string, value: Value])[] = [['', object]]
  for (const step of steps)
    found = found.flatMap(([place, value]): readonly (readonly [string, Value])[] =>
      step === '*'
        ? childrenOf(value).map(([name, child]) => [placeOf(place, name), child])
        : [[placeOf(place, step), fieldAt(value, step) ?? null]],
    )
  return new Map(found)
}

function placeOf(place: string, step: string): string {
  if (place === '' && (step === 'spec' || step === 'metadata')) return ''
  const isInner = ['annotations', 'labels', 'topology', 'workers', 'variables'].includes(place)
  return place === '' || isInner ? step : `${place}.${step}`
}

function childrenOf(value: Value): readonly (readonly [name: string, value: Value])[] {
  if (value instanceof Dict) return [...value]
  return Array.isArray(value) ? value.map((item, index) => [textAt(item, 'name') || String(index), item]) : []
}

/** As JSON, for comparing. */
export function textOf(value: Value): string {
  return formatGoJson(value, { escapeHtml: false })
}
