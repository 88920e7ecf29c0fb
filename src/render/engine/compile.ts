import { compareBytes } from '../../codec/text-order.ts'
import { Dict, GoBytes, GoInt, GoObject, elementType, goInt, type Value } from '../../model/value.ts'
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
import { assignment, compilePipeline, declaration, type Compiler, type Target } from './compile-expression.ts'
import { templateError, type Frame, type Program, type Raw, type Signal, type Statement } from './execution.ts'
import { formatValue, toDisplay } from './format.ts'
import { Scope } from './scope.ts'
import { isTrue } from './truth.ts'

/** Compiles a definition to closures for one function table; the result is immutable and can be shared. */
export function compileDefinition(
  definition: Definition,
  functions: Pick<Compiler, 'functions' | 'isBuiltin'>,
): Program {
  const scope = new Scope()
  const run = compileBlock({ ...functions, scope }, definition.body)
  return { definition, slots: scope.slots, run }
}

const skip: Statement = () => 'next'

/** A list with a scope of its own. */
function compileBlock(compiler: Compiler, list: ListNode): Statement {
  const { result: statement, cleared } = compiler.scope.block(() => compileList(compiler, list))
  if (cleared.length === 0) return statement
  return (frame, dot) => {
    for (const slot of cleared) frame.variables[slot] = undefined
    return statement(frame, dot)
  }
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
  const { pipe } = node
  const value = compilePipeline(compiler, pipe)
  if (pipe.variables.length > 0) {
    return (frame, dot) => {
      frame.execution.step(frame)
      value(frame, dot)
      return 'next'
    }
  }
  return (frame, dot) => {
    const { execution } = frame
    execution.step(frame)
    const result = value(frame, dot)
    if (typeof result === 'string') execution.write(frame, node, result)
    else execution.write(frame, node, display(frame, node, result))
    return 'next'
  }
}

function display(frame: Frame, node: ActionNode, value: Raw): string {
  if (value instanceof GoObject && value.kind === 'func') {
    frame.node = node
    throw templateError(frame, `can't print {{${'…'}}} of type ${value.goType}`)
  }
  return toDisplay(value ?? null)
}

/** `if` and `with`, with all their `else if` arms in one closure, so that long chains need no stack. */
function compileBranch(compiler: Compiler, node: BranchNode): Statement {
  const { result, cleared } = compiler.scope.block(() => {
    const value = compilePipeline(compiler, node.pipe)
    const body = compileBlock(compiler, node.body)
    const otherwise = node.otherwise === undefined ? skip : compileBlock(compiler, node.otherwise)
    return { value, body, otherwise }
  })
  const { value, body, otherwise } = result
  const clear = clearing(cleared)
  if (node.kind === 'if') {
    return (frame, dot) => {
      frame.execution.step(frame)
      clear?.(frame)
      return isTrue(value(frame, dot)) ? body(frame, dot) : otherwise(frame, dot)
    }
  }
  return (frame, dot) => {
    frame.execution.step(frame)
    clear?.(frame)
    const result = value(frame, dot)
    if (!isTrue(result)) return otherwise(frame, dot)
    const { isDotBoxed } = frame
    frame.isDotBoxed = false
    const signal = body(frame, result)
    frame.isDotBoxed = isDotBoxed
    return signal
  }
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
    if (definition === undefined) throw templateError(frame, `template ${JSON.stringify(node.name)} not defined`)
    const data = value?.(frame, dot)
    frame.node = node
    execution.run(definition, frame, { entry: 'template', dot: data, nesting })
    return 'next'
  }
}

/** The variables of a range and its body. */
interface Loop {
  readonly index: Target | undefined
  readonly element: Target | undefined
  readonly body: Statement
}

