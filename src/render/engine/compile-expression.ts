import { GoObject, goTypeOf, type GoMethod, type ParamType, type Value } from '../../model/value.ts'
import type {
  ChainNode,
  CommandNode,
  FieldNode,
  IdentifierNode,
  Node,
  OperandNode,
  PipeNode,
  VariableNode,
} from './ast.ts'
import { callFunction, callMethod, isLateBound, type TemplateFunction } from './call-function.ts'
import { convertArgument, literalArgument, untypedLiteral } from './convert-argument.ts'
import { evaluateChain, type FieldChain } from './evaluate-field.ts'
import { decideTruth, templateError, type Expression, type Frame, type Raw } from './execution.ts'
import { formatNode } from './format-node.ts'
import { quoteGo } from './format.ts'
import { countProblem, parameterType } from './parameters.ts'
import { stackCost, type VariableScope, type VariableSlot } from './variable-scope.ts'
import { ofValue, ours, say, written, type ErrorText } from './error-text.ts'

/** The context of compiling. */
export interface Compiler {
  readonly functions: ReadonlyMap<string, TemplateFunction>
  /** True if a function is Go's own, which evaluates some of them in their own way, and not one of the table. */
  readonly isBuiltin: (definition: TemplateFunction) => boolean
  readonly scope: VariableScope
}

/** A compiled command; `final` is the value of the command before it in the pipeline. */
type Command = (frame: Frame, dot: Raw, final?: Raw) => Raw

/*
 * Every JavaScript frame counts in a deep recursion of templates, so closures are not wrapped where it can be helped.
 * That is why a pipeline may give null for nil: who cares for the difference between null and undefined writes `??
 * undefined`.
 */

/**
 * Returns what evaluates a pipeline (exec.go, evalPipeline) and gives its value to the variables that it declares. The
 * value of a pipeline is never a nil inside an interface: take null for undefined.
 */
export function compilePipeline(compiler: Compiler, pipe: PipeNode): Expression {
  const value = compileCommands(compiler, pipe)
  const [first, ...others] = pipe.variables.map((variable, index) =>
    pipe.isAssign
      ? assignment(compiler, variable)
      : declaration(compiler.scope.declare(variable.name, { isElement: index === pipe.variables.length - 1 })),
  )
  if (first === undefined) return value
  return (frame, dot) => {
    const result = value(frame, dot) ?? undefined
    first(frame, result)
    for (const target of others) target(frame, result)
    return result
  }
}

/** Gives a value to a variable; `boxed` for an element of interface type. */
export type Target = (frame: Frame, value: Raw, isBoxed?: 'boxed') => void

/** Returns what gives a value to an existing variable. */
export function assignment(compiler: Compiler, variable: VariableNode): Target {
  const slots = compiler.scope.find(variable.name)
  return (frame, value, isBoxed) => {
    const { slot, isBoxedSlot } = findSlot(frame, slots, variable.name)
    frame.variables[slot] = value
    if (isBoxedSlot !== undefined) frame.variables[isBoxedSlot] = isBoxed === 'boxed'
  }
}

/** Returns what gives a value to the variable of `slot`, declaring it. */
export function declaration({ slot, isSetSlot, isBoxedSlot }: VariableSlot): Target {
  return (frame, value, isBoxed) => {
    frame.variables[slot] = value
    if (isSetSlot !== undefined) frame.variables[isSetSlot] = true
    if (isBoxedSlot !== undefined) frame.variables[isBoxedSlot] = isBoxed === 'boxed'
  }
}

function isSet(frame: Frame, { isSetSlot }: VariableSlot): boolean {
  return isSetSlot === undefined || frame.variables[isSetSlot] === true
}

function findSlot(frame: Frame, slots: readonly VariableSlot[], name: string): VariableSlot {
  const slot = slots.find((candidate) => isSet(frame, candidate))
  if (slot === undefined) throw templateError(frame, say`undefined variable: ${written(name)}`)
  return slot
}

