import type { Source } from '../../model/source.ts'
import type {
  ActionNode,
  BranchNode,
  CommandNode,
  Definition,
  ListNode,
  OperandNode,
  ParsedTemplate,
  PipeNode,
  RangeNode,
  StatementNode,
  TemplateNode,
  VariableNode,
} from './ast.ts'
import { ErrorText, ours, say, toErrorText, written, type ErrorMessage } from './error-text.ts'
import { quoteGo } from './format.ts'
import { formatNode } from './format-node.ts'
import { Lexer } from './lexer.ts'
import { charNumber, parseNumber } from './parse-number.ts'
import { isPublicSource, TemplateError } from './template-error.ts'
import { formatToken, type Token, type TokenKind } from './token.ts'
import { unquoteChar, unquoteString } from './unquote.ts'

/** Blocks and parentheses may be nested this deep; Go allows more, but real templates stay below twenty. */
const maxNesting = 250

/** The options of the parser. */
export interface ParseOptions {
  /** True if a function of that name exists: Go checks names when it parses. */
  readonly isFunction: (name: string) => boolean
  /** Called before each text and action; what it throws ends the parsing. */
  readonly onStatement?: () => void
}

/**
 * Parses a template as Go's text/template does (parse/parse.go), with Go's messages. The result is named as the source.
 * @throws TemplateError TEMPLATE_PARSE, and TEMPLATE_LIMIT_DEPTH for blocks or parentheses nested too deeply
 */
export function parseTemplate(source: Source, options: ParseOptions): ParsedTemplate {
  const lexer = new Lexer(source.text, options)
  const shared: Shared = { source, lexer, options, definitions: new Map(), nesting: 0 }
  new Parser(shared, source.name).parseText()
  return { source, definitions: [...shared.definitions.values()] }
}

/** The state that the parsers of a text and of the definitions inside it share. */
interface Shared {
  readonly source: Source
  readonly lexer: Lexer
  readonly options: ParseOptions
  readonly definitions: Map<string, Definition>
  nesting: number
}

/** `{{end}}` and `{{else}}` end a list; `{{else if}}` and `{{else with}}` leave their word to be read. */
type Terminator = { readonly kind: 'end'; readonly start: number } | { readonly kind: 'else'; readonly start: number }

/** A list and what ended it. */
interface ParsedList {
  readonly list: ListNode
  readonly terminator: Terminator
}

const operandStart: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
])

/** Parses one definition: a text, a `define` or a `block`. */
class Parser {
  private readonly shared: Shared
  private readonly name: string
  /** Tokens given back, the next one last. */
  private readonly pending: Token[] = []
  /** The token last taken from the lexer: errors name its line. */
  private latest: Token | undefined
  private readonly variables: string[] = ['$']
  /** How many of them have a name. */
  private readonly declared = new Map([['$', 1]])
  private actionLine = 0
  private rangeDepth = 0

  constructor(shared: Shared, name: string) {
    this.shared = shared
    this.name = name
  }

  parseText(): void {
    const start = this.peek().start
    const nodes: StatementNode[] = []
    for (let token = this.peek(); token.kind !== 'eof'; token = this.peek()) {
      if (token.kind === 'leftDelim') {
        const delimiter = this.next()
        const word = this.nextNonSpace()
        if (word.kind === 'define') {
          this.parseDefine()
          continue
        }
        this.pending.push(word, delimiter)
      }
      const node = this.statement()
      if (node.kind === 'end' || node.kind === 'else') this.fail(say`unexpected {{${ours(node.kind)}}}`)
      nodes.push(node)
    }
    this.define({ kind: 'list', start, nodes })
  }

  private parseDefine(): void {
    const inner = new Parser(this.shared, '')
    inner.parseDefinition()
  }

  /** A `define` whose keyword is passed. */
  private parseDefinition(): void {
    const context = 'define clause'
    const token = this.nextNonSpace()
    const name = this.templateName(token, context)
    this.expect('rightDelim', context)
    const { list, terminator } = this.list()
    if (terminator.kind !== 'end') this.fail(say`unexpected {{${ours(terminator.kind)}}} in ${ours(context)}`)
    this.define(list, name)
  }

  private define(body: ListNode, name: string = this.name): void {
    const { definitions, source } = this.shared
    const isEmpty = body.nodes.every((node) => node.kind === 'text' && isBlank(node.text))
    const known = definitions.get(name)
    if (known === undefined || known.isEmpty) definitions.set(name, { name, source, body, isEmpty })
    else if (!isEmpty) this.fail(say`template: multiple definition of template ${written(quoteGo(name))}`)
  }

  private next(): Token {
    return this.pending.pop() ?? (this.latest = this.shared.lexer.next())
  }