function compileRange(compiler: Compiler, node: RangeNode): Statement {
  const { result, cleared } = compiler.scope.block(() => {
    const { variables, isAssign } = node.pipe
    const value = compilePipeline(compiler, { ...node.pipe, variables: [] })
    const targets = variables.map((variable, index) => {
      if (isAssign) return assignment(compiler, variable)
      return declaration(compiler.scope.declare(variable.name, { isElement: index === variables.length - 1 }))
    })
    const element = targets.at(-1)
    const index = targets.length > 1 ? targets[0] : undefined
    const body = compileBlock(compiler, node.body)
    const otherwise = node.otherwise === undefined ? skip : compileBlock(compiler, node.otherwise)
    const loop: Loop = { index, element, body }
    return { value, targets, loop, otherwise }
  })
  const { value, targets, loop, otherwise } = result
  const clear = clearing(cleared)
  return (frame, dot) => {
    frame.execution.step(frame)
    clear?.(frame)
    const list = value(frame, dot)
    for (const target of targets) target(frame, list)
    const { isDotBoxed } = frame
    const hasRun = iterate(frame, loop, list)
    frame.isDotBoxed = isDotBoxed
    return hasRun ? 'next' : otherwise(frame, dot)
  }
}

/** Runs the body for each element; false when there is none (exec.go, walkRange). */
function iterate(frame: Frame, loop: Loop, value: Raw): boolean {
  if (Array.isArray(value)) return iterateList(frame, loop, value)
  if (value instanceof Dict) return iterateMap(frame, loop, value)
  if (value === null || value === undefined) return false
  if (value instanceof GoInt) return iterateInt(frame, loop, value)
  if (value instanceof GoBytes) return iterateBytes(frame, loop, value)
  if (value instanceof GoObject && (value.kind === 'slice' || value.kind === 'map')) {
    const inner = value.toValue()
    if (inner instanceof Dict || Array.isArray(inner)) return iterate(frame, loop, inner)
  }
  throw templateError(frame, `range can't iterate over ${formatValue(value)}`)
}

function iterateList(frame: Frame, loop: Loop, list: readonly Value[]): boolean {
  const { length } = list
  const isBoxed = elementType(list) === 'interface {}'
  for (let index = 0; index < length; index++) {
    frame.isDotBoxed = isBoxed
    if (runBody(frame, loop, { index: loop.index && goInt(index), element: list[index] ?? null, isBoxed }) === 'break')
      break
  }
  return length > 0
}

function iterateMap(frame: Frame, loop: Loop, map: Dict): boolean {
  const isBoxed = map.elementType === 'interface {}'
  // a snapshot, as Go sorts before it iterates
  const entries = [...map].sort(([a], [b]) => compareBytes(a, b))
  for (const [key, element] of entries) {
    frame.isDotBoxed = isBoxed
    if (runBody(frame, loop, { index: key, element, isBoxed }) === 'break') break
  }
  return entries.length > 0
}

function iterateInt(frame: Frame, loop: Loop, { value, kind }: GoInt): boolean {
  if (loop.index !== undefined) {
    throw templateError(frame, `can't use ${value} to iterate over more than one variable`)
  }
  frame.isDotBoxed = false
  for (let round = 0n; round < value; round++) {
    const element = kind === 'int' ? goInt(round) : new GoInt(round, kind)
    if (runBody(frame, loop, { index: undefined, element, isBoxed: false }) === 'break') break
  }
  return value > 0n
}

function iterateBytes(frame: Frame, loop: Loop, { bytes }: GoBytes): boolean {
  frame.isDotBoxed = false
  for (const [index, byte] of bytes.entries()) {
    const element = new GoInt(BigInt(byte), 'uint8')
    if (runBody(frame, loop, { index: goInt(index), element, isBoxed: false }) === 'break') break
  }
  return bytes.length > 0
}

/** One round of a loop. */
interface Round {
  readonly index: Raw
  readonly element: Value
  readonly isBoxed: boolean
}

function runBody(frame: Frame, loop: Loop, { index, element, isBoxed }: Round): Signal {
  frame.execution.step(frame)
  loop.index?.(frame, index)
  loop.element?.(frame, element, isBoxed ? 'boxed' : undefined)
  return loop.body(frame, element)
}
