/** A piece of a CEL expression; `start` and `end` are offsets into its text. */
export interface CelToken {
  readonly kind: 'identifier' | 'number' | 'string' | 'operator' | 'end'
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The tokens of an expression, and where its comments stand. */
export interface CelScan {
  readonly tokens: readonly CelToken[]
  readonly comments: readonly { readonly start: number; readonly end: number }[]
}

/**
 * An expression that is no CEL, or more of it than is understood here. The message is the reason, without the
 * expression; `offset` says where in the expression it stops being CEL.
 */
export class CelError extends Error {
  readonly offset: number | undefined

  constructor(message: string, offset?: number) {
    super(message)
    this.name = 'CelError'
    this.offset = offset
  }
}

const SPACE = /[ \t\r\n\f]+/y
const COMMENT = /\/\/[^\n]*/y
const NUMBER = /0x[0-9a-fA-F]+u?|(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?/y
const STRING_START = /[bB]?[rR]?(?:"""|'''|"|')/y
const ESCAPE = /\\(?:[abfnrtv"'`?\\]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y
const OPERATOR = /&&|\|\||==|!=|<=|>=|[<>!+\-*/%?:.,()[\]{}]/y

/**
 * Splits a CEL expression into tokens. Rule: the lexis of the CEL language definition (google/cel-spec doc/langdef.md).
 * @throws CelError for what is no token
 */
export function scanCel(text: string): CelScan {
  const tokens: CelToken[] = []
  const comments: { readonly start: number; readonly end: number }[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const push = (kind: CelToken['kind'], end: number): void => {
    tokens.push({ kind, text: text.slice(at, end), start: at, end })
    at = end
  }
  while (at < text.length) {
    const space = take(SPACE)
    if (space !== undefined) {
      at += space.length
      continue
    }
    const comment = take(COMMENT)
    if (comment !== undefined) {
      comments.push({ start: at, end: at + comment.length })
      at += comment.length
      continue
    }
    const quote = take(STRING_START)
    if (quote !== undefined) {
      push('string', stringEnd(text, at, quote))
      continue
    }
    const identifier = take(IDENTIFIER)
    if (identifier !== undefined) {
      push('identifier', at + identifier.length)
      continue
    }
    const number = take(NUMBER)
    if (number !== undefined) {
      push('number', at + number.length)
      continue
    }
    const operator = take(OPERATOR)
    if (operator === undefined) throw new CelError(`${JSON.stringify(text.charAt(at))} means nothing in CEL`, at)
    push('operator', at + operator.length)
  }
  push('end', at)
  return { tokens, comments }
}

function stringEnd(text: string, start: number, opening: string): number {
  const quote = opening.replace(/^[rRbB]*/, '')
  const isRaw = /^[bB]?[rR]/.test(opening)
  const isBytes = /^[bB]/.test(opening)
  let at = start + opening.length
  while (at < text.length) {
    if (text.startsWith(quote, at)) return at + quote.length
    if (text[at] === '\n' && quote.length === 1) break
    at += text[at] === '\\' && !isRaw ? escapeLength(text, at, isBytes ? 'bytes' : 'text') : 1
  }
  throw new CelError('a string is not closed', start)
}

/** @throws CelError for an escape that CEL has not, or that stands for no character */
function escapeLength(text: string, at: number, of: 'bytes' | 'text'): number {
  ESCAPE.lastIndex = at
  const [found, four, eight] = ESCAPE.exec(text) ?? []
  const digits = four ?? eight
  const code = digits === undefined ? undefined : Number.parseInt(digits, 16)
  const isCharacter = code === undefined || (of === 'text' && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff))
  if (found === undefined || !isCharacter) throw new CelError('a string has an escape that means nothing in CEL', at)
  return found.length
}

/** The text of a plain string literal without escapes; undefined for others. */
export function plainString({ kind, text }: CelToken): string | undefined {
  return kind === 'string' && /^(?:"[^"\\]*"|'[^'\\]*')$/.test(text) ? text.slice(1, -1) : undefined
}
