import { Dict, GoInt, type Value } from '../../model/value.ts'
import { formatFloatG } from './go-float.ts'
import { compareBytes } from '../text/text-order.ts'

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

/** strconv.Quote */
function quote(text: string): string {
  // Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space; made on use, because V8
  // takes a millisecond to
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escape)}"`
}

function escape(character: string): string {
  const known = named.get(character)
  if (known !== undefined) return known
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  if (hex.length <= 2 && character <= '\x7f') return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
