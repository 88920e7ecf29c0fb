import type { BranchNode, CommandNode, ListNode, Node, OperandNode, PipeNode, RangeNode, StatementNode } from './ast.ts'
import { quoteGo } from './format.ts'

/** Returns a node as Go's text/template prints it in errors (parse/node.go, String). */
export function formatNode(node: Node): string {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'action':
      return `{{${formatPipe(node.pipe)}}}`
    case 'if':
    case 'with':
    case 'range': {
      return formatBranch(node)
    }
    case 'template':
      return `{{template ${quoteGo(node.name)}${node.pipe === undefined ? '' : ` ${formatPipe(node.pipe)}`}}}`
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`
    case 'command':
      return formatCommand(node)
    case 'pipe':
      return formatPipe(node)
    case 'identifier':
      return node.name
    case 'variable':
      return [node.name, ...node.fields].join('.')
    case 'field':
      return node.fields.map((field) => `.${field}`).join('')
    case 'chain':
      return [formatArgument(node.operand), ...node.fields].join('.')
    case 'dot':
      return '.'
    case 'nil':
      return 'nil'
    case 'bool':
      return String(node.value)
    case 'number':
      return node.text
    case 'string':
      return node.quoted
  }
}

function formatPipe(pipe: PipeNode): string {
  const commands = pipe.commands.map(formatCommand).join(' | ')
  if (pipe.variables.length === 0) return commands
  return `${pipe.variables.map(formatNode).join(', ')} ${pipe.isAssign ? '=' : ':='} ${commands}`
}

function formatCommand(command: CommandNode): string {
  return command.args.map(formatArgument).join(' ')
}

function formatArgument(node: OperandNode): string {
  return node.kind === 'pipe' ? `(${formatPipe(node)})` : formatNode(node)
}

/** A chain of `else if` is as long as a file may be, so it is not walked down. */
function formatBranch(node: BranchNode | RangeNode): string {
  let text = ''
  let depth = 0
  let last: ListNode | undefined
  for (let arm: BranchNode | RangeNode | undefined = node; arm !== undefined; depth++) {
    text += `{{${arm.kind} ${formatPipe(arm.pipe)}}}${formatList(arm.body)}`
    const nodes: readonly StatementNode[] = arm.otherwise?.nodes ?? []
    const [next, second] = nodes
    const chained = second === undefined && (next?.kind === 'if' || next?.kind === 'with') ? next : undefined
    if (arm.otherwise !== undefined) text += '{{else}}'
    last = chained === undefined ? arm.otherwise : undefined
    arm = chained
  }
  return `${text}${last === undefined ? '' : formatList(last)}${'{{end}}'.repeat(depth)}`
}

function formatList(list: ListNode): string {
  return list.nodes.map((node: StatementNode) => formatNode(node)).join('')
}
