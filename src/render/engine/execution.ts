import type { Code } from '../../model/error-codes.ts'
import type { Source } from '../../model/source.ts'
import type { TokenOrigin, TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import type { Definition, Node, ParsedTemplate } from './ast.ts'
import { ours, say, toErrorText, type ErrorMessage, type ErrorText } from './error-text.ts'
import { formatNode } from './format-node.ts'
import type { CallContext } from './function.ts'
import type { Limits } from './limits.ts'
import { Output, type Caller, type ChunkTrace, type TracedCall } from './output.ts'
import { stackCost } from './variable-scope.ts'
import { siteOf, TemplateError, placeOf, type ErrorFrame, type FrameEntry } from './template-error.ts'
import type { TemplateSet } from './template-set.ts'
import { assumeSet } from './token-assumptions.ts'
import { nameTokens } from './token-search.ts'
import { isTrue } from './truth.ts'

/**
 * A value on its way through an evaluation. `undefined` is Go's invalid reflect.Value, what nil becomes at the end of a
 * pipeline: fields of it are nil again. `null` is a nil inside an interface (a missing key, a nil element): fields of
 * it are an error.
 */
export type Raw = Value | undefined

/** A compiled expression. */
export type Expression = (frame: Frame, dot: Raw) => Raw

/** The request of a statement to the loop around it. */
export type Signal = 'next' | 'break' | 'continue'

/** A compiled statement. */
export type Statement = (frame: Frame, dot: Raw) => Signal

/** A definition compiled for one function table: all that it says, and its blocks once they are executed. */
export interface Program {
  readonly definition: Definition
  /** How many variable slots a frame of it needs at first: blocks that are compiled later add theirs. Slot 0 is `$`. */
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
  /** True if dot is an element of a list or map of interface values; decides the words of an error. */
  isDotBoxed = false
  /** JavaScript stack in use, in bytes, about. */
  readonly stack: number
  /** The calls that it included so far; kept by a traced render only. */
  calls: TracedCall[] | undefined

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

/** The initial state of a frame. */
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

/** The options of an execution; see `EngineOptions`. */
export interface ExecutionOptions {
  readonly set: TemplateSet
  readonly limits: Limits
  readonly tokens: TokenTable
  /** Returns the field of that name of a value that is only known later; undefined when it has none. */
  readonly fieldOfToken?: ((token: string, name: string) => string | undefined) | undefined
  readonly elapsed?: (() => number) | undefined
  readonly trace: boolean
  readonly createContext: (execution: Execution) => CallContext
  readonly compile: (definition: Definition) => Program
  /** Parses the text of a `tpl`; `onStatement` may throw, see `ParseOptions`. */
  readonly parse: (source: Source, onStatement: () => void) => ParsedTemplate
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
const checkInterval = 512
/** Characters and elements of arguments and results between two looks at the clock. */
const checkSize = 65_536
/** Characters and elements that are as much work as a step. */
const stepSize = 32
/** Steps that a function call is worth beside its own. */
const callSteps = 3
/**
 * Bytes of the default stack of Node (984 KiB) that templates may fill; the rest is for functions and for who calls us.
 */
const maxStack = 780_000

/** One run of a template: its limits, and what functions may ask of it. */
export class Execution {
  readonly options: ExecutionOptions
  readonly context: CallContext
  /** How often each template is on the stack through `include`. */
  readonly includes: Map<string, number> = new Map<string, number>()
  set: TemplateSet
  /** The innermost template. */
  current: Frame | undefined
  /** Where the function that runs now was called. */
  callFrame: Frame | undefined
  callNode: Node | undefined
  private readonly deadline: number
  /** Statements, calls and loop rounds so far. */
  steps = 0
  private nextCheck: number
  /** Where `steps` must stop; moves down with the work that functions do. */
  private stepLimit: number
  private written = 0
  private built = 0
  private depth = 0
  private weighed = 0

  constructor(options: ExecutionOptions) {
    this.options = options
    this.set = options.set
    this.stepLimit = options.limits.steps
    this.nextCheck = Math.min(checkInterval, this.stepLimit)
    this.deadline = (options.elapsed?.() ?? 0) + options.limits.milliseconds
    this.context = options.createContext(this)
  }

  /** Counts a step. @throws TemplateError TEMPLATE_LIMIT_STEPS, TEMPLATE_LIMIT_TIME */
  step(frame: Frame): void {
    if (++this.steps >= this.nextCheck) this.check(frame)
  }

  private check(frame: Frame): void {
    this.checkSteps(frame)
    this.nextCheck = Math.min(this.steps + checkInterval, this.stepLimit)
    this.checkTime(frame)
  }

  private checkSteps(frame: Frame): void {
    if (this.steps < this.stepLimit) return
    throw templateError(frame, say`more than ${ours(this.options.limits.steps)} steps`, {
      code: 'TEMPLATE_LIMIT_STEPS',
    })
  }

  private checkTime(frame: Frame): void {
    const { limits, elapsed } = this.options
    if (elapsed === undefined || elapsed() <= this.deadline) return
    throw templateError(frame, say`ran for more than ${ours(limits.milliseconds)} ms`, { code: 'TEMPLATE_LIMIT_TIME' })
  }

  /** Writes text for `node`. @throws TemplateError TEMPLATE_LIMIT_OUTPUT */
  write(frame: Frame, node: Node, text: string): void {
    this.written += text.length
    if (this.written > this.options.limits.output) {
      frame.node = node
      throw templateError(frame, say`wrote more than ${ours(this.options.limits.output)} characters`, {
        code: 'TEMPLATE_LIMIT_OUTPUT',
      })
    }
    const trace = this.options.trace ? traceOf(frame) : undefined
    frame.output.write(text, frame.program.definition.source, node.start, trace)
  }

  /** An output for a template whose text is handed to a function. */
  createOutput(): Output {
    return new Output(this.options.trace ? 'recording' : 'plain')
  }

  /** Counts what the running function builds. @throws TemplateError TEMPLATE_LIMIT_OUTPUT, TEMPLATE_LIMIT_TIME */
  charge(amount: number): void {
    this.built += amount
    // not `greater`: NaN is refused too
    if (!(this.built <= this.options.limits.built)) {
      const message = say`built more than ${ours(this.options.limits.built)} characters and elements`
      throw templateError(this.running(), message, { code: 'TEMPLATE_LIMIT_OUTPUT' })
    }
    this.weigh(amount)
  }

  /** Counts a function call at `node`. @throws TemplateError TEMPLATE_LIMIT_STEPS, TEMPLATE_LIMIT_TIME */
  startCall(frame: Frame, node: Node): void {
    this.callFrame = frame
    this.callNode = node
    this.stepLimit -= callSteps
    this.step(frame)
  }

  /**
   * Counts work by the size of what is read or written.
   * @throws TemplateError TEMPLATE_LIMIT_STEPS, TEMPLATE_LIMIT_TIME
   */
  weigh(size: number): void {
    this.stepLimit -= Math.floor(size / stepSize)
    this.weighed += size
    if (this.weighed < checkSize) return
    this.weighed = 0
    this.checkSteps(this.running())
    this.checkTime(this.running())
  }

  /** How much of the limit that is nearest was used, from 0 to 1. */
  share(): number {
    const { steps, output, built } = this.options.limits
    return Math.max((steps - this.stepLimit + this.steps) / steps, this.written / output, this.built / built)
  }

  /** The error of an execution that was stopped from outside, at the innermost template and what it did. */
  stopped(milliseconds: number): TemplateError | undefined {
    const frame = this.current
    if (frame === undefined) return undefined
    if (this.callFrame === frame && this.callNode !== undefined) frame.node = this.callNode
    return templateError(frame, say`was stopped: its chart ran for more than ${ours(milliseconds)} ms`, {
      code: 'TEMPLATE_LIMIT_TIME',
    })
  }

  /** The frame of the running call, set to point at it. */
  private running(): Frame {
    const { callFrame, callNode } = this
    if (callFrame === undefined || callNode === undefined) throw new Error('no function is running')
    callFrame.node = callNode
    return callFrame
  }

  /**
   * Makes the frame in which a definition is executed on behalf of `caller`; undefined for the outermost one. To be
   * followed by the program's `run` and by `leave`: three calls instead of one, because every JavaScript frame counts
   * in a deep recursion.
   * @throws TemplateError TEMPLATE_LIMIT_DEPTH
   */
  enter(definition: Definition, caller: Frame | undefined, invocation: Invocation): Frame {
    const { entry, dot, nesting } = invocation
    const program = this.options.compile(definition)
    const stack = (caller?.stack ?? 0) + nesting + (entry === 'execute' ? 0 : stackCost[entry])
    if (caller !== undefined && (this.depth >= this.options.limits.depth || stack > maxStack)) {
      throw templateError(caller, say`templates call each other more than ${ours(this.depth)} deep`, {
        code: 'TEMPLATE_LIMIT_DEPTH',
      })
    }
    const output = invocation.output ?? caller?.output ?? new Output('plain')
    const node: Node = definition.body.nodes[0] ?? { kind: 'text', start: 0, end: 0, text: '' }
    const frame = new Frame({ execution: this, program, output, parent: caller, entry, stack, node, dot })
    this.depth++
    this.current = frame
    return frame
  }

  /** Ends what `enter` began. */
  leave(frame: Frame): void {
    this.depth--
    this.current = frame.parent
    if (this.options.trace && (frame.entry === 'include' || frame.entry === 'tpl') && frame.parent !== undefined) {
      frame.parent.calls ??= []
      frame.parent.calls.push({ template: frame.program.definition.name, chunks: frame.output.chunks() })
    }
  }
}

/**
 * The calls that led to a piece that `frame` writes: the `template` actions around it, and all that it included so far.
 */
function traceOf(frame: Frame): ChunkTrace {
  const callers: Caller[] = []
  for (let inner = frame; inner.entry === 'template' && inner.parent !== undefined; inner = inner.parent) {
    const { program, node } = inner.parent
    callers.push({ template: program.definition.name, source: program.definition.source, offset: node.start })
  }
  return { template: frame.program.definition.name, callers, calls: frame.calls?.slice() ?? [] }
}

/** The parts of an error besides its message. */
export interface ErrorOptions {
  readonly code?: Code
  /** The function that failed. */
  readonly call?: string
  readonly hint?: ErrorText | undefined
  readonly cause?: unknown
}

/** Makes the error for `frame`'s current node, with the chain of templates that led there. */
export function templateError<Text extends string>(
  frame: Frame,
  message: ErrorMessage<Text>,
  options: ErrorOptions = {},
): TemplateError {
  const { code = 'TEMPLATE_EXECUTION', call, hint, cause } = options
  const { tokens } = frame.execution.options
  const frames = errorFrames(frame).map((shown) => ({ ...shown, action: nameTokens(shown.action, tokens) }))
  const text = toErrorText(message)
  const site = frames[0] && siteOf(frames[0])
  const details = {
    code,
    message: nameTokens(text.shown(site), tokens),
    goMessage: nameTokens(text.go, tokens),
    call,
    hint: hint?.shown(site),
    frames,
  }
  return new TemplateError(details, cause === undefined ? {} : { cause })
}

/** Returns what a node of `frame` is, and the templates that led there, as the origin of a token. */
export function originAt(frame: Frame, node: Node): TokenOrigin {
  const { at, trace } = placeOf(errorFrames(frame, node))
  return { at: at ?? { source: frame.program.definition.source, start: node.start, end: node.end }, trace }
}

/**
 * As {@link isTrue} for what a template decides by; what that takes for granted about a value that is only known later
 * is recorded.
 */
export function decideTruth(frame: Frame, node: Node, value: Raw): boolean {
  if (typeof value === 'string') {
    const { tokens } = frame.execution.options
    if (tokens.specs.length > 0) assumeSet(value, tokens, () => originAt(frame, node))
  }
  return isTrue(value)
}

/** How many templates of a deep recursion an error names at either end. */
const shownFrames = 50

/** The templates on the stack, innermost first; `node` is what the innermost is at. */
function errorFrames(innermost: Frame, node: Node = innermost.node): readonly ErrorFrame[] {
  const frames: Frame[] = []
  for (let frame: Frame | undefined = innermost; frame !== undefined; frame = frame.parent) frames.push(frame)
  const shown =
    frames.length <= 2 * shownFrames ? frames : [...frames.slice(0, shownFrames), ...frames.slice(-shownFrames)]
  return shown.map((frame) => {
    const { name, source } = frame.program.definition
    const at = frame === innermost ? node : frame.node
    const span = { source, start: at.start, end: at.end }
    return { template: name, source, at: span, action: formatNode(at), entry: frame.entry }
  })
}