/** Returns what evaluates a pipeline without its variables; null stands for undefined as in {@link compilePipeline}. */
export function compileCommands(compiler: Compiler, pipe: PipeNode): Expression {
  const cost =
    (pipe.commands.length > 1 ? stackCost.pipeline : 0) + (pipe.variables.length > 0 ? stackCost.declaration : 0)
  const [first, second, ...rest] = compiler.scope.nested(cost, () =>
    pipe.commands.map((command, index) => compileCommand(compiler, command, { pipe, hasFinal: index > 0 })),
  )
  if (first === undefined) throw new Error('a pipeline has at least one command')
  if (second === undefined) return first
  if (rest.length === 0) return (frame, dot) => second(frame, dot, first(frame, dot) ?? undefined)
  return (frame, dot) => {
    let value = second(frame, dot, first(frame, dot) ?? undefined)
    for (const command of rest) value = command(frame, dot, value ?? undefined)
    return value
  }
}

/** Exec.go, evalCommand. */
function compileCommand(
  compiler: Compiler,
  command: CommandNode,
  site: Pick<CallSite, 'hasFinal'> & { readonly pipe: PipeNode },
): Command {
  const { first } = command
  const { hasFinal } = site
  const args = command.args.slice(1)
  const hasArguments = args.length > 0 || hasFinal
  if (first.kind === 'identifier') return compileCall(compiler, { identifier: first, node: command, args, hasFinal })
  if (first.kind === 'nil' && !hasArguments) return failing(first, say`nil is not a command`)
  if (!hasArguments) return first.kind === 'pipe' ? compilePipeline(compiler, first) : compileOperand(compiler, first)
  if (first.kind === 'field' || first.kind === 'chain' || (first.kind === 'variable' && first.fields.length > 0)) {
    return compileChainCall(compiler, { node: first, args, hasFinal })
  }
  const problem = failing(
    problemNode(first, site),
    say`can't give argument to non-function ${written(formatNode(first))}`,
  )
  if (first.kind !== 'variable') return problem
  const variable = compileOperand(compiler, first)
  return (frame, dot) => {
    variable(frame, dot)
    return problem(frame, dot)
  }
}

/** Go looks at a pipeline in parentheses only after this check: the error points at what was evaluated before. */
function problemNode(
  first: OperandNode,
  { pipe, hasFinal }: { readonly pipe: PipeNode; readonly hasFinal: boolean },
): Node | undefined {
  if (first.kind !== 'pipe') return first
  return hasFinal ? undefined : pipe
}

function failing(node: Node | undefined, message: ErrorText): Command {
  return (frame) => {
    frame.node = node ?? frame.node
    throw templateError(frame, message)
  }
}

/** Returns what evaluates an operand where no type is asked for (exec.go, evalArg and evalEmptyInterface). */
function compileOperand(compiler: Compiler, node: OperandNode): Expression {
  switch (node.kind) {
    case 'dot':
      return (frame, dot) => {
        frame.node = node
        return dot
      }
    case 'field':
      return compileField(compiler, node)
    case 'variable':
    case 'chain':
      return compileChain(compiler, node)
    case 'pipe':
      return compilePipeline(compiler, node)
    case 'identifier':
      return compileCall(compiler, { identifier: node, node, args: [], hasFinal: false })
    case 'nil':
      return (frame) => {
        frame.node = node
        return undefined
      }
    case 'bool':
    case 'number':
    case 'string': {
      const value = untypedLiteral(node)
      if (value === undefined) return failing(node, say`${written(formatNode(node))} overflows int`)
      return (frame) => {
        frame.node = node
        return value
      }
    }
  }
}

function compileField(compiler: Compiler, node: FieldNode): Expression {
  const chain = fieldChain(compiler, node)
  return (frame, dot) => {
    frame.node = node
    return evaluateChain(frame, chain, dot)
  }
}

function compileChain(compiler: Compiler, node: ChainNode | VariableNode): Expression {
  const receiver = compileReceiver(compiler, node)
  if (node.fields.length === 0) {
    return (frame, dot) => {
      frame.node = node
      return receiver(frame, dot)
    }
  }
  const chain = fieldChain(compiler, node)
  return (frame, dot) => {
    frame.node = node
    return evaluateChain(frame, chain, receiver(frame, dot))
  }
}

