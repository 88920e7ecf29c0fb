import { MAX_NESTING } from '../max-nesting.ts'

/** `{{#name …}}` or `{{^name …}}`, `{{/name}}`, or `{{else …}}` of a template. */
export interface HandlebarsTag {
  readonly kind: 'open' | 'close' | 'else'
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The tags of a template that open, part and close blocks. */
export interface HandlebarsTags {
  readonly tags: readonly HandlebarsTag[]
  /** Where blocks, arms of else and parentheses nest more deeply than {@link MAX_NESTING}. */
  readonly tooDeep?: number
}

/** The parts of a tag, as the lexer of Handlebars finds them: a quote or bracket that nothing closes ends its work. */
const PART = /"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|\[(?:\\\]|[^\]])*\]|\}\}\}?|[^]/y
const HEAD = /\{\{~?(?:(#[>*]?|\^|\/)\s*([\w.@/-]*)|\s*else\b\s*([\w.@/-]*))/y
const RAW = /\{\{\{\{(\/[^\s!"#%-,./;->@[-^`{-~]+\}\}\}\})?/g

/**
 * Finds the tags of blocks, and where they nest too deeply: the parser's work grows with the square of the depth, and
 * its stack with the depth. Follows the lexer of Handlebars; of a text that it refuses, what stands before the fault.
 */
export function readHandlebarsTags(text: string): HandlebarsTags {
  const tags: HandlebarsTag[] = []
  /** For each open block how many levels it makes: itself, and one for each `else` with a condition. */
  const levels: number[] = []
  let depth = 0
  for (let from = 0; ;) {
    const start = text.indexOf('{{', from)
    if (start === -1) return { tags }
    const isEscaped = start > from && text[start - 1] === '\\' && !(start - 1 > from && text[start - 2] === '\\')
    if (isEscaped) {
      from = start + 2
      continue
    }
    const tag = readTag(text, start)
    if (tag === undefined) return { tags }
    from = tag.end
    if (tag.kind === 'open') levels.push(1)
    if (tag.kind === 'else' && tag.name !== '') levels[levels.length - 1] = (levels.at(-1) ?? 0) + 1
    if (tag.kind === 'open' || (tag.kind === 'else' && tag.name !== '')) depth++
    if (tag.kind === 'close') depth -= levels.pop() ?? 0
    if (depth + tag.parentheses > MAX_NESTING) return { tags, tooDeep: start }
    if (tag.kind !== 'other') tags.push({ kind: tag.kind, name: tag.name, start, end: tag.end })
  }
}

interface ReadTag {
  readonly kind: HandlebarsTag['kind'] | 'other'
  readonly name: string
  readonly end: number
  /** How deeply parentheses nest in it. */
  readonly parentheses: number
}

/** Undefined: Handlebars reads no further. */
function readTag(text: string, start: number): ReadTag | undefined {
  const other = (end: number): ReadTag => ({ kind: 'other', name: '', end, parentheses: 0 })
  const comment = /\{\{~?!(--)?/y
  comment.lastIndex = start
  const [isComment, isLong] = comment.exec(text) ?? []
  if (isComment !== undefined) {
    const end = /--~?\}\}/g
    end.lastIndex = start + isComment.length
    const at = isLong === undefined ? text.indexOf('}}', start) + 2 : end.exec(text) === null ? 1 : end.lastIndex
    return at === 1 ? undefined : other(at)
  }
  const inner = readParts(text, start)
  if (inner === undefined) return undefined
  if (text.startsWith('{{{{', start)) {
    const end = endOfRaw(text, inner.end)
    return end === undefined ? undefined : { ...other(end), parentheses: inner.parentheses }
  }
  HEAD.lastIndex = start
  const [head, mark, name = '', arm = ''] = HEAD.exec(text) ?? []
  if (head === undefined) return { ...inner, kind: 'other', name: '' }
  if (mark === undefined) return { ...inner, kind: 'else', name: arm }
  // {{^}} is an else
  if (mark === '^' && name === '') return { ...inner, kind: 'else', name: '' }
  return { ...inner, kind: mark === '/' ? 'close' : 'open', name }
}

function readParts(text: string, start: number): Pick<ReadTag, 'end' | 'parentheses'> | undefined {
  let open = 0
  let parentheses = 0
  PART.lastIndex = start + (/^\{+/.exec(text.slice(start, start + 4))?.[0].length ?? 2)
  for (;;) {
    const [part] = PART.exec(text) ?? []
    if (part === undefined || part === '"' || part === "'" || part === '[') return undefined
    if (part === '}}' || part === '}}}') {
      const isRaw = text.startsWith('{{{{', start)
      const end = isRaw && part === '}}}' && text[PART.lastIndex] === '}' ? PART.lastIndex + 1 : PART.lastIndex
      return { end, parentheses }
    }
    if (part === '(') parentheses = Math.max(parentheses, ++open)
    if (part === ')') open--
    if (parentheses > MAX_NESTING) return { end: PART.lastIndex, parentheses }
  }
}

/** Raw blocks hold text, and raw blocks as text. */
function endOfRaw(text: string, from: number): number | undefined {
  RAW.lastIndex = from
  for (let depth = 1; depth > 0;) {
    const found = RAW.exec(text)
    if (found === null) return undefined
    depth += found[1] === undefined ? 1 : -1
  }
  return RAW.lastIndex
}
