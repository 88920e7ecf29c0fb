import Handlebars from 'handlebars'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import { positionAt, type Source } from '../../model/source.ts'
import { Dict, dict, GoBytes, GoInt, goInt64, GoObject, type Value } from '../../model/value.ts'
import { formatGoJson } from '../json/go-json.ts'
import { formatGoYaml } from '../go-yaml/go-yaml-format.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'

/** What a map turns into as text: never right in output, so it is looked for there. */
const MAP_TEXT = '\u0000map\u0000'

/** Rounds of `each` and calls of partials in one rendering: far above what people write, soon over for what never ends. */
const MAX_STEPS = 200_000
/** Characters of one template: reading a literal costs the square of its length, and real templates have a few thousand. */
const MAX_TEMPLATE = 65_536
/** Characters that rounds and partials of one rendering make, inner ones counted again by outer ones. */
const MAX_MADE = 32 * 1024 * 1024

/** What one template gets, and under which code its mistakes are reported. */
export interface HandlebarsOptions {
  readonly data: Dict
  readonly code: Code
}

/** Renders a template's text. */
export type RenderHandlebars = (template: Source, options: HandlebarsOptions) => string

/**
 * Makes a renderer of Handlebars templates. Names that are not there are an error, nothing is escaped; helpers are the built-in block helpers and
 * `yaml`, `json`, `quote`, `default`, `eq`; nothing reaches files, environment or network.
 * The renderer throws StackmasonError with the code it is given, at the template's line.
 */
export function createHandlebars(): RenderHandlebars {
  const budget: Budget = { steps: 0, made: 0 }
  const engine = createEngine(budget)
  const known = new WeakMap<Source, CompiledTemplate>()
  return (template, { data, code }) => {
    budget.steps = 0
    budget.made = 0
    try {
      const compiled = known.get(template) ?? compile(engine, template)
      known.set(template, compiled)
      const text = compiled(plainOf(data), {
        allowProtoMethodsByDefault: false,
        allowProtoPropertiesByDefault: false,
      })
      if (text.includes(MAP_TEXT))
        throw new Error('a map is printed as text; name a field of it, or use the helper yaml or json')
      return text
    } catch (error) {
      throw templateError(template, error, code)
    }
  }
}

type CompiledTemplate = ReturnType<typeof Handlebars.compile>

function compile(engine: typeof Handlebars, { text }: Source): CompiledTemplate {
  if (text.length > MAX_TEMPLATE) throw new Error(`the template has more than ${MAX_TEMPLATE} characters`)
  return engine.compile(text, { noEscape: true, strict: true, knownHelpersOnly: false, preventIndent: true })
}

/** What one rendering has used so far. */
interface Budget {
  steps: number
  made: number
}

/** Counts one step and what it made. */
function spend<Made>(budget: Budget, make: () => Made): Made {
  budget.steps++
  if (budget.steps > MAX_STEPS)
    throw new Error(`the template does not come to an end: more than ${MAX_STEPS} rounds of each and calls of partials`)
  const made = make()
  budget.made += typeof made === 'string' ? made.length : 0
  if (budget.made > MAX_MADE) throw new Error(`the template makes more than ${MAX_MADE} characters`)
  return made
}

function createEngine(budget: Budget): typeof Handlebars {
  const engine = Handlebars.create()
  limit(engine, budget)
  engine.registerHelper('log', (...words: unknown[]) => {
    throw failure('there is no helper log here', words.at(-1))
  })
  const printer = (name: string, print: (value: unknown) => string): void =>
    engine.registerHelper(name, (...words: unknown[]) => {
      // strict mode looks at names that stand alone, not at those that are handed to helpers
      if (words.length === 2 && words[0] !== undefined) return print(words[0])
      const reason = words.length === 2 ? `${name} gets a name that is not there` : `${name} wants one value`
      throw failure(reason, words.at(-1))
    })
  printer('yaml', (value) => formatGoYaml(valueOf(value)).trimEnd())
  printer('json', (value) => formatGoJson(valueOf(value), { escapeHtml: false }))
  printer('quote', (value) => JSON.stringify(String(value)))
  engine.registerHelper('default', (fallback: unknown, value: unknown) =>
    value === undefined || value === null || value === '' ? fallback : value,
  )
  engine.registerHelper('eq', (a: unknown, b: unknown) => a === b)
  return engine
}

/** Handlebars has no limits of its own; its runtime says that others may put their own functions in the place of those of `VM`. */
function limit(engine: typeof Handlebars, budget: Budget): void {
  type Call = (this: unknown, ...given: unknown[]) => unknown
  const runtime = engine as unknown as { VM: { readonly invokePartial: Call } }
  const { invokePartial } = runtime.VM
  runtime.VM = {
    ...runtime.VM,
    invokePartial(...given) {
      return spend(budget, () => invokePartial.apply(this, given))
    },
  }
  const each = engine.helpers['each'] as Call
  engine.registerHelper('each', function (this: unknown, ...given: unknown[]) {
    const options = given.at(-1) as Handlebars.HelperOptions
    const round = (context: unknown, inner: Handlebars.RuntimeOptions): string =>
      spend(budget, () => options.fn(context, inner))
    return each.apply(this, [...given.slice(0, -1), { ...options, fn: Object.assign(round, options.fn) }])
  })
}

