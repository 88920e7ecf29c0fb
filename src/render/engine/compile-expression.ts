import type { GoMethod, ParamType, Value } from '../../model/value.ts'
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
import { callFunction, callMethod, type TemplateFunction } from './call-function.ts'
import { convertArgument, literalArgument, untypedLiteral } from './convert-argument.ts'
import { evaluateChain, type FieldChain } from './evaluate-field.ts'
import { templateError, type Expression, type Frame, type Raw } from './execution.ts'
import { formatOperand } from './format-node.ts'
import type { Scope, VariableSlot } from './scope.ts'
import { isTrue } from './truth.ts'

/** What compiling needs to know. */
export interface Compiler {
  readonly functions: ReadonlyMap<string, TemplateFunction>
  /** Functions that evaluate their arguments in their own way, while no function of the table hides them. */
  readonly isBuiltin: (definition: TemplateFunction) => boolean
  readonly scope: Scope
}

/** A compiled command; `final` is the value of the command before it in the pipeline. */
type Command = (frame: Frame, dot: Raw, final: Raw) => Raw

/** Returns what evaluates a pipeline (exec.go, evalPipeline) and gives its value to the variables that it declares. */
export function compilePipeline(compiler: Compiler, pipe: PipeNode): Expression {
  const value = compileCommands(compiler, pipe)
  if (pipe.variables.length === 0) return value
  const targets = pipe.variables.map((variable, index) => {
    if (pipe.isAssign) return assignment(compiler, variable)
    return declaration(compiler.scope.declare(variable.name, { isElement: index === pipe.variables.length - 1 }))
  })
  return (frame, dot) => {
    const result = value(frame, dot)
    for (const target of targets) target(frame, result)
    return result
  }
}

/** What a range sets for each element. */
export type Target = (frame: Frame, value: Raw, isBoxed?: 'boxed') => void

/** Returns what gives a value to an existing variable. */
export function assignment(compiler: Compiler, variable: VariableNode): Target {
  const slots = compiler.scope.find(variable.name)
  return (frame, value, isBoxed) => {
    const slot = slots.find((candidate) => isSet(frame, candidate))
    if (slot === undefined) throw templateError(frame, `undefined variable: ${variable.name}`)
    frame.variables[slot.slot] = value
    if (slot.isBoxedSlot !== undefined) frame.variables[slot.isBoxedSlot] = isBoxed === 'boxed'
  }
}

/** Returns what gives a value to the variable of `slot`, declaring it. */
export function declaration({ slot, isSetSlot, isBoxedSlot }: VariableSlot): Target {
  if (isSetSlot === undefined && isBoxedSlot === undefined) {
    return (frame, value) => {
      frame.variables[slot] = value
    }
  }
  return (frame, value, isBoxed) => {
    frame.variables[slot] = value
    if (isSetSlot !== undefined) frame.variables[isSetSlot] = true
    if (isBoxedSlot !== undefined) frame.variables[isBoxedSlot] = isBoxed === 'boxed'
  }
}

function isSet(frame: Frame, { isSetSlot }: VariableSlot): boolean {
  return isSetSlot === undefined || frame.variables[isSetSlot] === true
}

/** Nil inside an interface ends a pipeline stage as plain nil. */
function compileCommands(compiler: Compiler, pipe: PipeNode): Expression {
  const { scope } = compiler
  scope.nesting++
  const [first, second, ...rest] = pipe.commands.map((command, index) => compileCommand(compiler, command, index > 0))
  scope.nesting--
  if (first === undefined) throw new Error('a pipeline has at least one command')
  if (second === undefined) {
    return (frame, dot) => {
      frame.node = pipe
      return first(frame, dot, undefined) ?? undefined
    }
  }
  if (rest.length === 0) {
    return (frame, dot) => {
      frame.node = pipe
      return second(frame, dot, first(frame, dot, undefined) ?? undefined) ?? undefined
    }
  }
  return (frame, dot) => {
    frame.node = pipe
    let value = second(frame, dot, first(frame, dot, undefined) ?? undefined) ?? undefined
    for (const command of rest) value = command(frame, dot, value) ?? undefined
    return value
  }
}