/** Compiles the value in which a chain's fields are looked up. */
function compileReceiver(compiler: Compiler, node: ChainNode | FieldNode | VariableNode): Expression {
  if (node.kind === 'field') return (_frame, dot) => dot
  if (node.kind === 'chain') {
    const operand = compiler.scope.nested(stackCost.chain, () => compileOperand(compiler, node.operand))
    return node.operand.kind === 'pipe' ? (frame, dot) => operand(frame, dot) ?? undefined : operand
  }
  const slots = compiler.scope.find(node.name)
  const [only] = slots
  if (only !== undefined && only.isSetSlot === undefined) return (frame) => frame.variables[only.slot]
  return (frame) => frame.variables[findSlot(frame, slots, node.name).slot]
}

function fieldChain(compiler: Compiler, node: ChainNode | FieldNode | VariableNode): FieldChain {
  return {
    fields: node.fields,
    receiverText: node.kind === 'field' ? '' : node.kind === 'variable' ? node.name : `(${formatNode(node.operand)})`,
    isReceiverBoxed: isReceiverBoxed(compiler, node),
    call: (frame, name, method) => callTypedMethod(frame, method, { name, node, args: [], finals: [] }),
  }
}

function isReceiverBoxed(compiler: Compiler, node: ChainNode | FieldNode | VariableNode): (frame: Frame) => boolean {
  if (node.kind === 'field') return (frame) => frame.isDotBoxed
  if (node.kind === 'chain') return () => false
  const slots = compiler.scope.find(node.name)
  return (frame) => {
    const { isBoxedSlot } = findSlot(frame, slots, node.name)
    return isBoxedSlot !== undefined && frame.variables[isBoxedSlot] === true
  }
}

/** A chain whose last field has arguments: a method, or an error. */
function compileChainCall(
  compiler: Compiler,
  site: {
    readonly node: ChainNode | FieldNode | VariableNode
    readonly args: readonly OperandNode[]
    readonly hasFinal: boolean
  },
): Command {
  const { node, hasFinal } = site
  const receiver = compileReceiver(compiler, node)
  const chain = fieldChain(compiler, node)
  const args = site.args.map((arg) => compileArgument(compiler, arg))
  return (frame, dot, final) => {
    frame.node = node
    const finals = hasFinal ? [final] : []
    const callLast = (name: string, method: GoMethod): Raw =>
      callTypedMethod(frame, method, { name, node, args, dot, finals })
    return evaluateChain(frame, { ...chain, callLast }, receiver(frame, dot))
  }
}

/** An argument that can be evaluated for any parameter type. */
type Argument = (type: ParamType) => Expression

function compileArgument(compiler: Compiler, node: OperandNode): Argument {
  if (node.kind === 'nil' || node.kind === 'bool' || node.kind === 'number' || node.kind === 'string') {
    return (type) => literalArgument(node, type)
  }
  const raw = compileOperand(compiler, node)
  if (node.kind === 'pipe') {
    return (type) => (type === 'any' ? raw : (frame, dot) => convertArgument(frame, raw(frame, dot) ?? undefined, type))
  }
  return (type) => (type === 'any' ? raw : (frame, dot) => convertArgument(frame, raw(frame, dot), type))
}

/** Calls a method found at run time: only then are its parameters known. */
function callTypedMethod(
  frame: Frame,
  method: GoMethod,
  call: {
    readonly name: string
    readonly node: Node
    readonly args: readonly Argument[]
    readonly dot?: Raw
    readonly finals: readonly Raw[]
  },
): Raw {
  const { name, node, args, dot, finals } = call
  const problem = countProblem(method, { name, given: args.length, hasFinal: finals.length > 0 })
  if (problem !== undefined) throw templateError(frame, problem)
  const values: Value[] = args.map((arg, index) => arg(parameterType(method, index))(frame, dot) ?? null)
  for (const final of finals) values.push(convertArgument(frame, final, parameterType(method, args.length)))
  return callMethod(frame, method, { name, args: values, node })
}

/** A call by name as it stands in the template. */
interface CallSite {
  readonly identifier: IdentifierNode
  /** The command, or the identifier where it is an argument by itself: what an error of the function points at. */
  readonly node: CommandNode | IdentifierNode
  readonly args: readonly OperandNode[]
  readonly hasFinal: boolean
}

