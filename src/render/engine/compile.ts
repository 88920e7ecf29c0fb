import { GoObject } from '../../model/value.ts'
import { chargeLeaves } from './argument-size.ts'
import type {
  ActionNode,
  BranchNode,
  Definition,
  ListNode,
  RangeNode,
  StatementNode,
  TemplateNode,
  TextNode,
} from './ast.ts'
import { assignment, compileCommands, compilePipeline, declaration, type Compiler } from './compile-expression.ts'
import {
  decideTruth,
  templateError,
  type Expression,
  type Frame,
  type Program,
  type Raw,
  type Statement,
} from './execution.ts'
import { formatNode } from './format-node.ts'
import { quoteGo, toDisplay } from './format.ts'
import { roundsOf } from './rounds.ts'
import { VariableScope, stackCost, type OpenBlock } from './variable-scope.ts'
import { ours, say, written } from './error-text.ts'

/** Compiles a definition to closures for one function table; the result can be shared. */
export function compileDefinition(
  definition: Definition,
  functions: Pick<Compiler, 'functions' | 'isBuiltin'>,
): Program {
  const scope = new VariableScope()
  const run = compileBlock({ ...functions, scope }, definition.body)
  return { definition, slots: scope.slots, run }
}

const skip: Statement = () => 'next'

/** A list with a scope of its own. */
function compileBlock(compiler: Compiler, list: ListNode): Statement {
  const { result: statement, cleared } = compiler.scope.block(list.nodes.length > 1 ? stackCost.list : 0, () =>
    compileList(compiler, list),
  )
  if (cleared.length === 0) return statement
  return (frame, dot) => {
    for (const slot of cleared) frame.variables[slot] = undefined
    return statement(frame, dot)
  }
}

/** A block in a branch or loop; most of a chart's are never executed. */
interface Block {
  run: Statement
}

const empty: Block = { run: skip }

/** The same of a block that is compiled when it is first executed: then `run` is what was compiled. */
function compileLater(compiler: Compiler, list: ListNode): Block {
  const scopeLater = compiler.scope.later()
  const block: Block = {
    run(frame, dot) {
      block.run = compileBlock({ ...compiler, scope: scopeLater() }, list)
      return block.run(frame, dot)
    },
  }
  return block
}

function compileList(compiler: Compiler, list: ListNode): Statement {
  const statements = list.nodes.map((node) => compileStatement(compiler, node))
  const [first = skip, second, third] = statements
  if (second === undefined) return first
  if (third === undefined) {
    return (frame, dot) => {
      const signal = first(frame, dot)
      return signal === 'next' ? second(frame, dot) : signal
    }
  }
  return (frame, dot) => {
    for (const statement of statements) {
      const signal = statement(frame, dot)
      if (signal !== 'next') return signal
    }
    return 'next'
  }
}

function compileStatement(compiler: Compiler, node: StatementNode): Statement {
  switch (node.kind) {
    case 'text':
      return compileText(node)
    case 'action':
      return compileAction(compiler, node)
    case 'if':
    case 'with':
      return compileBranch(compiler, node)
    case 'range':
      return compileRange(compiler, node)
    case 'template':
      return compileTemplate(compiler, node)
    case 'break':
    case 'continue': {
      const { kind } = node
      return () => kind
    }
  }
}

function compileText(node: TextNode): Statement {
  const { text } = node
  return (frame) => {
    frame.execution.step(frame)
    frame.execution.write(frame, node, text)
    return 'next'
  }
}

function compileAction(compiler: Compiler, node: ActionNode): Statement {
  const value = compilePipeline(compiler, node.pipe)
  if (node.pipe.variables.length > 0) {
    return (frame, dot) => {
      frame.execution.step(frame)
      value(frame, dot)
      return 'next'
    }
  }
  return (frame, dot) => {
    frame.execution.step(frame)
    const result = value(frame, dot)
    frame.execution.write(frame, node, typeof result === 'string' ? result : display(frame, node, result))
    return 'next'
  }
}

function display(frame: Frame, node: ActionNode, value: Raw): string {
  if (value instanceof GoObject && value.kind === 'func') {
    frame.node = node
    throw templateError(frame, say`can't print ${written(formatNode(node))} of type ${ours(value.goType)}`)
  }
  if (value !== null && typeof value === 'object') {
    frame.execution.callFrame = frame
    frame.execution.callNode = node
    chargeLeaves([value], frame.execution.context.charge)
  }
  return toDisplay(value ?? null)
}

interface Arm {
  readonly node: BranchNode
  readonly value: Expression
  readonly body: Block
}

