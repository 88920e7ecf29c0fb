import { utf8Length } from '../../codec/bytes/utf8.ts'
import { runtimePatterns } from '../../model/runtime-value.ts'
import { rootTokens, type TokenSpec, type TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import { isEqual } from './compare.ts'
import type { CallContext } from './function.ts'
import { assumeNotEqual } from './token-assumptions.ts'
import { holdsToken, TokenRefusedError } from './token-refused.ts'
import { lengthOfText, piecesOf, shapeOf } from './token-shape.ts'

/**
 * Equality where either side may hold tokens: equal texts are equal; a text that no value of the tokens' types can give
 * is not; a text of parameters is taken for another one than what is known; everything else is refused.
 * @throws TokenRefusedError when the answer depends on the value; FunctionError as {@link isEqual}
 */
export function isEqualWithTokens(a: Value, b: Value, context: Pick<CallContext, 'tokens' | 'origin'>): boolean {
  const textA = typeof a === 'string' && holdsToken(a) ? a : undefined
  const textB = typeof b === 'string' && holdsToken(b) ? b : undefined
  if (textA === undefined && textB === undefined) return isEqual(a, b)
  if (a === b) return true
  if (a === null || b === null) return false
  const known = textA === undefined ? a : textB === undefined ? b : undefined
  const unknown = textA ?? textB
  if (typeof known === 'string' && unknown !== undefined) {
    if (!canBecome(unknown, known, context.tokens)) {
      assumeNotEqual(unknown, known, context)
      return false
    }
    if (isOfParameters(unknown, context.tokens)) {
      context.tokens.assumeOther(unknown, known)
      return false
    }
  }
  throw new TokenRefusedError('cannot compare a value that is only known later')
}

function isOfParameters(text: string, tokens: TokenTable): boolean {
  return rootTokens(text, tokens).every((token) => tokens.get(token)?.kind === 'parameter')
}

/** More tokens than this in one text are not looked at one by one: the search would take too long. */
const maxTokens = 4

/** True if `text` could be `known` once its tokens are replaced; when in doubt it could. */
function canBecome(text: string, known: string, table: TokenTable): boolean {
  const { least, most } = lengthOfText(text, table)
  const length = utf8Length(known)
  if (length < least || length > most) return false
  const pieces = piecesOf(text)
  if (pieces.filter(({ token }) => token !== undefined).length > maxTokens) return true
  const pattern = pieces.map(({ literal, token }) =>
    token === undefined ? escapePattern(literal) : patternOf(table.get(token), table),
  )
  return new RegExp(`^(?:${pattern.join('')})$`, 's').test(known)
}

function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&')
}

/** The texts that a token can stand for, as a pattern. */
function patternOf(spec: TokenSpec | undefined, table: TokenTable): string {
  if (spec?.type === 'host' || spec?.type === 'port') return runtimePatterns[spec.type]
  if (spec?.type === 'integer') return '-?[0-9]+'
  const { characters } = shapeOf(spec, table)
  return characters === null ? '.+' : `[${[...characters].map(escapePattern).join('')}]+`
}
