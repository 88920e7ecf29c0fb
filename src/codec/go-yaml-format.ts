import { Dict, GoBytes, GoInt, GoObject, type Value } from '../model/value.ts'
import { compareNatural, compareNaturalV3 } from './text-order.ts'
import { formatGoJson, parseGoJson } from './go-json.ts'

/** Writes a value as Helm's toYaml does, with the final newline. */
export function formatGoYaml(value: Value): string {
  return (
    block(parseGoJson(formatGoJson(value)), '', { list: '', compare: compareNatural }).replace(/^\n| (?=\S)/, '') + '\n'
  )
}

/** Writes a value as Helm's toYamlPretty does, with the final newline. */
export function formatGoYamlV3(value: Value): string {
  return block(value, '', { list: '  ', compare: compareNaturalV3 }).replace(/^\n| (?=\S)/, '') + '\n'
}

interface Style {
  readonly list: string
  readonly compare: (a: string, b: string) => number
}

function block(value: Value, indent: string, style: Style): string {
  if (value instanceof GoObject) return block(value.toValue(), indent, style)
  if (value instanceof Dict && value.size > 0) {
    const lines = [...value.keys()].sort(style.compare).map((key) => {
      const item = value.get(key) ?? null
      const next = Array.isArray(item) ? indent + style.list : `${indent}  `
      return `${indent}${scalar(key, indent)}:${block(item, next, style)}`
    })
    return `\n${lines.join('\n')}`
  }
  if (Array.isArray(value) && value.length > 0) {
    return `\n${value.map((item) => `${indent}- ${block(item, `${indent}  `, style).trimStart()}`).join('\n')}`
  }
  return ` ${scalar(value, indent)}`
}

function scalar(value: Value, indent: string): string {
  if (value === null) return 'null'
  if (value instanceof Dict) return '{}'
  if (Array.isArray(value)) return '[]'
  if (value instanceof GoInt) return value.value.toString()
  if (value instanceof GoBytes || value instanceof GoObject) return '""'
  if (typeof value !== 'string') return String(value)
  if (value.includes('\n') && !/^[ \n]| \n|\t/.test(value)) {
    const end = value.endsWith('\n\n') ? '+' : value.endsWith('\n') ? '' : '-'
    return `|${end}\n${value.replace(/\n$/, '').replace(/^(?=.)/gm, indent)}`
  }
  if (/^(?:[yYnN~]|yes|no|on|off|true|false|null|[-+.]?[0-9].*|)$/i.test(value) || /[\u0000-\u001f]/.test(value))
    return JSON.stringify(value)
  if (/^[-?:,[\]{}#&*!|>'"%@`\s]|: |:$| #|\s$/.test(value)) return `'${value.replaceAll("'", "''")}'`
  return value
}
