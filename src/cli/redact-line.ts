import type { Source } from '../model/source.ts'

const MASK = '********'
const SENSITIVE =
  /pass(?:word|wd|phrase)?$|passw|secret|token|credential|api-?key|(?:private|access|encryption|signing|ssh|tls|client|ca)[-_.]?key|^key$|\.key$|dockerconfigjson|kubeconfig|^auth$|authorization$|cert(?:ificate)?-?data/i
const KEY = String.raw`["']?([A-Za-z0-9_.\/-]+)["']?\s*:(?:\s+|$)`
const KEY_AT_START = new RegExp(String.raw`^(\s*(?:-\s+)*)${KEY}`)
const INLINE = new RegExp(String.raw`([{,]\s*)${KEY}("(?:[^"\\]|\\.)*"|'[^']*'|[^,}\]]*)`, 'g')
const USER_INFO = /(:\/\/)[^\s/@"']+@/g
const ASSIGNMENT = /([A-Za-z0-9_.-]+)(=)("[^"]*"|'[^']*'|[^\s,;&]+)/g
/** Maps whose every entry may be secret. */
const SECRET_MAPS: ReadonlySet<string> = new Set(['data', 'stringData'])

/**
 * A line of a source as it may be shown: values under keys that look sensitive are masked, also below such a key, and in `data` of a
 * Secret. Template actions stay, because they name a value and do not hold it. `start` is the offset of the line.
 */
export function redactLine(source: Source, start: number, line: string): string {
  const own = KEY_AT_START.exec(line)
  if (own?.[2] !== undefined && isSensitive(own[2]))
    return line.slice(0, own[0].length) + maskText(line.slice(own[0].length))
  if (isBelowSensitiveKey(source, start, line)) {
    const shown = own?.[0] ?? /^\s*(?:-\s+)*/.exec(line)?.[0] ?? ''
    return shown + maskText(line.slice(shown.length))
  }
  return line
    .replaceAll(USER_INFO, `$1${MASK}@`)
    .replaceAll(INLINE, (whole: string, open: string, key: string, value: string) =>
      isSensitive(key)
        ? whole.slice(0, whole.length - value.length) + maskText(value)
        : `${open}${whole.slice(open.length)}`,
    )
    .replaceAll(ASSIGNMENT, (whole: string, key: string, equals: string, value: string) =>
      isSensitive(key) ? key + equals + maskText(value) : whole,
    )
}

function isSensitive(key: string): boolean {
  return SENSITIVE.test(key)
}

/** Masks everything but template actions and comments' marks; nothing to hide stays nothing. */
function maskText(text: string): string {
  return text
    .split(/(\{\{.*?\}\}|<<.*?>>)/)
    .map((part, index) => (index % 2 === 1 || /^\s*(?:[|>][-+0-9]*\s*)?$/.test(part) ? part : maskPart(part)))
    .join('')
}

function maskPart(part: string): string {
  const [, before = '', , after = ''] = /^(\s*["']?)(.*?)(["']?\s*)$/s.exec(part) ?? []
  return /^\s*["']*\s*$/.test(part) ? part : before + MASK + after
}

/** Walks up through the lines of smaller indentation, as YAML's block style nests. */
function isBelowSensitiveKey(source: Source, start: number, line: string): boolean {
  let indent = indentOf(line)
  if (indent === -1) return false
  let isSecretMap = false
  for (let end = start - 1; end >= 0;) {
    const lineStart = source.text.lastIndexOf('\n', end - 1) + 1
    const above = source.text.slice(lineStart, end)
    end = lineStart - 1
    if (/^---(?:\s|$)/.test(above)) break
    const depth = indentOf(above)
    if (depth === -1 || depth >= indent) continue
    indent = depth
    const key = KEY_AT_START.exec(above)?.[2]
    if (key === undefined) continue
    if (isSensitive(key)) return true
    isSecretMap ||= depth === 0 && SECRET_MAPS.has(key)
    if (depth === 0) break
  }
  return isSecretMap && /^kind:\s*["']?Secret\b/m.test(documentAround(source.text, start))
}

/** Spaces before the line's text; -1 for a line without any. */
function indentOf(line: string): number {
  return line.search(/\S/)
}

function documentAround(text: string, at: number): string {
  const before = text.lastIndexOf('\n---', at)
  const after = text.indexOf('\n---', at)
  return text.slice(before === -1 ? 0 : before + 1, after === -1 ? text.length : after)
}
