import type { Source } from '../../model/source.ts'
import type { GoInt } from '../../model/value.ts'

/*
 * `start` of a node is Go's position of it, so that errors point where Helm's do: of `.a.b.c` it is the second dot, of
 * a pipeline in parentheses the first operand. `end` is where its text ends. Both are UTF-16 offsets into the
 * definition's source.
 */

/** A sequence of statements; what a definition or a branch executes. */
export interface ListNode {
  readonly kind: 'list'
  readonly start: number
  readonly nodes: readonly StatementNode[]
}

/** Text between actions. */
export interface TextNode {
  readonly kind: 'text'
  readonly start: number
  readonly end: number
  readonly text: string
}

/** `{{ pipeline }}`. */
export interface ActionNode {
  readonly kind: 'action'
  readonly start: number
  readonly end: number
  readonly pipe: PipeNode
}

/** `if` and `with`; an `else if` or `else with` is a branch alone in `otherwise`, marked `isElseIf`. */
export interface BranchNode {
  readonly kind: 'if' | 'with'
  readonly start: number
  readonly end: number
  readonly pipe: PipeNode
  readonly body: ListNode
  readonly otherwise: ListNode | undefined
}

/** `{{range}}` … `{{else}}` … `{{end}}`. */
export interface RangeNode {
  readonly kind: 'range'
  readonly start: number
  readonly end: number
  readonly pipe: PipeNode
  readonly body: ListNode
  readonly otherwise: ListNode | undefined
}

/** `{{ template "name" pipeline }}`; also stands where a `block` was defined. */
export interface TemplateNode {
  readonly kind: 'template'
  readonly start: number
  readonly end: number
  readonly name: string
  readonly pipe: PipeNode | undefined
}

/** `{{break}}` or `{{continue}}`. */
export interface LoopControlNode {
  readonly kind: 'break' | 'continue'
  readonly start: number
  readonly end: number
}

/** A node in a list of a template. */
export type StatementNode = TextNode | ActionNode | BranchNode | RangeNode | TemplateNode | LoopControlNode

/** Commands joined by `|`, with the variables that their value is given to. */
export interface PipeNode {
  readonly kind: 'pipe'
  readonly start: number
  readonly end: number
  readonly isAssign: boolean
  readonly variables: readonly VariableNode[]
  readonly commands: readonly CommandNode[]
}

/** An operand and its arguments; `args` is never empty. */
export interface CommandNode {
  readonly kind: 'command'
  readonly start: number
  readonly end: number
  readonly first: OperandNode
  readonly args: readonly OperandNode[]
}

/** A function's name. */
export interface IdentifierNode {
  readonly kind: 'identifier'
  readonly start: number
  readonly end: number
  readonly name: string
}

/** `$x.a.b`: `name` with its dollar sign, `fields` may be empty. */
export interface VariableNode {
  readonly kind: 'variable'
  readonly start: number
  readonly end: number
  readonly name: string
  readonly fields: readonly string[]
}

/** `.a.b`. */
export interface FieldNode {
  readonly kind: 'field'
  readonly start: number
  readonly end: number
  readonly fields: readonly string[]
}

/** `(pipeline).a.b` or `function.a.b`. */
export interface ChainNode {
  readonly kind: 'chain'
  readonly start: number
  readonly end: number
  readonly operand: PipeNode | IdentifierNode
  readonly fields: readonly string[]
}

/** `.` */
export interface DotNode {
  readonly kind: 'dot'
  readonly start: number
  readonly end: number
}

/** `nil` */
export interface NilNode {
  readonly kind: 'nil'
  readonly start: number
  readonly end: number
}

/** `true` or `false`. */
export interface BoolNode {
  readonly kind: 'bool'
  readonly start: number
  readonly end: number
  readonly value: boolean
}

/** A number as every type that it fits: the parameter that it meets decides. */
export interface NumberNode {
  readonly kind: 'number'
  readonly start: number
  readonly end: number
  readonly text: string
  readonly number: NumberLiteral
}

/**
 * The values that a number literal can have. `ideal` is its value where nothing says a type; absent when it overflows
 * Go's int.
 */
export interface NumberLiteral {
  readonly int: GoInt | undefined
  readonly float: number
  readonly ideal: GoInt | number | undefined
}

/** `quoted` is the literal as written. */
export interface StringNode {
  readonly kind: 'string'
  readonly start: number
  readonly end: number
  readonly quoted: string
  readonly text: string
}

/** A literal. */
export type ConstantNode = BoolNode | NumberNode | StringNode

/** A word of a command. */
export type OperandNode =
  PipeNode | IdentifierNode | VariableNode | FieldNode | ChainNode | DotNode | NilNode | ConstantNode

/** Any node that an error can point at. */
export type Node = StatementNode | OperandNode | CommandNode

/** One template by name: a file's own text, or a `define` or `block` in it. */
export interface Definition {
  readonly name: string
  readonly source: Source
  readonly body: ListNode
  /** Nothing but blank text: such a definition does not replace another one. */
  readonly isEmpty: boolean
}

/** The result of parsing a template text. Immutable: one parse serves any number of sets and executions. */
export interface ParsedTemplate {
  readonly source: Source
  /** The text's own definition, named as the source, and those inside it. Names are unique. */
  readonly definitions: readonly Definition[]
}
