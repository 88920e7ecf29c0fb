import { tokenPattern, type TokenTable } from '../../../model/token.ts'
import { holdsToken, TokenRefusedError } from '../../engine/token-refused.ts'
import { shapeOf } from '../../engine/token-shape.ts'
import { ours, say } from '../../engine/error-text.ts'

/** True if the value behind `token` can contain `character`, or with `edges` start or end with it. */
function canHold(
  token: string,
  character: string,
  { tokens, where = 'characters' }: { readonly tokens: TokenTable; readonly where?: 'characters' | 'edges' },
): boolean {
  return shapeOf(tokens.get(token), tokens)[where]?.has(character) ?? true
}

/** True if some token of `text` can contain a character of `pattern`: then what a search finds depends on the value. */
function searchNeedsToken(pattern: string, text: string, tokens: TokenTable): boolean {
  if (!holdsToken(text)) return holdsToken(pattern)
  if (pattern === '' || holdsToken(pattern)) return true
  const found = text.match(tokenPattern()) ?? []
  return Array.from(pattern).some((character) => found.some((token) => canHold(token, character, { tokens })))
}

/**
 * Refuses a search for `pattern` in `text` whose outcome depends on a value that is only known later.
 * @throws TokenRefusedError
 */
export function refuseUnknownSearch(pattern: string, text: string, tokens: TokenTable): void {
  if (!searchNeedsToken(pattern, text, tokens)) return
  throw new TokenRefusedError('cannot search in a value that is only known later')
}

/** The literal texts between the tokens of `text`, first and last included. */
function literalParts(text: string): readonly string[] {
  return text.split(tokenPattern())
}

/** Which end of a text is examined. */
export type TextEnd = 'start' | 'end'

/** True if `text` has `affix` at its end `end`; undefined when that depends on a token. */
function hasAffix(
  text: string,
  affix: string,
  at: { readonly end: TextEnd; readonly tokens: TokenTable },
): boolean | undefined {
  const matches = at.end === 'start' ? text.startsWith(affix) : text.endsWith(affix)
  // equal tokens stand for equal values
  if (matches || !(holdsToken(text) || holdsToken(affix))) return matches
  if (holdsToken(affix)) return undefined
  const parts = literalParts(text)
  const known = (at.end === 'start' ? parts[0] : parts.at(-1)) ?? ''
  if (known.length >= affix.length) return false
  const fits = at.end === 'start' ? affix.startsWith(known) : affix.endsWith(known)
  if (!fits) return false
  const next = at.end === 'start' ? affix.charAt(known.length) : affix.charAt(affix.length - known.length - 1)
  const token =
    at.end === 'start'
      ? text.slice(known.length, known.length + 2)
      : text.slice(text.length - known.length - 2, text.length - known.length)
  return canHold(token, next, { tokens: at.tokens, where: 'edges' }) ? undefined : false
}

/** As {@link hasAffix}. @throws TokenRefusedError when it depends on a token */
export function requireAffix(
  text: string,
  affix: string,
  at: { readonly end: TextEnd; readonly tokens: TokenTable },
): boolean {
  const has = hasAffix(text, affix, at)
  if (has === undefined)
    throw new TokenRefusedError(say`cannot look at the ${ours(at.end)} of a value that is only known later`)
  return has
}

/**
 * Refuses a trimmed text that starts or ends with a token whose value could go on with one of the characters that were
 * cut off.
 * @throws TokenRefusedError
 */
export function refuseTokenEdges(trimmed: string, cutset: readonly string[], tokens: TokenTable): void {
  if (!holdsToken(trimmed)) return
  const edges = [trimmed.slice(0, 2), trimmed.slice(-2)].filter(holdsToken)
  if (edges.some((token) => cutset.some((character) => canHold(token, character, { tokens, where: 'edges' })))) {
    throw new TokenRefusedError('cannot trim a value that is only known later')
  }
}
