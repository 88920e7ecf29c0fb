import Handlebars from 'handlebars'
import type { Code } from '../../model/error-codes.ts'
import { fieldAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Source } from '../../model/source.ts'
import { Dict, dict, GoBytes, GoInt, goInt64, GoObject, type Value } from '../../model/value.ts'
import { formatGoJson, JsonError } from '../json/go-json.ts'
import { YamlError } from '../go-yaml/go-yaml-error.ts'
import { formatGoYaml } from '../go-yaml/go-yaml-format.ts'
import { type HandlebarsPiece, markStatements } from './handlebars-trace.ts'
import {
  CHECK_NAMES,
  type HandlebarsPlace,
  handlebarsProblem,
  PartialFailure,
  TemplateFailure,
} from './handlebars-problem.ts'
import { readHandlebarsTags } from './handlebars-tags.ts'
import { MAX_NESTING } from '../max-nesting.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'

/** The text of a map: never right in output, so it is looked for there. */
const MAP_TEXT = '\u0000map\u0000'
const QUOTED_MAP_TEXT = JSON.stringify(MAP_TEXT).slice(1, -1)
const [MAP_PRINTED, WAY_TO_PRINT] = ['a map is printed as text', 'Name a field of it, or use the helper yaml or json.']

/**
 * Rounds of `each` and calls of partials in one rendering: far above what people write, soon over for what never ends.
 */
const MAX_STEPS = 200_000
/**
 * Characters of one template: reading a literal costs the square of its length, and real templates have a few thousand.
 */
const MAX_TEMPLATE = 65_536
/** Characters that rounds and partials of one rendering make, inner ones counted again by outer ones. */
const MAX_MADE = 32 * 1024 * 1024
/** Partials within partials. */
const MAX_PARTIALS = 100

const WANT_ONE: ReadonlySet<string> = new Set(['if', 'unless', 'with', 'each', 'yaml', 'json', 'quote'])
const WANT_TWO: ReadonlySet<string> = new Set(['default', 'eq', 'lookup'])
const NOUNS: Readonly<Record<string, string>> = { string: 'text', number: 'number', boolean: 'boolean' }

/** The input of one template, and the code under which its errors are reported. */
export interface HandlebarsOptions {
  readonly data: Dict
  readonly code: Code
}

/** The first name of a map that stands alone, as far as it is read from the root. */
function placeOfMap({ text }: Source, data: Dict): HandlebarsPlace | undefined {
  for (const { index, 0: action, 1: path = '' } of text.matchAll(
    /\{\{~?\s*(?:@root\.)?([\w-]+(?:\.[\w-]+)*)\s*~?\}\}/g,
  )) {
    if (!(fieldAt(data, ...path.split('.')) instanceof Dict)) continue
    const before = text.slice(0, index + action.search(/[\w@]/)).split('\n')
    return { start: { line: before.length, column: before.at(-1)?.length ?? 0 } }
  }
  return undefined
}

/** Compiled templates that are remembered: those of ours, and some of the fleet's. */
const MAX_COMPILED = 64

/** Renders a template's text. */
export type RenderHandlebars = (template: Source, options: HandlebarsOptions) => string

/**
 * Makes a renderer of Handlebars templates. Names that are not there are an error, nothing is escaped; helpers are the
 * built-in block helpers and `yaml`, `json`, `quote`, `default`, `eq`; nothing reaches files, environment or network.
 * The renderer throws StackmasonError with the code it is given, at the template's line; no message holds anything of
 * the data.
 */
export function createHandlebars(): RenderHandlebars {
  const known = new WeakMap<Source, CompiledTemplate>()
  return (template, { data, code }) => {
    try {
      engine ??= new Engine()
      const compiled = known.get(template) ?? engine.compiled(template)
      known.set(template, compiled)
      engine.begin()
      const text = compiled(plainOf(data), RUNTIME)
      if (text.includes(MAP_TEXT)) throw new TemplateFailure(MAP_PRINTED, placeOfMap(template, data), WAY_TO_PRINT)
      return text
    } catch (error) {
      throw handlebarsProblem(template, error, code)
    }
  }
}

