import { assignedValues } from '../codec/text/assigned-values.ts'
import { MaskTexts } from '../codec/text/mask-texts.ts'
import { collectSecretTexts } from '../codec/text/secret-texts.ts'
import { startOfLine } from '../codec/text/start-of-line.ts'
import { readFlow } from '../codec/text/flow-style.ts'
import { isSensitiveName, namesEntry, namesVariable, pointsToSecret } from '../model/sensitive-name.ts'
import type { Source } from '../model/source.ts'
import { isHarmless, type Part, partOfPatch } from './harmless-field.ts'

/** The mask for what is not shown. */
export const MASK = '********'
const KEY = String.raw`["']?([A-Za-z0-9_.\/-]+)["']?\s*:(?:\s+|$)`
const KEY_AT_START = new RegExp(String.raw`^(\s*(?:[-?]\s+)*)${KEY}`)
const USER_INFO = /(\/\/)[^\s/@"']{1,500}@/g
/** Without a scheme; the name of an image with tag and digest only looks like it. */
const BARE_USER_INFO = /(^|[\s"'=])[^\s/@"':=]{1,200}:[^\s/@"']{1,500}@(?!sha\d)/g
const VALUES_FILE =
  /(?:^|\/)values(?:[-.][^/]*)?$|(?:^|\/)values\/|[-_.]values\.(?:ya?ml|json)$|(?:^|\/)overwrite\.yaml$/i
/** A patch file: its content is as often secret as values are. */
const PATCH_FILE = /(?:^|\/)patches\//
/** How far a `name` may be from its `value`. */
const NEAR = 1000
/** Fields of objects that name a Secret or ConfigMap, or an entry of it. */
const REFERS = /^(?:secret|configMap)(?:Key)?Ref$/
/** Lists whose items name a label or a taint by its `key`. */
const SELECTS: ReadonlySet<string> = new Set(['tolerations', 'taints', 'matchExpressions', 'matchFields'])
/** Lists of Flux whose items name objects by their kind, and are none. */
const LISTS_OF_REFERENCES: ReadonlySet<string> = new Set(['substituteFrom', 'valuesFrom', 'healthChecks'])
/** The field of a source that names variables. */
const CREDENTIALS = 'credentialsFrom'
const OF_CREDENTIALS: ReadonlySet<string> = new Set(['token', 'username', 'password'])
/** Maps whose every entry may be secret. */
const SECRET_MAPS: ReadonlySet<string> = new Set(['data', 'stringData'])

/**
 * The lines that git writes around two sides of a merge; a label behind it may be any text but for that of the side
 * that one is on.
 */
const CONFLICT_MARKER = /^(?:<{7}(?: HEAD(?=\s*$))?|={7}(?=\s*$)|>{7}|\|{7})(?= |\s*$)/
const SECRET_ON_A_LINE = /[{,]\s*["']?kind["']?\s*:\s*["']?Secret\b/
const KIND_OF_SECRET = /^[ \t]*(?:-[ \t]+)?["']?kind["']?:\s*["']?Secret\b/gm

/**
 * A line of a source as it may be shown: values under keys that look sensitive are masked, also below such a key, and
 * in `data` of a Secret. Template actions stay, because they name a value and do not hold it. `start` is the offset of
 * the line.
 */
export function redactLine(source: Source, start: number, line: string): string {
  const marker = CONFLICT_MARKER.exec(line)
  if (marker !== null) return marker[0] + maskText(line.slice(marker[0].length))
  const hidden = hideValues(source, start, line)
  if (hidden !== undefined) return continuesScalar(source, start, line) ? maskAll(line) : hidden
  const shown = maskFlow(line, pointsToSecret(line))
    .replaceAll(USER_INFO, `$1${MASK}@`)
    .replaceAll(BARE_USER_INFO, `$1${MASK}@`)
  return maskFound(line, maskAssigned(shown))
}

/** Masks what else is known for a secret by the line alone, as diffs do; its key was judged by what stands around. */
function maskFound(line: string, shown: string): string {
  const masks = new MaskTexts()
  collectSecretTexts(line.slice(KEY_AT_START.exec(line)?.[0].length ?? 0), (secret) => {
    masks.add(secret)
  })
  return masks.mask(shown, 'telling')
}

/** Masks what is assigned to names that look sensitive. */
function maskAssigned(line: string): string {
  let shown = ''
  let from = 0
  for (const { start, end } of assignedValues(line, isSensitiveName)) {
    shown += line.slice(from, start) + maskText(line.slice(start, end))
    from = end
  }
  return shown + line.slice(from)
}

/** The line without its values, if they may be secret. */
function hideValues(source: Source, start: number, line: string): string | undefined {
  const own = KEY_AT_START.exec(line)
  if (own?.[2] !== undefined && (isReference(source, start, line) || isSelection(source, start, line))) return undefined
  const variables = own === null ? undefined : variablesOf(source, start, line)
  if (variables !== undefined) return variables
  const isEntry = own?.[2] !== undefined && namesEntry(own[2], line.slice(own[0].length).trim().replaceAll(/["']/g, ''))
  if (own?.[2] !== undefined && isSensitiveName(own[2]) && !isEntry) return structureOf(line, undefined)
  if (isPatch(source))
    return structureOf(line, partOfPatch(source.text.slice(0, start + (own?.[0].length ?? 0)), columnOf(line)))
  if (holdsValues(source)) return structureOf(line, undefined)
  if (SECRET_ON_A_LINE.test(line)) return structureOf(line, 'object')
  if (own?.[2] !== undefined && SECRET_MAPS.has(own[2]) && isInSecret(source, start))
    return structureOf(line, undefined)
  if (isBelowSensitiveKey(source, start, line) || isBesideSensitiveName(source, start, line)) {
    const isShown = own?.[2] !== undefined && isHarmless('object', own[2], line.slice(own[0].length))
    if (isShown && !isBelowSensitiveKey(source, start, line)) return undefined
    const shown = own?.[0] ?? /^\s*(?:-\s+)*/.exec(line)?.[0] ?? ''
    return shown + maskText(line.slice(shown.length))
  }
  return undefined
}

/** The line of `credentialsFrom`, or one below it, with the names of variables; undefined for any other. */
function variablesOf(source: Source, start: number, line: string): string | undefined {
  const [own = '', , key = ''] = KEY_AT_START.exec(line) ?? []
  const shown = (text: string): string => (namesVariable(text.trim().replaceAll(/["']/g, '')) ? text : maskText(text))
  const rest = line.slice(own.length)
  if (key === CREDENTIALS && /^\{(?!\{)/.test(rest))
    return own + showValues(rest, (name, text) => (OF_CREDENTIALS.has(name) ? shown(text) : maskText(text)))
  if (!OF_CREDENTIALS.has(key) || parentKey(source.text.slice(0, start), line) !== CREDENTIALS) return undefined
  return own + shown(rest)
}

/** A collection in flow style, with its values as `show` gives them by their key. */
function showValues(text: string, show: (key: string, value: string) => string): string {
  let key = ''
  return readFlow(text, { means: isSensitiveName, isMeant: true })
    .map((part) => {
      if (part.kind === 'key') key = part.text.replaceAll(/["']/g, '')
      return part.kind === 'value' ? show(key, part.text) : part.text
    })
    .join('')
}

/** True if a line says which Secret or ConfigMap is meant, or which entry of it. */
function isReference(source: Source, start: number, line: string): boolean {
  const own = KEY_AT_START.exec(line)
  if (own?.[2] === undefined || !isHarmless('reference', own[2], line.slice(own[0].length))) return false
  if (isPatch(source) || holdsValues(source)) return false
  const depth = columnOf(line)
  const lines = source.text.slice(0, start).split('\n').slice(0, -1)
  const parent = lines.findLast((above) => indentOf(above) !== -1 && indentOf(above) < depth) ?? ''
  return REFERS.test(KEY_AT_START.exec(parent)?.[2] ?? '') && valueOf(parent) === ''
}

/** True if a line names a label or a taint, as tolerations and selectors do. */
function isSelection(source: Source, start: number, line: string): boolean {
  const own = KEY_AT_START.exec(line)
  if (own?.[2] === undefined || !isHarmless('selection', own[2], line.slice(own[0].length))) return false
  if (isPatch(source) || holdsValues(source) || !SELECTS.has(parentKey(source.text.slice(0, start), line))) return false
  return !isBelowSensitiveKey(source, start, line) && !isInSecret(source, start)
}

/** The key that a line stands below, also as a part of an item of a list; '' where no line near before it has one. */
function parentKey(before: string, line: string): string {
  const depth = columnOf(line)
  const lines = before.slice(-NEAR).split('\n').slice(0, -1)
  const parent = lines.findLast((above) => columnOf(above) !== -1 && columnOf(above) < depth)
  return KEY_AT_START.exec(parent ?? '')?.[2] ?? ''
}

/** True if a line that looks like a key is text of a value that began above. */
function continuesScalar({ text }: Source, start: number, line: string): boolean {
  const document = text.slice(text.lastIndexOf('\n---', start) + 1, start)
  const lines = document.split('\n').slice(0, -1)
  return isInQuotes(lines) || isBelowScalar(lines, line)
}

/** True behind lines of which one opens a quote that none closes. */
function isInQuotes(lines: readonly string[]): boolean {
  let open = ''
  for (const line of lines) {
    let rest = line
    if (open === '') {
      rest = valueOf(line)
      const [quote = ''] = rest
      if (quote !== '"' && quote !== "'") continue
      open = quote
      rest = rest.slice(1)
    }
    const bare = open === '"' ? rest.replaceAll(/\\./g, '') : rest.replaceAll("''", '')
    if (bare.includes(open)) open = ''
  }
  return open !== ''
}

/** Walks up as YAML nests: a line with text for its value has nothing but more of this text below it. */
function isBelowScalar(lines: readonly string[], line: string): boolean {
  let indent = indentOf(line)
  for (const above of lines.toReversed()) {
    if (indent <= 0) return false
    const depth = KEY_AT_START.test(above) ? columnOf(above) : indentOf(above)
    if (depth === -1 || depth >= indent || /^\s*(?:#|\{\{|<<|---)/.test(above)) continue
    const value = valueOf(above)
    // a block may be a file of its own, whose keys say where one is
    if (
      /^[|>]/.test(value) ? isSensitiveName(KEY_AT_START.exec(above)?.[2] ?? '') : /^(?:[^\s#{[&!<-]|-\S)/.test(value)
    )
      return true
    indent = depth
  }
  return false
}

/** The value of a line, behind dashes, key, and tag or anchor. */
function valueOf(line: string): string {
  const own = KEY_AT_START.exec(line)?.[0] ?? /^\s*(?:-(?:\s+|$))*/.exec(line)?.[0] ?? ''
  return line.slice(own.length).replace(/^[&!]\S*\s+/, '')
}

function maskAll(line: string): string {
  const [own = ''] = /^\s*/.exec(line) ?? []
  return own + maskText(line.slice(own.length))
}

/**
 * Masks what stands below keys that look sensitive in collections in flow style; of the operation of a patch on a
 * secret also its `value`.
 */
function maskFlow(line: string, isPatchOfSecret: boolean): string {
  if (!/[{[,]/.test(line)) return line
  const hasVariables = line.includes(CREDENTIALS)
  const means = (key: string): boolean => isSensitiveName(key) || (isPatchOfSecret && key === 'value')
  let key = ''
  return readFlow(line, { means })
    .map(({ kind, text, isMeant }) => {
      if (kind === 'key') key = text.replaceAll(/["']/g, '')
      const plain = text.trim().replaceAll(/["']/g, '')
      const isShown = namesEntry(key, plain) || (hasVariables && OF_CREDENTIALS.has(key) && namesVariable(plain))
      return kind === 'value' && isMeant && !isShown ? maskText(text) : text
    })
    .join('')
}

/** Files of values, by what they are for or by their name. */
function holdsValues({ holds, name, path = '' }: Source): boolean {
  return holds === 'values' || [name, path].some((file) => VALUES_FILE.test(file))
}

function isPatch({ name, path = '' }: Source): boolean {
  return [name, path].some((file) => PATCH_FILE.test(file))
}

/**
 * The keys of a line; comments are masked, and all values but those that say what an object is or where a patch
 * applies.
 */
function structureOf(line: string, part: Part | undefined): string {
  const match = KEY_AT_START.exec(line)
  const own = match?.[0] ?? /^\s*(?:-\s+)*/.exec(line)?.[0] ?? ''
  const rest = line.slice(own.length)
  const isShown = (key: string, value: string): boolean => part !== undefined && isHarmless(part, key, value)
  if (!/^(?:\{(?!\{)|\[)/.test(rest)) return own + (isShown(match?.[2] ?? '', rest) ? rest : maskText(rest))
  let key = ''
  let depth = 0
  const parts = readFlow(rest, { means: isSensitiveName, isMeant: true })
  return (
    own +
    parts
      .map(({ kind, text }) => {
        if (kind === 'key') key = text.replaceAll(/["']/g, '')
        if (kind === 'sign') depth += text.split(/[{[]/).length - text.split(/[}\]]/).length
        // deeper ones may be keys of anything
        return kind !== 'value' || (depth === 1 && isShown(key, text)) ? text : MASK
      })
      .join('')
  )
}

/**
 * True if the line is part of a list item or a map whose `name` or `key` is that of a secret, as in `env` of a
 * container.
 */
function isBesideSensitiveName(source: Source, start: number, line: string): boolean {
  const own = columnOf(line)
  if (own === -1) return false
  const above = source.text
    .slice(Math.max(0, start - NEAR), start)
    .split('\n')
    .slice(0, -1)
    .reverse()
  const below = source.text
    .slice(start, start + NEAR)
    .split('\n')
    .slice(1)
  return (
    isNamedSensitive(line) ||
    [above, below].some((lines) => {
      for (const other of lines) {
        const column = columnOf(other)
        if (column === -1) continue
        if (column < own && !(lines === above && /^\s*-/.test(other))) return false
        if (column <= own && isNamedSensitive(other)) return true
        if (/^\s*-/.test(other) && column <= own) return false
      }
      return false
    })
  )
}

/** Where the first key or text of a line begins, behind the dashes of a list. */
function columnOf(line: string): number {
  return /^\s*(?:-\s+)*(?=\S)/.exec(line)?.[0].length ?? -1
}

function isNamedSensitive(line: string): boolean {
  const name = /^\s*(?:-\s+)*["']?(?:name|key)["']?\s*:\s*["']?([A-Za-z0-9_.-]+)/.exec(line)?.[1]
  return (
    (name !== undefined && isSensitiveName(name)) ||
    (/^\s*(?:-\s+)*["']?path["']?\s*:/.test(line) && pointsToSecret(line))
  )
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
    const lineStart = startOfLine(source.text, end)
    const above = source.text.slice(lineStart, end)
    end = lineStart - 1
    if (/^---(?:\s|$)/.test(above)) break
    const depth = indentOf(above)
    if (depth === -1 || depth >= indent) continue
    indent = depth
    const key = KEY_AT_START.exec(above)?.[2]
    if (key === undefined) continue
    if (isSensitiveName(key)) return true
    isSecretMap ||= SECRET_MAPS.has(key)
    if (depth === 0) break
  }
  return isSecretMap && isInSecret(source, start)
}

function isInSecret({ text }: Source, at: number): boolean {
  const document = documentAround(text, at)
  return [...document.matchAll(KIND_OF_SECRET)].some(
    ({ 0: line, index }) => !LISTS_OF_REFERENCES.has(parentKey(document.slice(0, index), line)),
  )
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
