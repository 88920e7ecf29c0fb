import { CelError, scanCel, type CelScan, type CelToken } from './cel-scan.ts'

/** A part of an expression. Every part knows where it stands, parentheses around it included. */
export type CelNode = (
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'literal'; readonly token: CelToken }
  | { readonly kind: 'select'; readonly operand: CelNode; readonly field: CelToken }
  | { readonly kind: 'index'; readonly operand: CelNode; readonly index: CelNode }
  | { readonly kind: 'call'; readonly name: string; readonly target?: CelNode; readonly arguments: readonly CelNode[] }
  /** Operators, list and map literals: only their parts matter. `&&`, `||`, `?:`, `[]`, `{}` and so on. */
  | { readonly kind: 'parts'; readonly operator: string; readonly parts: readonly CelNode[] }
) & { readonly start: number; readonly end: number }

/** A parsed expression. */
export interface CelExpression {
  readonly root: CelNode
  readonly comments: CelScan['comments']
}

/** Words that may not be names. Rule: RESERVED of the CEL language definition, and its literals. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'as break const continue else for function if import let loop package namespace return var void while ' +
    'in true false null'
  ).split(' '),
)

/** Words that may not even be names of fields. */
const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

/** Binary operators, the loosest first; those of one line bind alike. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
]
const MAX_DEPTH = 200

/**
 * Parses a CEL expression; message literals, absolute names and what extensions add are refused. Rule: the syntax of
 * the CEL language definition.
 * @throws CelError with the reason
 */
export function parseCel(text: string): CelExpression {
  const { tokens, comments } = scanCel(text)
  let at = 0
  let depth = 0
  const end: CelToken = { kind: 'end', text: '', start: text.length, end: text.length }
  const peek = (): CelToken => tokens[at] ?? end
  const next = (): CelToken => tokens[at++] ?? end
  const isNext = (operator: string): boolean => peek().kind === 'operator' && peek().text === operator
  const expect = (operator: string): CelToken => {
    if (!isNext(operator)) throw unexpected(peek())
    return next()
  }

  function expression(): CelNode {
    if (++depth > MAX_DEPTH) throw tooDeep()
    const condition = binary(0)
    depth--
    if (!isNext('?')) return condition
    next()
    const then = binary(0)
    expect(':')
    const otherwise = expression()
    return group('?:', [condition, then, otherwise])
  }

  function binary(level: number): CelNode {
    const operators = LEVELS[level]
    if (operators === undefined) return unary()
    let left = binary(level + 1)
    for (let links = 1; isOperator(peek(), operators); links++) {
      const operator = next().text
      if (links > MAX_DEPTH && operator !== '&&' && operator !== '||') throw tooDeep()
      left = group(operator, [left, binary(level + 1)])
    }
    return left
  }

  function unary(): CelNode {
    const { start, text: sign } = peek()
    if (!isNext('!') && !isNext('-')) return member()
    for (let signs = 1; isNext(sign); signs++) {
      next()
      if (signs > MAX_DEPTH) throw tooDeep()
    }
    // the grammar has !! and --, but none of both
    if (isNext('!') || isNext('-')) throw unexpected(peek())
    const operand = member(sign)
    return { kind: 'parts', operator: sign, parts: [operand], start, end: operand.end }
  }

  function member(sign?: string): CelNode {
    let node = primary(sign)
    for (let links = 1; ; links++) {
      if (links > MAX_DEPTH) throw tooDeep()
      if (isNext('.')) {
        next()
        const field = next()
        if (field.kind !== 'identifier' || keywords.has(field.text)) throw unexpected(field)
        node = isNext('(')
          ? { ...call(field.text, node.start), target: node }
          : { kind: 'select', operand: node, field, start: node.start, end: field.end }
      } else if (isNext('[')) {
        next()
        const index = expression()
        node = { kind: 'index', operand: node, index, start: node.start, end: expect(']').end }
      } else if (isNext('{')) throw new CelError('messages are not understood here')
      else return node
    }
  }

  function call(name: string, start: number): CelNode & { readonly kind: 'call' } {
    expect('(')
    const { parts, closing } = list(')', expression)
    return { kind: 'call', name, arguments: parts, start, end: closing.end }
  }

  function list(
    close: string,
    item: () => CelNode,
  ): { readonly parts: readonly CelNode[]; readonly closing: CelToken } {
    const parts: CelNode[] = []
    while (!isNext(close)) {
      parts.push(item())
      // a comma may follow the last item, but not the last argument
      if (isNext(close)) break
      expect(',')
      if (close === ')' && isNext(close)) throw unexpected(peek())
    }
    return { parts, closing: next() }
  }

  function primary(sign?: string): CelNode {
    const token = next()
    const { start } = token
    if (token.kind === 'number') requireNumber(token, sign)
    if (token.kind === 'string' || token.kind === 'number') return { kind: 'literal', token, start, end: token.end }
    if (token.kind === 'identifier') {
      if (token.text === 'true' || token.text === 'false' || token.text === 'null')
        return { kind: 'literal', token, start, end: token.end }
      if (reservedWords.has(token.text)) throw new CelError(`${token.text} is a reserved word`)
      if (isNext('(')) return call(token.text, start)
      return { kind: 'identifier', name: token.text, start, end: token.end }
    }
    if (token.kind === 'operator' && token.text === '(') {
      const inner = expression()
      return { ...inner, start, end: expect(')').end }
    }
    if (token.kind === 'operator' && token.text === '[') {
      const { parts, closing } = list(']', expression)
      return { kind: 'parts', operator: '[]', parts, start, end: closing.end }
    }
    if (token.kind === 'operator' && token.text === '{') {
      const { parts, closing } = list('}', () => {
        const key = expression()
        expect(':')
        return group(':', [key, expression()])
      })
      return { kind: 'parts', operator: '{}', parts, start, end: closing.end }
    }
    throw unexpected(token)
  }

  const root = expression()
  if (peek().kind !== 'end') throw unexpected(peek())
  return { root, comments }
}

function isOperator({ kind, text }: CelToken, operators: readonly string[]): boolean {
  return operators.includes(text) && (kind === 'operator' || (kind === 'identifier' && text === 'in'))
}

function group(operator: string, parts: readonly CelNode[]): CelNode {
  return { kind: 'parts', operator, parts, start: parts[0]?.start ?? 0, end: parts.at(-1)?.end ?? 0 }
}

/** @throws CelError for a number that the types of CEL do not hold */
function requireNumber({ text, start }: CelToken, sign: string | undefined): void {
  const whole = /^(?:0x[0-9a-f]+|[0-9]+)(u?)$/i.exec(text)
  if (whole === null) {
    if (!Number.isFinite(Number(text))) throw new CelError(`${text} is too large a number`, start)
    return
  }
  const isUnsigned = whole[1] !== ''
  const most = isUnsigned ? 2n ** 64n - 1n : sign === '-' ? 2n ** 63n : 2n ** 63n - 1n
  if (BigInt(isUnsigned ? text.slice(0, -1) : text) > most) throw new CelError(`${text} is too large a number`, start)
}

function tooDeep(): CelError {
  return new CelError('it is nested too deeply')
}

function unexpected({ kind, text, start }: CelToken): CelError {
  return new CelError(kind === 'end' ? 'it ends too early' : `${JSON.stringify(text)} is out of place`, start)
}