/** An error at the place of a helper's call; `options` is what Handlebars hands to it last. */
function failure(reason: string, options: unknown): Error {
  const loc: unknown = typeof options === 'object' && options !== null && 'loc' in options ? options.loc : undefined
  return new Handlebars.Exception(reason, { loc } as hbs.AST.Node)
}

interface Explanation {
  readonly message: string
  readonly start: number
  readonly end: number
  readonly hint?: string
}

/** In words of the template what Handlebars and the JavaScript that it makes say in words of their own. */
function explain(file: Source, error: unknown): Explanation | undefined {
  const text = error instanceof Error ? error.message : ''
  const open = /got 'EOF'/.test(text) ? openBlock(file) : undefined
  if (open !== undefined) {
    return {
      message: `the block {{#${open.name}}} is not closed`,
      start: open.start,
      end: open.end,
      hint: `Write {{/${open.name}}} where it ends.`,
    }
  }
  const [, opened, closed] = /^(\S+) doesn't match (\S+)(?: - |$)/.exec(text) ?? []
  if (opened !== undefined && closed !== undefined) {
    const start = offsetOf(file, error, text)
    return {
      message: `the block {{#${opened}}} is closed by {{/${closed}}}`,
      start,
      end: start + opened.length,
      hint: `Write {{/${opened}}} before {{/${closed}}}.`,
    }
  }
  const name = error instanceof TypeError ? /\(reading '(.*)'\)$/.exec(text)?.[1] : undefined
  if (name === undefined) return undefined
  const use = new RegExp(String.raw`[\w@.\[\]/-]+\.\[?${name.replaceAll(/[^\w]/g, String.raw`\$&`)}\b`).exec(file.text)
  const start = use?.index ?? 0
  return {
    message: `${JSON.stringify(name)} is read of something that is not there${use === null ? '' : `: ${use[0]}`}`,
    start,
    end: start + (use?.[0].length ?? 0),
    hint: 'Templates see cluster, values and release; check each name of the path, or put {{#if}} around it.',
  }
}

/** The innermost block that the text opens and never closes. */
function openBlock({
  text,
}: Source): { readonly name: string; readonly start: number; readonly end: number } | undefined {
  const open: { readonly name: string; readonly start: number; readonly end: number }[] = []
  const plain = text.replaceAll(/\{\{!--[^]*?--\}\}|\{\{![^}]*\}\}/g, (comment) => ' '.repeat(comment.length))
  for (const tag of plain.matchAll(/\{\{~?([#/])[>*]?\s*([\w.@/-]+)[^}]*\}\}/g)) {
    const [whole, kind, name = ''] = tag
    if (kind === '#') open.push({ name, start: tag.index, end: tag.index + whole.length })
    else open.pop()
  }
  return open.at(-1)
}

function templateError(file: Source, error: unknown, code: Code): StackmasonError {
  const explained = explain(file, error)
  if (explained !== undefined) {
    const { message, start, end, hint } = explained
    const at = { source: file, start, end }
    return new StackmasonError(
      { code, severity: 'error', message, at, ...(hint !== undefined && { hint }) },
      { cause: error },
    )
  }
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  const start = offsetOf(file, error, message)
  return new StackmasonError(
    {
      code,
      severity: 'error',
      message: message
        .replace(/ - \d+:\d+$/, '')
        .replace(` in ${MAP_TEXT}`, '')
        .replace(/ not defined in (?:undefined|null)\b.*$/, ' is not defined, nor is what it is read of')
        .replace(/^Parse error on line \d+:?$/, 'the template does not parse'),
      at: { source: file, start, end: start },
    },
    { cause: error },
  )
}

/** Handlebars tells a line (and sometimes a column, from 0), as fields of the error or in its text only. */
function offsetOf(file: Source, error: unknown, message: string): number {
  const fields =
    typeof error === 'object' && error !== null
      ? new Map<string, unknown>(Object.entries(error))
      : new Map<string, unknown>()
  const line = Number(
    fields.get('lineNumber') ?? / on line (\d+)/.exec(message)?.[1] ?? / - (\d+):\d+$/.exec(message)?.[1] ?? 1,
  )
  const column = Number(fields.get('column') ?? / - \d+:(\d+)$/.exec(message)?.[1] ?? 0)
  let start = 0
  while (positionAt(file, start).line < line) {
    const next = file.text.indexOf('\n', start)
    if (next === -1) break
    start = next + 1
  }
  return Math.min(start + column, file.text.length)
}

/** Plain JavaScript without prototypes, so that a key such as `constructor` is only a key. */
function plainOf(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plainOf)
  if (value instanceof Dict) {
    const result: Record<string, unknown> = Object.create(null)
    Object.defineProperty(result, Symbol.toPrimitive, { value: () => MAP_TEXT })
    for (const [key, child] of value) result[key] = plainOf(child)
    return result
  }
  if (value instanceof GoInt)
    return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : value.value.toString()
  if (value instanceof GoObject) return plainOf(value.toValue())
  if (value instanceof GoBytes) return decodeUtf8(value.bytes)
  return value
}

function valueOf(plain: unknown): Value {
  if (Array.isArray(plain)) return plain.map(valueOf)
  if (typeof plain === 'number') return Number.isSafeInteger(plain) ? goInt64(plain) : plain
  if (typeof plain === 'string' || typeof plain === 'boolean') return plain
  if (typeof plain === 'object' && plain !== null)
    return dict(Object.entries(plain).map(([key, child]): [string, Value] => [key, valueOf(child)]))
  return null
}
