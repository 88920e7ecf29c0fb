import type { Diagnostic } from '../../model/diagnostic.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import type { TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import type { Definition, ParsedTemplate } from './ast.ts'
import { builtinFunctions } from './builtins.ts'
import type { TemplateFunction } from './call-function.ts'
import { compileDefinition } from './compile.ts'
import { Execution, type Program } from './execution.ts'
import type { FunctionTable } from './function.ts'
import { lateBoundFunctions, setName } from './late-bound.ts'
import type { Limits } from './limits.ts'
import { Output, chunkText, removeNoValue, type Chunk, type Origin } from './output.ts'
import { parseTemplate } from './parser.ts'
import { TemplateError } from './template-error.ts'
import { createTemplateSet, type TemplateSet } from './template-set.ts'

export { chunkText, parseTemplate, removeNoValue }
export type { Chunk, Origin, ParsedTemplate, TemplateSet }

/** What an engine is made of. */
export interface EngineOptions {
  readonly functions: FunctionTable
  /** Whether `include`, `tpl`, `required`, `fail` and `lookup` are there: charts have them, runtime templates do not. */
  readonly lateBound: boolean
  readonly limits: Limits
  readonly crypto: Crypto
  readonly tokens: TokenTable
  /** What a generator of secrets writes: a token, or a marked placeholder. */
  readonly generate: 'token' | 'placeholder'
  readonly onFinding: (finding: Diagnostic) => void
  /** Milliseconds from some fixed start, for the time limit only. */
  readonly elapsed?: (() => number) | undefined
}

/** Renders Go templates by Helm's rules. State of a render (identities of generated values) lives in it: make one per render. */
export interface Engine {
  /** @throws TemplateError TEMPLATE_PARSE */
  readonly parse: (source: Source) => ParsedTemplate
  /** Later templates win over earlier ones of the same name, blank ones excepted. */
  readonly createSet: (templates: readonly ParsedTemplate[]) => TemplateSet
  /**
   * Executes a template of the set. `<no value>` stays in: see `removeNoValue`.
   * @throws TemplateError TEMPLATE_*
   */
  readonly execute: (set: TemplateSet, name: string, data: Value) => readonly Chunk[]
}

/** Makes an engine. */
export function createEngine(options: EngineOptions): Engine {
  const { limits, crypto, tokens, generate, onFinding, elapsed } = options
  const functions = new Map<string, TemplateFunction>()
  for (const definition of builtinFunctions) functions.set(definition.name, definition)
  for (const definition of options.functions.values()) functions.set(definition.name, definition)
  if (options.lateBound) for (const definition of lateBoundFunctions) functions.set(definition.name, definition)
  const builtins = new Set<TemplateFunction>(builtinFunctions)
  const isBuiltin = (definition: TemplateFunction): boolean => builtins.has(definition)
  const isFunction = (name: string): boolean => functions.has(name)
  const programs = new Map<Definition, Program>()
  const lineRuns = new Map<string, number>()

  function compile(definition: Definition): Program {
    const known = programs.get(definition)
    if (known !== undefined) return known
    const program = compileDefinition(definition, { functions, isBuiltin })
    programs.set(definition, program)
    return program
  }

  function parse(source: Source): ParsedTemplate {
    return parseTemplate(source, { isFunction })
  }

  return {
    parse,
    createSet: (templates) => createTemplateSet(templates),
    execute(set, name, data) {
      const definition = set.find(name)
      if (definition === undefined) {
        const message = `template: no template "${name}" associated with template "${setName}"`
        throw new TemplateError({ code: 'TEMPLATE_EXECUTION', message, frames: [] })
      }
      const execution = new Execution({
        set,
        limits,
        crypto,
        tokens,
        generate,
        onFinding,
        elapsed,
        lineRuns,
        compile,
        parse,
      })
      const output = new Output('recording')
      try {
        execution.run(definition, undefined, { entry: 'execute', dot: data ?? undefined, nesting: 0, output })
      } catch (error) {
        if (error instanceof StackmasonError) throw error
        throw error
      }
      return output.chunks()
    },
  }
}