/**
 * Renders a template once, as {@link createHandlebars} does, and says which text or action of it wrote what; undefined
 * where that cannot be told.
 * @throws StackmasonError with the code that it is given
 */
export function traceHandlebars(
  template: Source,
  { data, code }: HandlebarsOptions,
): readonly HandlebarsPiece[] | undefined {
  const budget: Budget = { steps: 0, made: 0, partials: 0 }
  const engine = createEngine(budget)
  try {
    const program = parse(engine, template)
    const plain = plainOf(data)
    const given = template.text + JSON.stringify(plain)
    const marks = markStatements(programsIn(program), template.text, (character) => !given.includes(character))
    return marks?.cut(compileProgram(engine, program)(plain, RUNTIME))
  } catch (error) {
    throw handlebarsProblem(template, error, code)
  }
}

/** The program of a template and those of its blocks. */
function programsIn(program: hbs.AST.Program): readonly hbs.AST.Program[] {
  const programs: hbs.AST.Program[] = []
  class Programs extends Handlebars.Visitor {
    override Program(inner: hbs.AST.Program): void {
      programs.push(inner)
      super.Program(inner)
    }
  }
  new Programs().accept(program)
  return programs
}

type CompiledTemplate = ReturnType<typeof Handlebars.compile>

const RUNTIME = { allowProtoMethodsByDefault: false, allowProtoPropertiesByDefault: false }

/**
 * The engine of all renderings, which come one after another, and the templates that it compiled last: by text, which
 * is all that decides, because who renders a fleet again in one process has equal templates again. That they are
 * compiled shows in nothing but time, a tenth of a small render.
 */
class Engine {
  readonly budget: Budget = { steps: 0, made: 0, partials: 0 }
  readonly #engine = createEngine(this.budget)
  readonly #compiled = new Map<string, CompiledTemplate>()

