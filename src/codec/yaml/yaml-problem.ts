import { startOfLine } from '../text/start-of-line.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { positionAt, type Source, type Span } from '../../model/source.ts'
import type { YamlError } from '../go-yaml/go-yaml-error.ts'
import type { YamlNote } from '../go-yaml/go-yaml-places.ts'

/** A syntax problem in words that say what to change, and where. */
export interface ExplainedProblem {
  readonly message: string
  readonly at: Span
}

interface Explanation {
  readonly message: string
  /** The end that it is about: where the construct begins (an open quote), or where the reader stopped. */
  readonly about: 'beginning' | 'stop'
}

const NO_PAIR = 'this is not a `key: value` pair; is a `:` missing?'
const OPEN_LIST = 'the list in brackets is not closed, or a comma is missing in it'
const OPEN_MAP = 'the map in braces is not closed, or a comma is missing in it'
const TAB = 'a tab cannot be used for indentation; use spaces'
const INDICATOR = 'the text does not fit here; check the indentation, and whether a quote or bracket is out of place'

/** By go-yaml's words. */
const explanations: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  ["could not find expected ':'", { message: NO_PAIR, about: 'beginning' }],
  ['mapping keys are not allowed in this context', { message: 'a key cannot stand here', about: 'stop' }],
  [
    'block sequence entries are not allowed in this context',
    { message: 'a list cannot start in this line; put it on lines of its own', about: 'stop' },
  ],
  ['did not find expected key', { message: INDICATOR, about: 'stop' }],
  ["did not find expected '-' indicator", { message: INDICATOR, about: 'stop' }],
  ['did not find expected node content', { message: 'a value is missing here', about: 'stop' }],
  ["did not find expected ',' or ']'", { message: OPEN_LIST, about: 'beginning' }],
  ["did not find expected ',' or '}'", { message: OPEN_MAP, about: 'beginning' }],
  ['found unexpected end of stream', { message: 'the quoted text is not closed', about: 'beginning' }],
  ['found unexpected document indicator', { message: 'the quoted text is not closed', about: 'beginning' }],
  [
    'found unknown escape character',
    {
      message: 'an unknown escape in a text in double quotes; use single quotes, or `\\\\` for a backslash',
      about: 'stop',
    },
  ],
  ['found a tab character that violates indentation', { message: TAB, about: 'stop' }],
  ['found a tab character where an indentation space is expected', { message: TAB, about: 'stop' }],
  ['did not find expected <document start>', { message: '`---` is missing before this document', about: 'stop' }],
  ['found undefined tag handle', { message: 'the tag is not known', about: 'stop' }],
  ['control characters are not allowed', { message: 'a control character is not allowed', about: 'stop' }],
])

/** Says what is wrong and marks the text that it is about, within one line. */
export function explainYamlError(error: YamlError, source: Source): ExplainedProblem {
  const { text: problem, from } = error.problem
  if (problem === 'mapping values are not allowed in this context') return explainColon(source, error.offset)
  if (problem === 'did not find expected node content' && from < error.offset) return explainBracket(source, from)
  const known = explanations.get(problem)
  const place = known?.about === 'beginning' ? from : error.offset
  const at = markFrom(source, place)
  const indentation = known?.message === INDICATOR ? explainIndentation(source, error.offset) : undefined
  if (indentation !== undefined) return { message: indentation, at }
  if (known !== undefined) return { message: known.message, at }
  if (problem === 'found character that cannot start any token') {
    const character = source.text.charAt(error.offset)
    return { message: character === '\t' ? TAB : `a value cannot start with \`${character}\`; quote it`, at }
  }
  return { message: `not well-formed YAML: ${error.problem.unquoted ?? problem}`, at }
}

function explainBracket(source: Source, bracket: number): ExplainedProblem {
  const message = source.text.charAt(bracket) === '[' ? OPEN_LIST : OPEN_MAP
  return { message, at: markFrom(source, bracket) }
}

/** Where no line around begins in the column of this one: between which columns it stands. */
function explainIndentation({ text }: Source, offset: number): string | undefined {
  const start = startOfLine(text, offset)
  const lineEnd = text.indexOf('\n', start)
  const indent = indentOf(text.slice(start, lineEnd === -1 ? text.length : lineEnd))
  if (start + indent !== offset) return undefined
  const above = text.slice(0, start).split('\n').slice(0, -1)
  let deeper: { readonly line: number; readonly indent: number } | undefined
  for (let at = above.length - 1; at >= 0; at--) {
    const line = above[at] ?? ''
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const own = indentOf(line)
    if (own === indent) return undefined
    if (own > indent) deeper = deeper === undefined || own < deeper.indent ? { line: at + 1, indent: own } : deeper
    else if (deeper === undefined) return undefined
    else
      return `the indentation fits no line above: ${spaces(indent)} here, ${spaces(own)} in line ${String(at + 1)}, ${spaces(deeper.indent)} in line ${String(deeper.line)}`
  }
  return undefined
}