  private peek(): Token {
    const token = this.next()
    this.pending.push(token)
    return token
  }

  private nextNonSpace(): Token {
    for (;;) {
      const token = this.next()
      if (token.kind !== 'space') return token
    }
  }

  private peekNonSpace(): Token {
    const token = this.nextNonSpace()
    this.pending.push(token)
    return token
  }

  private expect(kind: TokenKind, context: string): Token {
    const token = this.nextNonSpace()
    if (token.kind !== kind) this.unexpected(token, context)
    return token
  }

  private fail<Text extends string>(message: ErrorMessage<Text>): never {
    throw this.error('TEMPLATE_PARSE', toErrorText(message))
  }

  private error(code: 'TEMPLATE_PARSE' | 'TEMPLATE_LIMIT_DEPTH', text: ErrorText): TemplateError {
    const { source } = this.shared
    const message = text.shown({ isTemplatePublic: isPublicSource(source), isWritten: () => false })
    const start = Math.min(this.latest?.start ?? 0, source.text.length)
    const length = this.latest?.kind === 'error' ? 1 : (this.latest?.text.length ?? 0)
    const at = { source, start, end: Math.min(start + length, source.text.length) }
    const parse = { at, line: this.latest?.line ?? 1 }
    return new TemplateError({ code, message, goMessage: text.go, frames: [], parse })
  }

  private unexpected(token: Token, context: string): never {
    const { problem } = token
    if (problem === undefined) this.fail(say`unexpected ${written(formatToken(token))} in ${ours(context)}`)
    if (this.actionLine === 0 || this.actionLine === token.line) this.fail(problem)
    const started = say`started at ${ours(this.shared.source.name)}:${ours(this.actionLine)}`
    this.fail(token.text.endsWith(' action') ? say`${problem} ${started}` : say`${problem} in action ${started}`)
  }

  /** Statements up to `{{end}}` or `{{else}}`. */
  private list(): ParsedList {
    const start = this.peekNonSpace().start
    const nodes: StatementNode[] = []
    while (this.peekNonSpace().kind !== 'eof') {
      const node = this.statement()
      if (node.kind === 'end' || node.kind === 'else') return { list: { kind: 'list', start, nodes }, terminator: node }
      nodes.push(node)
    }
    this.fail('unexpected EOF')
  }

  private statement(): StatementNode | Terminator {
    this.shared.options.onStatement?.()
    const token = this.nextNonSpace()
    if (token.kind === 'text') {
      return { kind: 'text', start: token.start, end: token.start + token.text.length, text: token.text }
    }
    if (token.kind !== 'leftDelim') this.unexpected(token, 'input')
    this.actionLine = token.line
    const node = this.action()
    this.actionLine = 0
    return node
  }

  private action(): StatementNode | Terminator {
    const token = this.nextNonSpace()
    const { kind } = token
    if (kind === 'if' || kind === 'with') return this.branch(kind)
    if (kind === 'range') return this.range()
    if (kind === 'end') return { kind, start: this.expect('rightDelim', 'end').start }
    if (kind === 'else') return this.elseControl()
    if (kind === 'template') return this.templateCall()
    if (kind === 'block') return this.block()
    if (kind === 'break' || kind === 'continue') return this.loopControl(token, kind)
    this.pending.push(token)
    return this.pipeAction(token)
  }

  private pipeAction(token: Token): ActionNode {
    const pipe = this.pipeline('command', 'rightDelim')
    return { kind: 'action', start: token.start, end: pipe.end, pipe }
  }

  private loopControl(token: Token, kind: 'break' | 'continue'): StatementNode {
    const next = this.nextNonSpace()
    if (next.kind !== 'rightDelim') this.unexpected(next, `{{${kind}}}`)
    if (this.rangeDepth === 0) this.fail(say`{{${ours(kind)}}} outside {{range}}`)
    return { kind, start: token.start, end: token.start + token.text.length }
  }

  private elseControl(): Terminator {
    const token = this.peekNonSpace()
    if (token.kind === 'if' || token.kind === 'with') return { kind: 'else', start: token.start }
    return { kind: 'else', start: this.expect('rightDelim', 'else').start }
  }

  /** `if` or `with` up to its `end`; a chain of `else if` is read in a loop, so that its length needs no stack. */
  private branch(kind: 'if' | 'with'): BranchNode {
    const variables = this.variables.length
    this.enter()
    const arms: { readonly pipe: PipeNode; readonly body: ListNode; readonly elseStart: number }[] = []
    let otherwise: ListNode | undefined
    for (;;) {
      const pipe = this.pipeline(kind, 'rightDelim')
      const { list, terminator } = this.list()
      arms.push({ pipe, body: list, elseStart: terminator.start })
      if (terminator.kind === 'end') break
      if (this.peek().kind === kind) {
        this.next()
        continue
      }
      otherwise = this.elseList()
      break
    }
    this.leave()
    this.forget(variables)
    return foldArms(kind, arms, otherwise)
  }

