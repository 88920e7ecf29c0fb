import { Dict, GoInt, type Value } from '../model/value.ts'
import { formatFloatG } from './go-float.ts'
import { compareBytes } from './text-order.ts'

const named: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['"', '\\"'],
  ['\\', '\\\\'],
])

/** Returns a value as Go's `%#v` prints what go-yaml decodes it to; used in messages that quote it. */
export function formatGoSyntax(value: Value): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return formatFloatG(value)
  if (value instanceof GoInt) return value.value.toString()
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(', ')}}`
  if (value instanceof Dict) {
    const entries = [...value].sort(([a], [b]) => compareBytes(a, b))
    const text = entries.map(([key, item]) => `${quote(key)}:${formatGoSyntax(item)}`)
    return `map[interface {}]interface {}{${text.join(', ')}}`
  }
  return typeof value === 'boolean' ? String(value) : 'interface {}(nil)'
}

function quote(text: string): string {
  return `"${text.replace(/[\u0000-\u001f"\\\u007f]/g, escape)}"`
}

function escape(character: string): string {
  return named.get(character) ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
