import { readsAsText } from '../codec/go-yaml/go-yaml-style.ts'
import { formatGoJson } from '../codec/json/go-json.ts'
import { parsePositionedYaml } from '../codec/yaml/positioned-yaml.ts'
import { Dict, type Value } from '../model/value.ts'

/** How text is written in flow style: as JSON where the file is JSON, else without quotes where they are not needed. */
export type FlowStyle = 'json' | 'yaml'

/** A value in one line. */
export function formatFlow(value: Value, style: FlowStyle): string {
  if (value instanceof Dict) {
    const entries = [...value].map(([key, child]) => `${formatFlow(key, style)}: ${formatFlow(child, style)}`)
    return `{${entries.join(', ')}}`
  }
  if (Array.isArray(value)) return `[${value.map((item) => formatFlow(item, style)).join(', ')}]`
  return style === 'json' && typeof value === 'string' ? quoted(value) : formatScalar(value, 'plain')
}

/** The lines of a map or list in block style; keys stay in their order. */
export function formatBlock(value: Value): readonly string[] {
  if (value instanceof Dict && value.size > 0) {
    return [...value].flatMap(([key, child]) => {
      const name = formatScalar(key, 'plain')
      return isFilled(child)
        ? [`${name}:`, ...indented(formatBlock(child), 2)]
        : [`${name}: ${formatFlow(child, 'yaml')}`]
    })
  }
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = isFilled(item) ? formatBlock(item) : [formatFlow(item, 'yaml')]
      return [`- ${first}`, ...indented(rest, 2)]
    })
  }
  return [formatFlow(value, 'yaml')]
}

/** Lines moved to the right. */
export function indented(lines: readonly string[], columns: number): readonly string[] {
  return lines.map((line) => ' '.repeat(columns) + line)
}

/** True if a value is a map or list that has something in it. */
export function isFilled(value: Value): boolean {
  return value instanceof Dict ? value.size > 0 : Array.isArray(value) && value.length > 0
}

/** A scalar in the given quotes; in double ones too where it would be something else than text without. */
export function formatScalar(value: Value, style: 'plain' | 'single' | 'double'): string {
  if (typeof value !== 'string') return formatGoJson(value)
  if (style === 'single' && !/[\p{Cc}\u2028\u2029\uFEFF]/u.test(value)) return `'${value.replaceAll("'", "''")}'`
  return style === 'plain' && isPlainText(value) ? value : quoted(value)
}

/** As JSON writes it, and what YAML would take for a line break or refuses is escaped, too. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Words with what names, versions, paths and dates have between them; everything else is quoted. */
function isPlainText(text: string): boolean {
  const isSimple = /^[A-Za-z0-9](?:[\w.+/@-]| (?=[\w(]))*$/.test(text)
  return isSimple && readsAsText(text) && parsePositionedYaml({ name: '', text }).documents[0]?.value === text
}