/** Exec.go, evalCommand. */
function compileCommand(compiler: Compiler, command: CommandNode, hasFinal: boolean): Command {
  const { first, args } = command
  const hasArguments = args.length > 1 || hasFinal
  switch (first.kind) {
    case 'identifier':
      return compileCall(compiler, { identifier: first, node: command, args: args.slice(1), hasFinal })
    case 'field':
    case 'chain':
      return hasArguments
        ? compileChainCall(compiler, { node: first, args: args.slice(1), hasFinal })
        : compileOperand(compiler, first)
    case 'variable':
      if (!hasArguments || first.fields.length === 0) {
        const value = compileOperand(compiler, first)
        return hasArguments ? notAFunction(first, value) : value
      }
      return compileChainCall(compiler, { node: first, args: args.slice(1), hasFinal })
    case 'pipe':
      return hasArguments ? notAFunction(first) : compilePipeline(compiler, first)
    case 'nil': {
      const problem = notAFunction(first)
      return (frame, dot, final) => {
        frame.node = first
        if (hasArguments) return problem(frame, dot, final)
        throw templateError(frame, 'nil is not a command')
      }
    }
    case 'dot':
    case 'bool':
    case 'number':
    case 'string': {
      const value = compileOperand(compiler, first)
      const problem = notAFunction(first)
      return hasArguments
        ? (frame, dot, final) => {
            frame.node = first
            return problem(frame, dot, final)
          }
        : value
    }
  }
}

function notAFunction(node: OperandNode, value?: Expression): Command {
  return (frame, dot) => {
    value?.(frame, dot)
    throw templateError(frame, `can't give argument to non-function ${formatOperand(node)}`)
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
    case 'field': {
      const chain = compileChain(compiler, node)
      return (frame, dot) => {
        frame.node = node
        return evaluateChain(frame, chain, dot)
      }
    }
    case 'variable':
      return compileVariable(compiler, node)
    case 'chain': {
      const receiver = compileReceiver(compiler, node)
      const chain = compileChain(compiler, node)
      return (frame, dot) => {
        frame.node = node
        return evaluateChain(frame, chain, receiver(frame, dot))
      }
    }
    case 'pipe': {
      const pipe = compilePipeline(compiler, node)
      return pipe
    }
    case 'identifier': {
      const call = compileCall(compiler, { identifier: node, node, args: [], hasFinal: false })
      return (frame, dot) => call(frame, dot, undefined)
    }
    case 'nil':
      return (frame) => {
        frame.node = node
        return undefined
      }
    case 'bool':
    case 'number':
    case 'string': {
      const value = untypedLiteral(node)
      return (frame) => {
        frame.node = node
        if (value === undefined) throw templateError(frame, `${formatOperand(node)} overflows int`)
        return value
      }
    }
  }
}

/** What a chain's fields are looked up in. */
function compileReceiver(compiler: Compiler, node: ChainNode | FieldNode | VariableNode): Expression {
  if (node.kind === 'field') return (_frame, dot) => dot
  if (node.kind === 'chain') return compileOperand(compiler, node.operand)
  const slots = compiler.scope.find(node.name)
  const [only] = slots
  if (only !== undefined && only.isSetSlot === undefined) return (frame) => frame.variables[only.slot]
  return (frame) => {
    const slot = slots.find((candidate) => isSet(frame, candidate))
    if (slot === undefined) throw templateError(frame, `undefined variable: ${node.name}`)
    return frame.variables[slot.slot]
  }
}

function compileVariable(compiler: Compiler, node: VariableNode): Expression {
  const receiver = compileReceiver(compiler, node)
  if (node.fields.length === 0) {
    return (frame, dot) => {
      frame.node = node
      return receiver(frame, dot)
    }
  }
  const chain = compileChain(compiler, node)
  return (frame, dot) => {
    frame.node = node
    return evaluateChain(frame, chain, receiver(frame, dot))
  }
}

function compileChain(compiler: Compiler, node: ChainNode | FieldNode | VariableNode): FieldChain {
  return {
    fields: node.fields,
    receiverText: receiverText(node),
    isReceiverBoxed: isReceiverBoxed(compiler, node),
    call: (frame, name, method) => callTypedMethod(frame, method, { name, node, args: [] }),
  }
}

function receiverText(node: ChainNode | FieldNode | VariableNode): string {
  if (node.kind === 'field') return ''
  return node.kind === 'variable' ? node.name : `(${formatOperand(node.operand)})`
}

function isReceiverBoxed(compiler: Compiler, node: ChainNode | FieldNode | VariableNode): (frame: Frame) => boolean {
  if (node.kind === 'field') return (frame) => frame.isDotBoxed
  if (node.kind === 'chain') return () => false
  const slots = compiler.scope.find(node.name)
  return (frame) => {
    const boxed = slots.find((candidate) => isSet(frame, candidate))?.isBoxedSlot
    return boxed !== undefined && frame.variables[boxed] === true
  }
}

