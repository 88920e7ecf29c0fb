import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import type { TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import type { ParsedTemplate } from './ast.ts'
import { createCallContext } from './call-context.ts'
import { Execution, templateError, type ExecutionOptions, type Frame } from './execution.ts'
import { FunctionError, type FunctionTable, type Generation } from './function.ts'
import { quoteGo } from './format.ts'
import { setName } from './late-bound.ts'
import { functionLibrary } from './library.ts'
import type { Limits } from './limits.ts'
import { Output, chunkText, removeNoValue, type Chunk } from './output.ts'
import { parseTemplate } from './parser.ts'
import { TemplateError } from './template-error.ts'
import { createTemplateSet, type TemplateSet } from './template-set.ts'
import { inGo, ours, say, written, type ErrorText } from './error-text.ts'

export { chunkText, removeNoValue }
export type { Chunk, ParsedTemplate, TemplateSet }

/** The options of an engine. */
export interface EngineOptions {
  readonly functions: FunctionTable
  /**
   * True if `include`, `tpl`, `required`, `fail` and `lookup` are there: charts have them, runtime templates do not.
   */
  readonly lateBound: boolean
  readonly limits: Limits
  readonly crypto: Crypto
  readonly tokens: TokenTable
  /** The mode of generators of secrets. */
  readonly generate: Generation
  readonly onFinding: (finding: Diagnostic) => void
  /** Fields of values that are only known later; without it they have none, as texts have none. */
  readonly fieldOfToken?: ExecutionOptions['fieldOfToken']
  /** Milliseconds from some fixed start, for the time limit only. */
  readonly elapsed?: (() => number) | undefined
  /** Is given how much of the nearest limit each execution has used, from 0 to 1. */
  readonly onShare?: ((share: number) => void) | undefined
  /** True if chunks say which calls led to them; costs time and memory. */
  readonly trace?: boolean | undefined
}

/**
 * Renders Go templates by Helm's rules. It holds the state of one render (identities of generated values): make one per
 * render.
 */
export interface Engine {
  /**
   * Parses a template; every engine on the same functions can use the result.
   * @throws TemplateError TEMPLATE_PARSE, TEMPLATE_LIMIT_DEPTH
   */
  readonly parse: (source: Source) => ParsedTemplate
  /** Later templates win over earlier ones of the same name, blank ones excepted. */
  readonly createSet: (templates: readonly ParsedTemplate[]) => TemplateSet
  /**
   * Executes a template of the set. `<no value>` stays in: see `removeNoValue`.
   * @throws TemplateError TEMPLATE_EXECUTION, TEMPLATE_FAIL, TEMPLATE_TOKEN_REFUSED, TEMPLATE_LIMIT_*; INTERNAL for a
   * defect
   */
  readonly execute: (set: TemplateSet, name: string, data: Value) => readonly Chunk[]
  /**
   * The error for a template that was stopped from outside, at what it did then; undefined when none was being
   * executed.
   */
  readonly stopped: (milliseconds: number) => TemplateError | undefined
}

/** Makes an engine. */
export function createEngine(options: EngineOptions): Engine {
  const { isFunction, compile } = functionLibrary(options.functions, options.lateBound ? 'chart' : 'plain')
  const shared = { ...options, lineRuns: new Map<string, number>(), reported: new Set<string>() }
  let running: Execution | undefined
  const parsedTexts = new Map<string, ParsedTemplate>()

  function parse(source: Source): ParsedTemplate {
    return parseTemplate(source, { isFunction })
  }

  /** Texts of `tpl` come again and again. */
  function parseText(source: Source, onStatement: () => void): ParsedTemplate {
    const known = parsedTexts.get(source.text)
    if (known !== undefined) return known
    const parsed = parseTemplate(source, { isFunction, onStatement })
    parsedTexts.set(source.text, parsed)
    return parsed
  }

  return {
    parse,
    createSet: (templates) => createTemplateSet(templates),
    execute(set, name, data) {
      const definition = set.find(name)
      if (definition === undefined) {
        const text = say`template: no template ${written(quoteGo(name))} associated with template ${ours(quoteGo(setName))}`
        throw new TemplateError({
          code: 'TEMPLATE_EXECUTION',
          message: text.shown(),
          goMessage: text.go,
          frames: [],
        })
      }
      const execution = new Execution({
        set,
        limits: options.limits,
        tokens: options.tokens,
        fieldOfToken: options.fieldOfToken,
        elapsed: options.elapsed,
        trace: options.trace ?? false,
        createContext: (running) => createCallContext(running, shared),
        compile,
        parse: parseText,
      })
      running = execution
      const dot = data ?? undefined
      const output = new Output('recording')
      const frame = execution.enter(definition, undefined, { entry: 'execute', dot, nesting: 0, output })
      try {
        frame.program.run(frame, dot)
      } catch (error) {
        running = undefined
        throw error instanceof StackmasonError ? error : unforeseen(execution.current ?? frame, error)
      }
      running = undefined
      options.onShare?.(execution.share())
      return output.chunks()
    },
    stopped: (milliseconds) => running?.stopped(milliseconds),
  }
}

/** Turns refusals of JavaScript itself into limits; everything else is a defect of ours. */
function unforeseen(frame: Frame, error: unknown): TemplateError {
  if (error instanceof FunctionError) return templateError(frame, error.text, { cause: error })
  const message = error instanceof Error ? error.message : String(error)
  const thrown = inGo(message, describeThrown(error))
  if (!(error instanceof RangeError)) return templateError(frame, thrown, { code: 'INTERNAL', cause: error })
  if (message.includes('call stack')) {
    return templateError(frame, 'templates or values are nested too deeply', {
      code: 'TEMPLATE_LIMIT_DEPTH',
      cause: error,
    })
  }
  return templateError(frame, say`built more than is allowed: ${thrown}`, {
    code: 'TEMPLATE_LIMIT_OUTPUT',
    cause: error,
  })
}

/** V8's messages for things that have grown too large; its other messages may quote values. */
const tooLarge: ReadonlySet<string> = new Set([
  'Array buffer allocation failed',
  'Invalid array length',
  'Invalid string length',
  'Invalid typed array length',
])

/** The text that may be shown of an error that is no finding: messages of V8 may quote values. */
function describeThrown(error: unknown): ErrorText {
  if (!(error instanceof Error)) return say`no error was thrown`
  const { name, message, stack = '' } = error
  if (name === 'Error' || tooLarge.has(message)) return ours(message)
  const [place] = /[\w.-]+:\d+:\d+/.exec(stack.slice(stack.indexOf(message) + message.length)) ?? []
  return ours(place === undefined ? name : `${name} at ${place}`)
}
