import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Source } from '../../model/source.ts'
import { readHandlebarsTags } from './handlebars-tags.ts'

/** Where Handlebars says that something stands: lines from 1, columns from 0. */
export interface HandlebarsPlace {
  readonly start: { readonly line: number; readonly column: number }
}

/** A failure in words of ours, which hold names of the template and nothing that it was given. */
export class TemplateFailure extends Error {
  readonly place: HandlebarsPlace | undefined
  /** The next step to take; absent: that of the finding's code. */
  readonly hint: string | undefined

  constructor(message: string, place?: HandlebarsPlace, hint?: string) {
    super(message)
    this.name = 'TemplateFailure'
    this.place = place
    this.hint = hint
  }
}

/** The next step for a name that is not there. */
export const CHECK_NAMES = 'Check each name of the path, or put {{#if}} around it.'
/** The same where we know what templates see. */
const CHECK_NAMES_OF_ADDON =
  'Templates see cluster, values and release; check each name of the path, or put {{#if}} around it.'

/** A call of a partial that is not there; a name that a value gave is never told. */
export class PartialFailure extends Error {
  readonly partial: string

  constructor(partial: string) {
    super('a partial that is called is not there')
    this.name = 'PartialFailure'
    this.partial = partial
  }
}

/** A longer path is marked in part. */
const LONGEST_PATH = 200

interface Explanation {
  readonly message: string
  readonly start: number
  readonly end?: number
  readonly hint?: string | undefined
}

/**
 * The finding for what went wrong in a template. Handlebars, and the JavaScript that it makes, put values into their
 * messages: of those only the ones that are known to speak of the template alone are taken, and names only as they
 * stand in it.
 */
export function handlebarsProblem(file: Source, error: unknown, code: Code): StackmasonError {
  const { message, start, end = start, hint: way } = explain(file, error)
  const hint = way === CHECK_NAMES && code === 'ADDON_TEMPLATE' ? CHECK_NAMES_OF_ADDON : way
  const at = { source: file, start, end }
  return new StackmasonError({ code, severity: 'error', message, at, hint })
}

function explain(file: Source, error: unknown): Explanation {
  if (error instanceof TemplateFailure) {
    const { message, place, hint } = error
    const start = place === undefined ? 0 : offsetOf(file, place.start)
    return {
      message,
      start,
      end:
        start +
        (/^(?:\{\{[^{}]*\}\}|[\w@.[\]/-]*)/.exec(file.text.slice(start, start + LONGEST_PATH))?.[0].length ?? 0),
      hint,
    }
  }
  if (error instanceof PartialFailure) return explainPartial(file, error.partial)
  if (error instanceof RangeError)
    return { message: 'the template nests too deeply, or its partials call each other without end', start: 0 }
  const text = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
  if (error instanceof TypeError) return explainRead(file, text)
  const whole = error instanceof Error ? error.message : ''
  return explainSyntax(file, { text, whole, place: placeOf(error, text) })
}

interface SyntaxProblem {
  /** The first line of the message. */
  readonly text: string
  readonly whole: string
  readonly place: number | HandlebarsPlace['start'] | undefined
}

function explainSyntax(file: Source, { text, whole, place }: SyntaxProblem): Explanation {
  const start =
    place === undefined
      ? 0
      : typeof place === 'number'
        ? offsetOf(file, { line: place, column: 0 })
        : offsetOf(file, place)
  if (/^(?:Parse|Lexical) error on line \d+/.test(text)) {
    const [brace] = file.text.matchAll(/(?<!\{)\{\{[^{}]+(?=(\}\}\})(?!\}))/g)
    if (brace !== undefined) {
      const end = brace.index + brace[0].length
      return {
        message: '`}}}` closes `{{{`, and `{{` stands before it',
        start: end,
        end: end + 3,
        hint: 'Write a space behind the first two braces: `}} }`.',
      }
    }
    const open = /got 'EOF'/.test(whole) ? openBlock(file) : undefined
    if (open === undefined) return unexpected(file, whole, start)
    return {
      message: `the block {{#${open.name}}} is not closed`,
      start: open.start,
      end: open.end,
      hint: `Write {{/${open.name}}} where it ends.`,
    }
  }
  const [, opened, closed] = /^(\S+) doesn't match (\S+)(?: - |$)/.exec(text) ?? []
  if (opened !== undefined && closed !== undefined) {
    return {
      message: `the block {{#${opened}}} is closed by {{/${closed}}}`,
      start,
      end: start + opened.length,
      hint: `Write {{/${opened}}} before {{/${closed}}}.`,
    }
  }
  const [, path] = /^Invalid path: (\S+)(?: - |$)/.exec(text) ?? []
  if (path !== undefined && file.text.includes(path)) return { message: `${JSON.stringify(path)} is not a path`, start }
  if (text.startsWith('Missing decorator: ')) return { message: 'there is no decorator but inline', start }
  if (text.startsWith('Unsupported number of partial arguments'))
    return { message: 'a partial takes one value at most', start }
  return { message: 'the template fails; look at the values that it hands to helpers and partials', start }
}