  private elseList(): ListNode {
    const { list, terminator } = this.list()
    if (terminator.kind !== 'end') this.fail(say`expected end; found {{${ours(terminator.kind)}}}`)
    return list
  }

  private range(): RangeNode {
    const variables = this.variables.length
    this.enter()
    const pipe = this.pipeline('range', 'rightDelim')
    this.rangeDepth++
    const { list, terminator } = this.list()
    this.rangeDepth--
    const otherwise = terminator.kind === 'else' ? this.elseList() : undefined
    this.leave()
    this.forget(variables)
    return { kind: 'range', start: pipe.start, end: pipe.end, pipe, body: list, otherwise }
  }

  private block(): TemplateNode {
    const context = 'block clause'
    const token = this.nextNonSpace()
    const name = this.templateName(token, context)
    const pipe = this.pipeline(context, 'rightDelim')
    const inner = new Parser(this.shared, name)
    this.enter()
    const { list, terminator } = inner.list()
    this.leave()
    if (terminator.kind !== 'end') this.fail(say`unexpected {{${ours(terminator.kind)}}} in ${ours(context)}`)
    inner.define(list)
    return { kind: 'template', start: token.start, end: pipe.end, name, pipe }
  }

  private templateCall(): TemplateNode {
    const context = 'template clause'
    const token = this.nextNonSpace()
    const name = this.templateName(token, context)
    const next = this.nextNonSpace()
    const start = token.start
    if (next.kind === 'rightDelim')
      return { kind: 'template', start, end: start + token.text.length, name, pipe: undefined }
    this.pending.push(next)
    const pipe = this.pipeline(context, 'rightDelim')
    return { kind: 'template', start, end: pipe.end, name, pipe }
  }

  private templateName(token: Token, context: string): string {
    if (token.kind !== 'string' && token.kind !== 'rawString') this.unexpected(token, context)
    return unquoteString(token.text) ?? this.fail('invalid syntax')
  }

  /** Declarations and commands up to a token of kind `end`, which is passed. */
  private pipeline(context: string, end: 'rightDelim' | 'rightParen'): PipeNode {
    const { start } = this.peekNonSpace()
    const { isAssign, variables } = this.declarations(context)
    const commands: CommandNode[] = []
    for (;;) {
      const token = this.nextNonSpace()
      if (token.kind === end) break
      if (!operandStart.has(token.kind)) this.unexpected(token, context)
      this.pending.push(token)
      commands.push(this.command())
    }
    const last = commands.at(-1) ?? this.fail(say`missing value for ${ours(context)}`)
    commands.forEach(({ first }, index) => {
      if (index > 0 && isLiteral(first)) this.fail(say`non executable command in pipeline stage ${ours(index + 1)}`)
    })
    return { kind: 'pipe', start, end: last.end, isAssign, variables, commands }
  }

  /** `$x :=`, `$x =`, and in a range `$k, $v :=`; nothing is consumed when there are none. */
  private declarations(context: string): { readonly isAssign: boolean; readonly variables: readonly VariableNode[] } {
    const variables: VariableNode[] = []
    for (;;) {
      const token = this.peekNonSpace()
      if (token.kind !== 'variable') return { isAssign: false, variables }
      this.next()
      const after = this.peek()
      const operator = this.peekNonSpace()
      if (operator.kind === 'assign' || operator.kind === 'declare') {
        this.next()
        variables.push(this.declare(token))
        return { isAssign: operator.kind === 'assign', variables }
      }
      if (operator.kind !== 'char' || operator.text !== ',') {
        if (after.kind === 'space') this.pending.push(after)
        this.pending.push(token)
        return { isAssign: false, variables }
      }
      this.next()
      variables.push(this.declare(token))
      if (context !== 'range' || variables.length > 1) this.fail(say`too many declarations in ${ours(context)}`)
      const { kind } = this.peekNonSpace()
      if (kind !== 'variable' && kind !== 'rightDelim' && kind !== 'rightParen') {
        this.fail('range can only initialize variables')
      }
    }
  }

  private declare(token: Token): VariableNode {
    this.variables.push(token.text)
    this.declared.set(token.text, (this.declared.get(token.text) ?? 0) + 1)
    return variableNode(token)
  }

  /** Ends the declarations after the first `count`. */
  private forget(count: number): void {
    for (const name of this.variables.splice(count)) this.declared.set(name, (this.declared.get(name) ?? 0) - 1)
  }