function spaces(count: number): string {
  return count === 0 ? 'no spaces' : plural(count)
}

function plural(count: number): string {
  return count === 1 ? '1 space' : `${String(count)} spaces`
}

/** A `:` where no key can be: in a value, or in text that goes on from the line above. */
function explainColon(source: Source, colon: number): ExplainedProblem {
  const { text } = source
  const lineStart = startOfLine(text, colon)
  const before = text.slice(lineStart, colon)
  if (/[:\]}"']\s/.test(before)) {
    const message = 'a second `: ` in one line; quote the value, or put the inner map on lines of its own'
    return { message, at: markFrom(source, colon) }
  }
  const above = text.slice(0, lineStart).trimEnd()
  const aboveStart = above.lastIndexOf('\n') + 1
  const lineAbove = above.slice(aboveStart)
  if (lineAbove.trim() !== '' && !/:(?:\s|$)/.test(lineAbove)) {
    return { message: NO_PAIR, at: markFrom(source, aboveStart + indentOf(lineAbove)) }
  }
  const [own, other] = [indentOf(text.slice(lineStart)), indentOf(lineAbove)]
  if (own > other && own % 2 === 0 && other % 2 === 1) {
    const message = `this line is indented by ${plural(other)}, and the next one by ${plural(own)}: the keys of one map begin in the same column`
    return { message, at: markFrom(source, aboveStart + other) }
  }
  const message = 'this line goes on with the value of the line above; check the indentation of both'
  return { message, at: markFrom(source, lineStart + indentOf(before)) }
}

/** From the place to the end of its line, without the blanks there; the last text of the file when nothing follows. */
function markFrom(source: Source, place: number): Span {
  const { text } = source
  const isPastText = text.slice(place).trim() === ''
  const start = isPastText ? Math.max(text.trimEnd().length - 1, 0) : place
  const line = /^.*/.exec(text.slice(start))?.[0] ?? ''
  return { source, start, end: start + Math.max(line.trimEnd().length, Math.min(1, text.length - start)) }
}

/**
 * Replaces what the problem is about by blanks, offsets unchanged, so that the rest can be read: its line and the lines
 * that are indented deeper below it. Returns the text as it was when there is nothing to replace.
 */
export function maskProblem(text: string, place: number): string {
  const lineStart = text.lastIndexOf('\n', Math.min(place, text.length) - 1) + 1
  const lines = text.slice(lineStart).split('\n')
  const [first = '', ...rest] = lines
  const indent = indentOf(first)
  const isStray = explainIndentation({ name: '', text }, lineStart + indent) !== undefined
  // lines beside one that fits nowhere fit nowhere either
  const inner = rest.findIndex((line) => line.trim() !== '' && indentOf(line) < indent + (isStray ? 0 : 1))
  const count = 1 + (inner < 0 ? rest.length : inner)
  const masked = lines.map((line, index) => (index < count ? line.replace(/[^\r]/g, ' ') : line))
  return text.slice(0, lineStart) + masked.join('\n')
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The problem of a text that is well-formed, with what its author has to change. */
export function describeNote(note: YamlNote, at: Span): Diagnostic {
  const code = note.kind === 'duplicate-key' ? 'CONFIG_DUPLICATE_KEY' : 'CONFIG_SYNTAX'
  return { code, severity: 'error', message: messageOf(note, at), at }
}

function messageOf(note: YamlNote, { source }: Span): string {
  switch (note.kind) {
    case 'tag-unknown':
      return 'the tag before this is not known'
    case 'tag-unfit':
      return 'the value does not fit the tag before it'
    case 'not-finite':
      return 'infinity and NaN cannot be used'
    case 'merge-no-map':
      return 'only maps can be merged with `<<`'
    case 'key-no-text':
      return 'a key must be text'
    case 'aliases':
      return 'the aliases of this document repeat each other too often'
    case 'anchor':
      return 'no anchor of this name has a complete value before this'
    case 'duplicate-key': {
      const { line } = positionAt(source, note.first.start)
      return `the key \`${note.name}\` stands twice in this map, first in line ${String(line)}`
    }
    default:
      return note satisfies never
  }
}