  compiled(template: Source): CompiledTemplate {
    const { text } = template
    const compiled = this.#compiled.get(text) ?? compileProgram(this.#engine, parse(this.#engine, template))
    // maps keep the order in which keys came
    this.#compiled.delete(text)
    this.#compiled.set(text, compiled)
    const [oldest] = this.#compiled.keys()
    if (this.#compiled.size > MAX_COMPILED && oldest !== undefined) this.#compiled.delete(oldest)
    return compiled
  }

  /** Before a rendering. */
  begin(): void {
    this.budget.steps = 0
    this.budget.made = 0
    this.budget.partials = 0
  }
}

/** Made at the first rendering: a start that renders nothing takes no time for it. */
let engine: Engine | undefined

function compileProgram(engine: typeof Handlebars, program: hbs.AST.Program): CompiledTemplate {
  return engine.compile(program, { noEscape: true, strict: true, knownHelpersOnly: false, preventIndent: true })
}

/** Reads a template whose calls are all of helpers that are there. */
function parse(engine: typeof Handlebars, { text }: Source): hbs.AST.Program {
  if (text.length > MAX_TEMPLATE) throw new TemplateFailure(`the template has more than ${MAX_TEMPLATE} characters`)
  const { tooDeep } = readHandlebarsTags(text)
  if (tooDeep !== undefined) {
    const before = text.slice(0, tooDeep).split('\n')
    const start = { line: before.length, column: before.at(-1)?.length ?? 0 }
    throw new TemplateFailure(`blocks and parentheses nest more than ${MAX_NESTING} deep here`, { start })
  }
  const program = engine.parse(text)
  checkCalls(engine, program)
  return program
}

/** Without this a call of what is no helper fails as JavaScript does, at no place. */
function checkCalls(engine: typeof Handlebars, program: hbs.AST.Program): void {
  const isHelper = (path: hbs.AST.PathExpression): boolean =>
    Object.hasOwn(engine.helpers, path.original) && !path.original.endsWith('elperMissing')
  const check = (call: Call): void => {
    const { path, params, loc } = call
    if (!isPath(path)) throw new TemplateFailure('a literal is called as if it were a helper', path.loc)
    const name = path.original
    if (!isHelper(path))
      throw new TemplateFailure(`there is no helper ${JSON.stringify(name)}`, path.loc, wayToHelper(name))
    if (WANT_ONE.has(name) && params.length !== 1)
      throw new TemplateFailure(
        `${name} wants one value`,
        loc,
        'Write one name or text behind it; put a call in parentheses.',
      )
    if (WANT_TWO.has(name) && params.length !== 2)
      throw new TemplateFailure(
        `${name} wants two values`,
        loc,
        'Write two names or texts behind it; put a call in parentheses.',
      )
  }
  const isCall = (node: Call): boolean =>
    node.params.length > 0 || node.hash !== undefined || (isPath(node.path) && isHelper(node.path))
  class Calls extends Handlebars.Visitor {
    override MustacheStatement(node: hbs.AST.MustacheStatement): void {
      if (isCall(node)) check(node)
      super.MustacheStatement(node)
    }
    override BlockStatement(node: hbs.AST.BlockStatement): void {
      if (isCall(node)) check(node)
      super.BlockStatement(node)
    }
    override SubExpression(node: hbs.AST.SubExpression): void {
      check(node)
      super.SubExpression(node)
    }
  }
  new Calls().accept(program)
}

/** The helpers, by the names that people know them by. */
const HELPERS: readonly string[] = [...WANT_ONE, ...WANT_TWO].toSorted()

function wayToHelper(name: string): string {
  const near = nearestName(name, HELPERS)
  return `${near === undefined ? '' : `Did you mean ${near}? `}Helpers are: ${HELPERS.join(', ')}.`
}

type Call = Pick<hbs.AST.SubExpression, 'params' | 'hash' | 'loc'> & { readonly path: hbs.AST.Node }

function isPath(node: hbs.AST.Node): node is hbs.AST.PathExpression {
  return node.type === 'PathExpression'
}

/** The budget that one rendering has used so far. */
interface Budget {
  steps: number
  made: number
  /** Partials that have not come to their end. */
  partials: number
}

/** Counts one step and what it made. */
function spend<Made>(budget: Budget, make: () => Made): Made {
  budget.steps++
  if (budget.steps > MAX_STEPS) {
    const what = `more than ${MAX_STEPS} rounds of each and calls of partials`
    throw new TemplateFailure(`the template does not come to an end: ${what}`)
  }
  const made = make()
  budget.made += typeof made === 'string' ? made.length : 0
  if (budget.made > MAX_MADE) throw new TemplateFailure(`the template makes more than ${MAX_MADE} characters`)
  return made
}

function createEngine(budget: Budget): typeof Handlebars {
  const engine = Handlebars.create()
  limit(engine, budget)
  readStrictly(engine)
  engine.registerHelper('log', (...words: unknown[]) => {
    throw new TemplateFailure('there is no helper log here', placeIn(words.at(-1)), 'Remove the call.')
  })
  const printer = (name: string, print: (value: unknown) => string): void =>
    engine.registerHelper(name, (...words: unknown[]) => {
      const place = placeIn(words.at(-1))
      // strict mode looks at names that stand alone, not at those that are handed to helpers
      if (words[0] === undefined) throw new TemplateFailure(`${name} gets a name that is not there`, place, CHECK_NAMES)
      const text = printed(() => print(words[0]))
      if (text === undefined) throw new TemplateFailure(`${name} cannot print this value`, place)
      if (text === MAP_TEXT || text.includes(QUOTED_MAP_TEXT))
        throw new TemplateFailure(MAP_PRINTED, place, WAY_TO_PRINT)
      return text
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

/** Undefined: the format has no form for the value. */
function printed(print: () => string): string | undefined {
  try {
    return print()
  } catch (error) {
    if (error instanceof JsonError || error instanceof YamlError) return undefined
    throw error
  }
}

/** The place of a helper's call; `options` is what Handlebars hands to it last. */
function placeIn(options: unknown): HandlebarsPlace | undefined {
  const loc: unknown = typeof options === 'object' && options !== null && 'loc' in options ? options.loc : undefined
  return isPlace(loc) ? loc : undefined
}

function isPlace(loc: unknown): loc is HandlebarsPlace {
  return typeof loc === 'object' && loc !== null && 'start' in loc
}

/**
 * Handlebars has no limits of its own; its runtime says that others may put their own functions in the place of those
 * of `VM`.
 */
function limit(engine: typeof Handlebars, budget: Budget): void {
  type Invoke = (this: unknown, ...given: unknown[]) => unknown
  const runtime = engine as unknown as { VM: { readonly invokePartial: Invoke } }
  const { invokePartial } = runtime.VM
  runtime.VM = {
    ...runtime.VM,
    invokePartial(...given) {
      const [partial, , options] = given
      const own = new Map<string, unknown>(
        typeof options === 'object' && options !== null ? Object.entries(options) : [],
      )
      // a block that calls a partial is what is shown without one
      if (partial === undefined && own.get('fn') === undefined) throw new PartialFailure(String(own.get('name')))
      if (++budget.partials > MAX_PARTIALS)
        throw new TemplateFailure(`partials call each other more than ${MAX_PARTIALS} deep`)
      const made = spend(budget, () => invokePartial.apply(this, given))
      budget.partials--
      return made
    },
  }
  const each = engine.helpers['each'] as Invoke
  engine.registerHelper('each', function (this: unknown, ...given: unknown[]) {
    const options = given.at(-1) as Handlebars.HelperOptions
    const round = (context: unknown, inner: Handlebars.RuntimeOptions): string =>
      spend(budget, () => options.fn(context, inner))
    return each.apply(this, [...given.slice(0, -1), { ...options, fn: Object.assign(round, options.fn) }])
  })
}

/** Puts our own look-up of names into templates: that of Handlebars prints what it looked into. */
function readStrictly(engine: typeof Handlebars): void {
  interface Container {
    readonly lookupProperty: (from: object, name: string) => unknown
    strict: (from: unknown, name: string, place: HandlebarsPlace) => unknown
  }
  type Main = (this: unknown, container: Container, ...rest: unknown[]) => unknown
  const runtime = engine as unknown as { template: (spec: { readonly main: Main }) => unknown }
  const { template } = runtime
  runtime.template = (spec) => {
    const main: Main = function (container, ...rest) {
      container.strict = (from, name, place) => {
        if (typeof from === 'object' && from !== null && Object.hasOwn(from, name))
          return container.lookupProperty(from, name)
        throw new TemplateFailure(missing(from, name), place, wayToName(from))
      }
      return spec.main.call(this, container, ...rest)
    }
    return template.call(engine, { ...spec, main })
  }
}

function missing(from: unknown, name: string): string {
  const what = JSON.stringify(name)
  if (from === undefined || from === null) return `${what} is not defined, nor is what it is read of`
  if (Array.isArray(from)) return `${what} is read of a list, whose items are [0], [1] and so on`
  return typeof from === 'object'
    ? `${what} is not defined`
    : `${what} is read of a ${NOUNS[typeof from] ?? 'value'}, which has no fields`
}

function wayToName(from: unknown): string {
  if (Array.isArray(from)) return 'Name an item, or go over the list with {{#each}}.'
  return from === undefined || typeof from === 'object' ? CHECK_NAMES : 'Leave the name out, or read it of a map.'
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