/** `if` and `with`, with all their `else if` arms in one closure, so that long chains need no stack. */
function compileBranch(compiler: Compiler, node: BranchNode): Statement {
  const { kind } = node
  const arms: Arm[] = []
  const blocks: OpenBlock[] = []
  let otherwise: ListNode | undefined
  for (let arm: BranchNode | undefined = node; arm !== undefined; arm = nextArm(kind, otherwise)) {
    blocks.push(compiler.scope.open(arms.length === 0 ? stackCost[kind] : 0))
    arms.push({
      node: arm,
      value: compilePipeline(compiler, arm.pipe),
      body: compileLater(compiler, arm.body),
    })
    otherwise = arm.otherwise
  }
  const last = otherwise === undefined ? empty : compileLater(compiler, otherwise)
  // what an arm declares is visible in all that follow it
  const clears = blocks
    .toReversed()
    .map((block) => clearing(compiler.scope.close(block)))
    .toReversed()
  const [only] = arms
  return arms.length === 1 && only !== undefined ? compileArm(only, clears[0], last) : compileChain(arms, clears, last)
}

type Clear = ((frame: Frame) => void) | undefined

function compileArm({ node, value, body }: Arm, clear: Clear, otherwise: Block): Statement {
  if (node.kind === 'if') {
    return (frame, dot) => {
      frame.execution.step(frame)
      clear?.(frame)
      return decideTruth(frame, node.pipe, value(frame, dot)) ? body.run(frame, dot) : otherwise.run(frame, dot)
    }
  }
  return (frame, dot) => {
    frame.execution.step(frame)
    clear?.(frame)
    const result = value(frame, dot) ?? undefined
    if (!decideTruth(frame, node.pipe, result)) return otherwise.run(frame, dot)
    const { isDotBoxed } = frame
    frame.isDotBoxed = false
    const signal = body.run(frame, result)
    frame.isDotBoxed = isDotBoxed
    return signal
  }
}

function compileChain(arms: readonly Arm[], clears: readonly Clear[], otherwise: Block): Statement {
  return (frame, dot) => {
    for (let index = 0; index < arms.length; index++) {
      const arm = arms[index]
      if (arm === undefined) break
      frame.execution.step(frame)
      clears[index]?.(frame)
      const result = arm.value(frame, dot) ?? undefined
      if (!decideTruth(frame, arm.node.pipe, result)) continue
      if (arm.node.kind === 'if') return arm.body.run(frame, dot)
      const { isDotBoxed } = frame
      frame.isDotBoxed = false
      const signal = arm.body.run(frame, result)
      frame.isDotBoxed = isDotBoxed
      return signal
    }
    return otherwise.run(frame, dot)
  }
}

/** The branch that an `else if` begins. */
function nextArm(kind: BranchNode['kind'], otherwise: ListNode | undefined): BranchNode | undefined {
  const [node, second] = otherwise?.nodes ?? []
  return node !== undefined && second === undefined && node.kind === kind ? node : undefined
}
function clearing(slots: readonly number[]): ((frame: Frame) => void) | undefined {
  if (slots.length === 0) return undefined
  return (frame) => {
    for (const slot of slots) frame.variables[slot] = undefined
  }
}

function compileTemplate(compiler: Compiler, node: TemplateNode): Statement {
  const value = node.pipe === undefined ? undefined : compilePipeline(compiler, node.pipe)
  const { nesting } = compiler.scope
  return (frame, dot) => {
    const { execution } = frame
    execution.step(frame)
    frame.node = node
    const definition = execution.set.find(node.name)
    if (definition === undefined) throw templateError(frame, say`template ${written(quoteGo(node.name))} not defined`)
    const data = value?.(frame, dot) ?? undefined
    frame.node = node
    const inner = execution.enter(definition, frame, { entry: 'template', dot: data, nesting })
    inner.program.run(inner, data)
    execution.leave(inner)
    return 'next'
  }
}

function compileRange(compiler: Compiler, node: RangeNode): Statement {
  const { result, cleared } = compiler.scope.block(stackCost.range, () => {
    const { variables, isAssign } = node.pipe
    const value = compileCommands(compiler, node.pipe)
    const targets = variables.map((variable, index) => {
      if (isAssign) return assignment(compiler, variable)
      return declaration(compiler.scope.declare(variable.name, { isElement: index === variables.length - 1 }))
    })
    const body = compileLater(compiler, node.body)
    const otherwise = node.otherwise === undefined ? empty : compileLater(compiler, node.otherwise)
    return { value, targets, body, otherwise }
  })
  const { value, targets, body, otherwise } = result
  const clear = clearing(cleared)
  const setElement = targets.at(-1)
  const setIndex = targets.length > 1 ? targets[0] : undefined
  return (frame, dot) => {
    clear?.(frame)
    const list = value(frame, dot) ?? undefined
    for (const target of targets) target(frame, list)
    const rounds = roundsOf(frame, list, setIndex !== undefined)
    const { length } = rounds
    if (length === 0) return otherwise.run(frame, dot)
    const { isDotBoxed } = frame
    const boxed = rounds.isBoxed ? 'boxed' : undefined
    for (let index = 0; index < length; index++) {
      frame.execution.step(frame)
      const element = rounds.element(index)
      frame.isDotBoxed = rounds.isBoxed
      setIndex?.(frame, rounds.key(index))
      setElement?.(frame, element, boxed)
      if (body.run(frame, element) === 'break') break
    }
    frame.isDotBoxed = isDotBoxed
    return 'next'
  }
}
