import type { Code } from '../../model/error-codes.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { positionAt, type Source } from '../../model/source.ts'
import type { Crypto } from '../../model/ports.ts'
import type { TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import { encodeUtf8 } from '../../codec/utf8.ts'
import type { Definition, Node, ParsedTemplate } from './ast.ts'
import { formatNode } from './format-node.ts'
import type { CallContext } from './function.ts'
import type { Limits } from './limits.ts'
import { Output } from './output.ts'
import { stackCost } from './scope.ts'
import { TemplateError, type ErrorFrame, type FrameEntry } from './template-error.ts'
import type { TemplateSet } from './template-set.ts'

/**
 * A value on its way through an evaluation. `undefined` is Go's invalid reflect.Value, what nil becomes at the end of a pipeline: fields of it are nil
 * again. `null` is a nil inside an interface (a missing key, a nil element): fields of it are an error.
 */
export type Raw = Value | undefined

/** A compiled expression. */
export type Expression = (frame: Frame, dot: Raw) => Raw

/** What a statement asks of the loop around it. */
export type Signal = 'next' | 'break' | 'continue'

/** A compiled statement. */
export type Statement = (frame: Frame, dot: Raw) => Signal

/** A definition compiled for one function table. Immutable. */
export interface Program {
  readonly definition: Definition
  /** How many variable slots a frame of it needs; slot 0 is `$`. */
  readonly slots: number
  readonly run: Statement
}

/** One template being executed: the state that Go keeps per execution (exec.go, `state`). */
export class Frame {
  readonly execution: Execution
  readonly program: Program
  readonly output: Output
  readonly variables: Raw[]
  readonly parent: Frame | undefined
  readonly entry: FrameEntry
  /** The node that an error now would be reported at. */
  node: Node
  /** Whether dot is an element of a list or map of interface values; decides the words of an error. */
  isDotBoxed = false
  /** JavaScript stack in use, in bytes, about. */
  readonly stack: number

  constructor(call: FrameOptions) {
    this.execution = call.execution
    this.program = call.program
    this.output = call.output
    this.parent = call.parent
    this.entry = call.entry
    this.stack = call.stack
    this.node = call.node
    this.variables = Array.from<Raw>({ length: call.program.slots })
    this.variables[0] = call.dot
  }
}

/** What a frame starts with. */
interface FrameOptions {
  readonly execution: Execution
  readonly program: Program
  readonly output: Output
  readonly parent: Frame | undefined
  readonly entry: FrameEntry
  readonly stack: number
  readonly node: Node
  readonly dot: Raw
}

/** What an execution is given; see `EngineOptions`. */
export interface ExecutionOptions {
  readonly set: TemplateSet
  readonly limits: Limits
  readonly crypto: Crypto
  readonly tokens: TokenTable
  readonly generate: 'token' | 'placeholder'
  readonly onFinding: (finding: Diagnostic) => void
  readonly elapsed?: (() => number) | undefined
  /** Counts runs of lines, for identities of generated values; shared by the executions of one render. */
  readonly lineRuns: Map<string, number>
  readonly compile: (definition: Definition) => Program
  /** Parses the text of a `tpl`. */
  readonly parse: (source: Source) => ParsedTemplate
}

/** How another template is entered. */
export interface Invocation {
  readonly entry: FrameEntry
  readonly dot: Raw
  /** Nesting of the call inside its definition. */
  readonly nesting: number
  /** Absent: the caller's. */
  readonly output?: Output
}

/** Steps between two looks at the clock. */
const checkInterval = 4096
/** Bytes of the default stack of Node (984 KiB) that templates may fill; the rest is for functions and for who calls us. */
const maxStack = 780_000
const identityLength = 16

/** One run of a template: its limits, and what functions may ask of it. */
export class Execution {
  readonly options: ExecutionOptions
  readonly context: CallContext
  /** How often each template is on the stack through `include`. */
  readonly includes: Map<string, number> = new Map<string, number>()
  set: TemplateSet
  /** Where the function that runs now was called. */
  callFrame: Frame | undefined
  callNode: Node | undefined
  private readonly deadline: number
  private steps = 0
  private nextCheck: number
  private written = 0
  private built = 0
  private depth = 0
  private identified: { readonly step: number; readonly identity: string } | undefined

  constructor(options: ExecutionOptions) {
    this.options = options
    this.set = options.set
    this.nextCheck = Math.min(checkInterval, options.limits.steps)
    this.deadline = (options.elapsed?.() ?? 0) + options.limits.milliseconds
    this.context = {
      crypto: options.crypto,
      tokens: options.tokens,
      charge: (amount) => this.charge(amount),
      identity: () => this.identity(),
      generate: (spec, part) => this.generate(spec, part),
      report: (finding) => this.report(finding),
    }
  }

  /** Counts a step. @throws TemplateError TEMPLATE_LIMIT_STEPS, TEMPLATE_LIMIT_TIME */
  step(frame: Frame): void {
    if (++this.steps >= this.nextCheck) this.check(frame)
  }

  private check(frame: Frame): void {
    const { limits, elapsed } = this.options
    if (this.steps >= limits.steps) {
      throw templateError(frame, `more than ${limits.steps} steps`, { code: 'TEMPLATE_LIMIT_STEPS' })
    }
    this.nextCheck = Math.min(this.steps + checkInterval, limits.steps)
    if (elapsed !== undefined && elapsed() > this.deadline) {
      throw templateError(frame, `ran for more than ${limits.milliseconds} ms`, { code: 'TEMPLATE_LIMIT_TIME' })
    }
  }

  /** Writes text for `node`. @throws TemplateError TEMPLATE_LIMIT_OUTPUT */
  write(frame: Frame, node: Node, text: string): void {
    this.written += text.length
    if (this.written > this.options.limits.output) {
      frame.node = node
      throw templateError(frame, `wrote more than ${this.options.limits.output} characters`, {
        code: 'TEMPLATE_LIMIT_OUTPUT',
      })
    }
    frame.output.write(text, frame.program.definition.source, node.start)
  }

  /** Counts what the running function builds. @throws TemplateError TEMPLATE_LIMIT_OUTPUT */
  charge(amount: number): void {
    this.built += amount
    // not less or equal: NaN is refused too
    if (!(this.built <= this.options.limits.built)) {
      throw this.callError(
        `built more than ${this.options.limits.built} characters and elements`,
        'TEMPLATE_LIMIT_OUTPUT',
      )
    }
    // a large piece of work is worth a look at the clock
    this.nextCheck -= amount >>> 8
  }

  /** An error at the running function call. */
  private callError(message: string, code: Code): Error {
    const { callFrame, callNode } = this
    if (callFrame === undefined || callNode === undefined) return new Error('no function is running')
    callFrame.node = callNode
    return templateError(callFrame, message, { code })
  }

  /**
   * Makes the frame in which a definition is executed on behalf of `caller`; undefined for the outermost one. To be followed by the program's
   * `run` and by `leave`: three calls instead of one, because every JavaScript frame counts in a deep recursion.
   * @throws TemplateError TEMPLATE_LIMIT_DEPTH
   */
  enter(definition: Definition, caller: Frame | undefined, invocation: Invocation): Frame {
    const { entry, dot, nesting } = invocation
    const program = this.options.compile(definition)
    const stack = (caller?.stack ?? 0) + nesting + (entry === 'execute' ? 0 : stackCost[entry])
    if (caller !== undefined && (this.depth >= this.options.limits.depth || stack > maxStack)) {
      throw templateError(caller, `templates call each other more than ${this.depth} deep`, {
        code: 'TEMPLATE_LIMIT_DEPTH',
      })
    }
    const output = invocation.output ?? caller?.output ?? new Output('plain')
    const node: Node = definition.body.nodes[0] ?? { kind: 'text', start: 0, end: 0, text: '' }
    const frame = new Frame({ execution: this, program, output, parent: caller, entry, stack, node, dot })
    this.depth++
    return frame
  }

  /** Ends what `enter` began. */
  leave(): void {
    this.depth--
  }

  private identity(): string {
    const { callFrame, callNode } = this
    if (callFrame === undefined || callNode === undefined) throw new Error('no function is running')
    if (this.identified?.step === this.steps) return this.identified.identity
    const { source } = callFrame.program.definition
    const line = `${source.name}:${positionAt(source, callNode.start).line}`
    const runs = (this.options.lineRuns.get(line) ?? 0) + 1
    this.options.lineRuns.set(line, runs)
    const identity = `${line}:${runs}`
    this.identified = { step: this.steps, identity }
    return identity
  }

  private generate: CallContext['generate'] = (spec, part) => {
    const { tokens, crypto, generate } = this.options
    this.report({
      code: 'TEMPLATE_GENERATED_SECRET',
      severity: 'warning',
      message:
        generate === 'token'
          ? `${spec.function} makes a secret; it is generated later, in the management cluster`
          : `${spec.function} makes a secret; a placeholder was written instead`,
    })
    if (generate === 'token') return tokens.add({ kind: 'generated', type: 'string', generate: spec, part })
    const key = JSON.stringify([spec.function, spec.arguments, spec.identity, part])
    const hash = crypto.hash('sha256', encodeUtf8(key))
    const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return `stackmason-placeholder-${hex.slice(0, identityLength)}`
  }

  private readonly reported = new Set<string>()

  private report(finding: Pick<Diagnostic, 'code' | 'severity' | 'message' | 'hint'>): void {
    const { callFrame, callNode } = this
    if (callFrame === undefined || callNode === undefined) throw new Error('no function is running')
    const { source } = callFrame.program.definition
    const at = { source, start: callNode.start, end: callNode.end }
    const key = `${source.name}\n${callNode.start}\n${finding.code}\n${finding.message}`
    if (this.reported.has(key)) return
    this.reported.add(key)
    this.options.onFinding({ ...finding, at, trace: traceOf(callFrame, callNode) })
  }
}

function traceOf(frame: Frame, node: Node): NonNullable<Diagnostic['trace']> {
  frame.node = node
  return errorFrames(frame).map(({ template, action, at }) => ({ what: `executing "${template}" at <${action}>`, at }))
}

/** What an error says beside its message. */
export interface ErrorOptions {
  readonly code?: Code
  /** The function that failed. */
  readonly call?: string
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/** Makes the error for `frame`'s current node, with the chain of templates that led there. */
export function templateError(frame: Frame, message: string, options: ErrorOptions = {}): TemplateError {
  const { code = 'TEMPLATE_EXECUTION', call, hint, cause } = options
  const details = { code, message, call, hint, frames: errorFrames(frame) }
  return new TemplateError(details, cause === undefined ? {} : { cause })
}

/** How many templates of a deep recursion an error names at either end. */
const shownFrames = 50

function errorFrames(innermost: Frame): readonly ErrorFrame[] {
  const frames: Frame[] = []
  for (let frame: Frame | undefined = innermost; frame !== undefined; frame = frame.parent) frames.push(frame)
  const shown =
    frames.length <= 2 * shownFrames ? frames : [...frames.slice(0, shownFrames), ...frames.slice(-shownFrames)]
  return shown.map(({ program: { definition }, node, entry }) => ({
    template: definition.name,
    source: definition.source,
    at: { source: definition.source, start: node.start, end: node.end },
    action: formatNode(node),
    entry,
  }))
}