/** A chain whose last field is called with arguments: a method, or an error. */
function compileChainCall(
  compiler: Compiler,
  call: {
    readonly node: ChainNode | FieldNode | VariableNode
    readonly args: readonly OperandNode[]
    readonly hasFinal: boolean
  },
): Command {
  const { node, hasFinal } = call
  const receiver = compileReceiver(compiler, node)
  const chain = compileChain(compiler, node)
  const args = call.args.map((arg) => compileArgument(compiler, arg))
  return (frame, dot, final) => {
    frame.node = node
    const callLast = (name: string, method: GoMethod): Raw => {
      const finals = hasFinal ? [final] : []
      return callTypedMethod(frame, method, { name, node, args, dot, finals })
    }
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
  return (type) => {
    if (type === 'any') return (frame, dot) => raw(frame, dot) ?? null
    return (frame, dot) => convertArgument(frame, raw(frame, dot), type)
  }
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
    readonly finals?: readonly Raw[]
  },
): Raw {
  const { name, node, args, dot, finals = [] } = call
  const problem = countProblem(method, { name, given: args.length, hasFinal: finals.length > 0 })
  if (problem !== undefined) throw templateError(frame, problem)
  const values: Value[] = args.map((arg, index) => arg(parameterType(method, index))(frame, dot) ?? null)
  for (const final of finals) values.push(convertArgument(frame, final, parameterType(method, args.length)))
  return callMethod(frame, method, { name, args: values, node })
}

/** What a function or method takes. */
interface Signature {
  readonly params: readonly ParamType[]
  readonly variadic?: ParamType
}

function parameterType({ params, variadic }: Signature, index: number): ParamType {
  return params[index] ?? variadic ?? 'any'
}

/** What Go says when the number of arguments does not fit. */
function countProblem(
  { params, variadic }: Signature,
  { name, given, hasFinal }: { readonly name: string; readonly given: number; readonly hasFinal: boolean },
): string | undefined {
  const count = given + (hasFinal ? 1 : 0)
  if (variadic === undefined) {
    return count === params.length ? undefined : `wrong number of args for ${name}: want ${params.length} got ${count}`
  }
  return count >= params.length
    ? undefined
    : `wrong number of args for ${name}: want at least ${params.length} got ${given}`
}

/** A call by name as it stands in the template. */
interface CallSite {
  readonly identifier: IdentifierNode
  /** The command, or the identifier where it is an argument by itself. */
  readonly node: CommandNode | IdentifierNode
  readonly args: readonly OperandNode[]
  readonly hasFinal: boolean
}

/** Exec.go, evalFunction and evalCall. */
function compileCall(compiler: Compiler, site: CallSite): Command {
  const { identifier, node, hasFinal } = site
  const { name } = identifier
  const definition = compiler.functions.get(name)
  if (definition === undefined) return failing(identifier, `${JSON.stringify(name)} is not a defined function`)
  const problem = countProblem(definition, { name, given: site.args.length, hasFinal })
  if (problem !== undefined) return failing(identifier, problem)
  const isBuiltin = compiler.isBuiltin(definition)
  if (isBuiltin && (name === 'and' || name === 'or')) return compileLogic(compiler, site)
  if (isBuiltin && name === 'len') return compileLength(compiler, site, definition)
  const { scope } = compiler
  scope.nesting++
  const args = site.args.map((arg, index) => compileArgument(compiler, arg)(parameterType(definition, index)))
  const { nesting } = scope
  scope.nesting--
  const finalType = parameterType(definition, args.length)
  return (frame, dot, final) => {
    frame.node = identifier
    const values: Value[] = []
    for (const arg of args) values.push(arg(frame, dot) ?? null)
    if (hasFinal) values.push(convertArgument(frame, final, finalType))
    return callFunction(frame, definition, { args: values, node, nesting })
  }
}

function failing(node: Node, message: string): Command {
  return (frame) => {
    frame.node = node
    throw templateError(frame, message)
  }
}

/** `and` and `or` stop at the argument that decides, and return it as it is. */
function compileLogic(compiler: Compiler, { identifier, args: nodes, hasFinal }: CallSite): Command {
  const { scope } = compiler
  const deciding = identifier.name === 'or'
  const wasConditional = scope.isConditional
  scope.nesting++
  const args = nodes.map((node, index) => {
    scope.isConditional = wasConditional || index > 0
    return compileOperand(compiler, node)
  })
  scope.nesting--
  scope.isConditional = wasConditional
  return (frame, dot, final) => {
    frame.execution.step(frame)
    frame.node = identifier
    let value: Raw
    for (const arg of args) {
      value = arg(frame, dot)
      if (isTrue(value) === deciding) return value
    }
    return hasFinal ? final : value
  }
}

/** Go's `len` tells a nil inside an interface from no value at all. */
function compileLength(compiler: Compiler, site: CallSite, definition: TemplateFunction): Command {
  const { identifier, node, hasFinal } = site
  const [arg] = site.args.map((operand) => compileOperand(compiler, operand))
  const { nesting } = compiler.scope
  return (frame, dot, final) => {
    frame.node = identifier
    const value = hasFinal ? final : arg?.(frame, dot)
    if (value === undefined) {
      frame.node = node
      throw templateError(frame, 'error calling len: reflect: call of reflect.Value.Type on zero Value')
    }
    return callFunction(frame, definition, { args: [value], node, nesting })
  }
}