/** Exec.go, evalFunction and evalCall. */
function compileCall(compiler: Compiler, site: CallSite): Command {
  const { identifier, node, hasFinal } = site
  const { name } = identifier
  const definition = compiler.functions.get(name)
  if (definition === undefined) return failing(identifier, say`${written(quoteGo(name))} is not a defined function`)
  const problem = countProblem(definition, { name, given: site.args.length, hasFinal })
  if (problem !== undefined) return failing(identifier, problem)
  if (compiler.isBuiltin(definition)) {
    if (name === 'and' || name === 'or') return compileLogic(compiler, site)
    if (name === 'len') return compileLength(compiler, site, definition)
    if (name === 'call') return compileIndirectCall(compiler, site)
  }
  const { scope } = compiler
  const args = site.args.map((arg, index) => {
    const type = parameterType(definition, index)
    const cost = stackCost.call + (type === 'any' ? 0 : stackCost.conversion)
    return scope.nested(cost, () => compileArgument(compiler, arg))(type)
  })
  const { nesting } = scope
  const finalType = parameterType(definition, args.length)
  if (isLateBound(definition)) {
    return (frame, dot, final) => {
      frame.node = identifier
      const values: Value[] = []
      for (const arg of args) values.push(asCopy(arg(frame, dot) ?? null))
      if (hasFinal) values.push(asCopy(convertArgument(frame, final, finalType)))
      const before = frame.node
      frame.node = node
      frame.execution.startCall(frame, node)
      const result = definition.late(frame, values, nesting)
      frame.node = before
      return result
    }
  }
  return (frame, dot, final) => {
    frame.node = identifier
    const values: Value[] = []
    for (const arg of args) values.push(asCopy(arg(frame, dot) ?? null))
    if (hasFinal) values.push(asCopy(convertArgument(frame, final, finalType)))
    return callFunction(frame, definition, { args: values, node })
  }
}

/** Go copies a struct into an interface parameter: it then no longer prints itself through a method of its pointer. */
function asCopy(value: Value): Value {
  return value instanceof GoObject ? value.copied() : value
}

/** `and` and `or` stop at the argument that decides, and return it as it is. */
function compileLogic(compiler: Compiler, { identifier, node, args: nodes, hasFinal }: CallSite): Command {
  const { scope } = compiler
  const isDeciding = identifier.name === 'or'
  const wasConditional = scope.isConditional
  const args = scope.nested(stackCost.call, () =>
    nodes.map((operand, index) => {
      scope.isConditional = wasConditional || index > 0
      return compileOperand(compiler, operand)
    }),
  )
  scope.isConditional = wasConditional
  return (frame, dot, final) => {
    frame.execution.step(frame)
    frame.node = identifier
    let value: Raw
    for (const arg of args) {
      value = arg(frame, dot)
      if (decideTruth(frame, node, value) === isDeciding) return value
    }
    return hasFinal ? final : value
  }
}

/** Go's `len` tells a nil inside an interface from no value at all. */
function compileLength(compiler: Compiler, site: CallSite, definition: TemplateFunction): Command {
  if (isLateBound(definition)) throw new Error('len is a plain function')
  const { identifier, node, hasFinal } = site
  const [operand] = site.args
  const arg = operand && compileOperand(compiler, operand)
  const isPipe = operand?.kind === 'pipe'
  return (frame, dot, final) => {
    frame.node = identifier
    const given = hasFinal ? final : arg?.(frame, dot)
    const value = isPipe ? (given ?? undefined) : given
    if (value === undefined) {
      frame.node = node
      throw templateError(frame, 'reflect: call of reflect.Value.Type on zero Value', { call: 'len' })
    }
    return callFunction(frame, definition, { args: [value], node })
  }
}

/** Nothing that Helm offers is a function value, so only the refusals are left of Go's `call`. */
function compileIndirectCall(compiler: Compiler, { identifier, node, args: nodes }: CallSite): Command {
  const args = nodes.map((arg) => compileArgument(compiler, arg)('any'))
  const [first] = nodes
  return (frame, dot, final) => {
    frame.node = identifier
    const [value = final ?? null] = args.map((arg) => arg(frame, dot) ?? null)
    frame.node = node
    if (value === null) throw templateError(frame, 'call of nil', { call: 'call' })
    const type = goTypeOf(value)
    const go = typeof value === 'string' ? value : `<${type} Value>`
    const name = first === undefined ? ofValue(value, go) : written(formatNode(first))
    throw templateError(frame, say`non-function ${name} of type ${ours(type)}`, { call: 'call' })
  }
}