/** Says what stands where the parser gave up: its message has no offset, but 20 characters on either side. */
function unexpected(file: Source, message: string, lineStart: number): Explanation {
  const [, shown = '', dashes = ''] = /\n(.*)\n(-*)\^/.exec(message) ?? []
  const behind = shown.slice(dashes.length).replace(/^(.{1,20})\.\.\.$/, '$1')
  // of more than 20 characters dots come first, which may also be those of the template
  const start = (shown.startsWith(DOTS) ? [DOTS.length, 0] : [0])
    .map((from) => offsetOfShown(file.text, shown.slice(from, dashes.length), behind, lineStart))
    .find((offset) => offset !== undefined)
  if (start === undefined) return { message: 'the template does not parse', start: lineStart }
  const opened = file.text.lastIndexOf('{{', start)
  const isOpen = opened !== -1 && !file.text.slice(opened, start).includes('}}')
  const [what = ''] = /^(?:\w+|\}+|\{+[#/^&>]?|\S)/.exec(file.text.slice(start, start + LONGEST_PATH)) ?? []
  if (what === '' && isOpen)
    return { message: 'the template does not parse: `{{` is not closed', start: opened, end: opened + 2, hint: CLOSE }
  return {
    message: `the template does not parse: unexpected ${what === '' ? 'end' : JSON.stringify(what)}`,
    start,
    end: start + what.length,
    hint: isOpen && what === '}' ? CLOSE : undefined,
  }
}

const CLOSE = 'Close it with `}}`.'

const DOTS = '...'

/** The offset in a text of what is shown of it without line ends, where that is nearest to a line. */
function offsetOfShown(text: string, before: string, behind: string, line: number): number | undefined {
  const [shown, flat] = [before + behind, text.replaceAll('\n', '')]
  const near = text.slice(0, line).replaceAll('\n', '').length
  let best: number | undefined
  for (let at = flat.indexOf(shown); shown !== '' && at !== -1; at = flat.indexOf(shown, at + 1)) {
    const place = at + before.length
    if (best === undefined || Math.abs(place - near) < Math.abs(best - near)) best = place
  }
  if (best === undefined) return undefined
  let left = best
  for (let offset = 0; offset < text.length; offset++) if (text[offset] !== '\n' && left-- === 0) return offset
  return text.length
}

/** Explains JavaScript's error about reading a field of nothing, at the first position where the template does so. */
function explainRead(file: Source, text: string): Explanation {
  const [, name] = /^Cannot read properties of (?:undefined|null) \(reading '(.*)'\)$/.exec(text) ?? []
  if (name === undefined || !file.text.includes(name))
    return { message: 'the template fails; look at the values that it hands to helpers and partials', start: 0 }
  const use = new RegExp(String.raw`[\w@.\[\]/-]+\.\[?${escaped(name)}\b`).exec(file.text)
  const start = use?.index ?? 0
  return {
    message: `${JSON.stringify(name)} is read of something that is not there${use === null ? '' : `: ${use[0]}`}`,
    start,
    end: start + (use?.[0].length ?? 0),
    hint: CHECK_NAMES,
  }
}

function explainPartial(file: Source, name: string): Explanation {
  const called = new RegExp(String.raw`\{\{~?#?>\s*["'\[]?${escaped(name)}(?![\w-])`).exec(file.text)
  if (called !== null)
    return {
      message: `there is no partial ${JSON.stringify(name)}`,
      start: called.index,
      end: called.index + called[0].length,
      hint: `Define it in the same file: {{#*inline ${JSON.stringify(name)}}}…{{/inline}}.`,
    }
  const start = Math.max(0, file.text.search(/\{\{~?#?>\s*\(/))
  return {
    message: 'the partial that a value names here is not there',
    start,
    hint: 'Choose between partials of this file with {{#if}}, and write their names into the template.',
  }
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, String.raw`\$&`)
}

/** The innermost block that the text opens and never closes. */
function openBlock({
  text,
}: Source): { readonly name: string; readonly start: number; readonly end: number } | undefined {
  const open: { readonly name: string; readonly start: number; readonly end: number }[] = []
  for (const tag of readHandlebarsTags(text).tags) {
    if (tag.kind === 'open') open.push(tag)
    if (tag.kind === 'close') open.pop()
  }
  return open.at(-1)
}

/** Handlebars tells a line (and sometimes a column), as fields of the error or in its text only. */
function placeOf(error: unknown, text: string): SyntaxProblem['place'] {
  const fields = new Map<string, unknown>(typeof error === 'object' && error !== null ? Object.entries(error) : [])
  const [, line, column] = / - (\d+):(\d+)$/.exec(text) ?? []
  const found = Number(fields.get('lineNumber') ?? line ?? / on line (\d+)/.exec(text)?.[1] ?? Number.NaN)
  if (Number.isNaN(found)) return undefined
  const at = Number(fields.get('column') ?? column ?? Number.NaN)
  return Number.isNaN(at) ? found : { line: found, column: at }
}

function offsetOf({ text }: Source, { line, column }: HandlebarsPlace['start']): number {
  let start = 0
  for (let passed = 1; passed < line; passed++) {
    const next = text.indexOf('\n', start)
    if (next === -1) break
    start = next + 1
  }
  return Math.min(start + column, text.length)
}