  private command(): CommandNode {
    const { start } = this.peekNonSpace()
    const args: OperandNode[] = []
    for (;;) {
      this.peekNonSpace()
      const operand = this.operand()
      if (operand !== undefined) args.push(operand)
      const token = this.next()
      if (token.kind === 'space') continue
      if (token.kind === 'rightDelim' || token.kind === 'rightParen') this.pending.push(token)
      else if (token.kind !== 'pipe') this.unexpected(token, 'operand')
      break
    }
    const [first] = args
    if (first === undefined) this.fail('empty command')
    return { kind: 'command', start, end: args.at(-1)?.end ?? start, first, args }
  }

  /** A term and the fields behind it; undefined when the next token is no term. */
  private operand(): OperandNode | undefined {
    const term = this.term()
    if (term === undefined) return undefined
    const first = this.peek()
    if (first.kind !== 'field') return term
    const fields: string[] = []
    let end = first.start
    for (let token = first; token.kind === 'field'; token = this.peek()) {
      this.next()
      fields.push(token.text.slice(1))
      end = token.start + token.text.length
    }
    const { start } = first
    if (term.kind === 'field') return { kind: 'field', start, end, fields: [...term.fields, ...fields] }
    if (term.kind === 'variable') return { ...term, start, end, fields: [...term.fields, ...fields] }
    if (term.kind === 'pipe' || term.kind === 'identifier') return { kind: 'chain', start, end, operand: term, fields }
    return this.fail(say`unexpected . after term ${written(quoteGo(formatNode(term)))}`)
  }

  private term(): OperandNode | undefined {
    const token = this.nextNonSpace()
    const { kind, start, text } = token
    const end = start + text.length
    if (kind === 'field') return { kind, start, end, fields: [text.slice(1)] }
    if (kind === 'dot' || kind === 'nil') return { kind, start, end }
    if (kind === 'identifier') {
      if (!this.shared.options.isFunction(text)) this.fail(say`function ${written(quoteGo(text))} not defined`)
      return { kind, start, end, name: text }
    }
    if (kind === 'variable') {
      if ((this.declared.get(text) ?? 0) === 0) this.fail(say`undefined variable ${written(quoteGo(text))}`)
      return variableNode(token)
    }
    if (kind === 'leftParen') {
      this.enter()
      const pipe = this.pipeline('parenthesized pipeline', 'rightParen')
      this.leave()
      return pipe
    }
    return this.literal(token)
  }

  private literal(token: Token): OperandNode | undefined {
    const { kind, start, text } = token
    const end = start + text.length
    if (kind === 'string' || kind === 'rawString') {
      return { kind: 'string', start, end, quoted: text, text: unquoteString(text) ?? this.fail('invalid syntax') }
    }
    if (kind === 'bool') return { kind, start, end, value: text === 'true' }
    if (kind === 'number' || kind === 'complex') {
      const number = parseNumber(text)
      if (number instanceof ErrorText) this.fail(number)
      return { kind: 'number', start, end, text, number }
    }
    if (kind === 'charConstant') {
      const char = unquoteChar(text)
      if ('problem' in char) this.fail(char.problem)
      return { kind: 'number', start, end, text, number: charNumber(char.codePoint) }
    }
    this.pending.push(token)
    return undefined
  }

  private enter(): void {
    if (++this.shared.nesting > maxNesting) throw this.error('TEMPLATE_LIMIT_DEPTH', say`max expression depth exceeded`)
  }

  private leave(): void {
    this.shared.nesting--
  }
}

function foldArms(
  kind: 'if' | 'with',
  arms: readonly { readonly pipe: PipeNode; readonly body: ListNode; readonly elseStart: number }[],
  last: ListNode | undefined,
): BranchNode {
  let otherwise = last
  for (let index = arms.length - 1; ; index--) {
    const arm = arms[index]
    if (arm === undefined) throw new Error('a branch has at least one arm')
    const { pipe, body } = arm
    const node: BranchNode = { kind, start: pipe.start, end: pipe.end, pipe, body, otherwise }
    if (index === 0) return node
    otherwise = { kind: 'list', start: arms[index - 1]?.elseStart ?? 0, nodes: [node] }
  }
}

function variableNode({ start, text }: Token): VariableNode {
  return { kind: 'variable', start, end: start + text.length, name: text, fields: [] }
}

function isLiteral({ kind }: OperandNode): boolean {
  return kind === 'bool' || kind === 'dot' || kind === 'nil' || kind === 'number' || kind === 'string'
}

/** Go's bytes.TrimSpace, which knows Unicode's spaces. */
function isBlank(text: string): boolean {
  return /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(text)
}
