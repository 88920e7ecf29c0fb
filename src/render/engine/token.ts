import { utf8Length } from '../../codec/bytes/utf8.ts'
import type { ErrorText } from './error-text.ts'
import { quoteGo } from './format.ts'

/** The kind of a token; after Go's text/template (parse/lex.go). */
export type TokenKind =
  | 'error'
  | 'eof'
  | 'text'
  | 'leftDelim'
  | 'rightDelim'
  | 'space'
  | 'leftParen'
  | 'rightParen'
  | 'pipe'
  | 'assign'
  | 'declare'
  | 'char'
  | 'bool'
  | 'charConstant'
  | 'complex'
  | 'number'
  | 'string'
  | 'rawString'
  | 'field'
  | 'identifier'
  | 'variable'
  | Keyword

/** The words (and the dot) that are not identifiers. */
export type Keyword =
  'dot' | 'block' | 'break' | 'continue' | 'define' | 'else' | 'end' | 'if' | 'nil' | 'range' | 'template' | 'with'

/**
 * A piece of a template; `line` is where it starts, counted from 1. An `error` token holds the message in Go's words.
 */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly line: number
  /** The message of an `error` token. */
  readonly problem?: ErrorText
}

/** The keyword that a word is, if any. */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['block', 'block'],
  ['break', 'break'],
  ['continue', 'continue'],
  ['define', 'define'],
  ['else', 'else'],
  ['end', 'end'],
  ['if', 'if'],
  ['nil', 'nil'],
  ['range', 'range'],
  ['template', 'template'],
  ['with', 'with'],
])

const keywordKinds: ReadonlySet<TokenKind> = new Set<TokenKind>([...keywords.values(), 'dot'])
const maxShown = 10

/** Returns the token as parse errors show it (parse/lex.go, item.String). */
export function formatToken(token: Token): string {
  if (token.kind === 'eof') return 'EOF'
  if (token.kind === 'error') return token.text
  if (keywordKinds.has(token.kind)) return `<${token.text}>`
  if (utf8Length(token.text) <= maxShown) return quoteGo(token.text)
  const characters = Array.from(token.text)
  return `${quoteGo(characters.slice(0, maxShown).join(''))}...`
}
