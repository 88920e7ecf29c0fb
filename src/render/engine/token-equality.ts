import { tokenPattern, type TokenSpec, type TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import { isEqual } from './compare.ts'
import { holdsToken, TokenRefusedError } from './token-refused.ts'

/**
 * Equality where either side may hold tokens: equal texts are equal; a text that no value of the tokens' types can give is
 * not; everything else is refused.
 * @throws TokenRefusedError when the answer depends on the value; FunctionError as {@link isEqual}
 */
export function isEqualWithTokens(a: Value, b: Value, table: TokenTable): boolean {
  const textA = typeof a === 'string' && holdsToken(a) ? a : undefined
  const textB = typeof b === 'string' && holdsToken(b) ? b : undefined
  if (textA === undefined && textB === undefined) return isEqual(a, b)
  if (a === b) return true
  if (a === null || b === null) return false
  const known = textA === undefined ? a : textB === undefined ? b : undefined
  const unknown = textA ?? textB
  if (typeof known === 'string' && unknown !== undefined && !canBecome(unknown, known, table)) return false
  throw new TokenRefusedError('cannot compare a value that is only known later')
}

/** Whether `text` could be `known` once its tokens are replaced. */
function canBecome(text: string, known: string, table: TokenTable): boolean {
  const literals = text.split(tokenPattern()).map(escapePattern)
  const tokens = text.match(tokenPattern()) ?? []
  const pattern = literals.map(
    (literal, index) => literal + (index < tokens.length ? shapeOf(table.get(tokens[index] ?? '')) : ''),
  )
  return new RegExp(`^(?:${pattern.join('')})$`, 's').test(known)
}

function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/**
 * What a token can be, as a pattern. A host is an address or a name that can be reached from elsewhere: it has a dot or a colon, or at least a
 * digit or dash, so that words such as `auto` are none. No token is ever empty.
 */
function shapeOf(spec: TokenSpec | undefined): string {
  switch (spec?.type) {
    case 'host':
      return '(?:\\[[0-9A-Fa-f:.]+\\]|(?=[A-Za-z0-9.:-]*[0-9.:-])[A-Za-z0-9.:-]+)'
    case 'port':
      return '[1-9][0-9]{0,4}'
    case 'integer':
      return '-?[0-9]+'
    case 'id':
      return '[A-Za-z0-9._:/-]+'
    case 'string':
    case undefined:
      return '.+'
  }
}
