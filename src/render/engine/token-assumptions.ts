import { rootTokens, tokenPattern, type TokenOrigin, type TokenTable } from '../../model/token.ts'
import type { Value } from '../../model/value.ts'
import { holdsToken } from './token-refused.ts'

/**
 * Records that a decision took a value for set, where that is not certain: a text that is nothing but values of the
 * running cluster. Text around them, or what is generated, is never empty.
 */
export function assumeSet(value: Value | undefined, tokens: TokenTable, origin: () => TokenOrigin): void {
  if (typeof value !== 'string' || !holdsToken(value) || value.replace(tokenPattern(), '') !== '') return
  for (const token of rootTokens(value, tokens)) {
    const spec = tokens.get(token)
    if (spec?.kind === 'runtime') tokens.assume(spec, { isSet: true }, origin)
  }
}

/** Records that a decision took the only value in `text` for another one than makes the text `known`. */
export function assumeNotEqual(
  text: string,
  known: string,
  { tokens, origin }: { readonly tokens: TokenTable; readonly origin: () => TokenOrigin },
): void {
  const [match, ...others] = text.matchAll(tokenPattern())
  const spec = match === undefined ? undefined : tokens.get(match[0])
  if (match === undefined || others.length > 0 || spec?.kind !== 'runtime') return
  const before = text.slice(0, match.index)
  const after = text.slice(match.index + match[0].length)
  // otherwise the text around the value makes the difference
  const isAround = known.length >= before.length + after.length && known.startsWith(before) && known.endsWith(after)
  if (!isAround) return
  const rest = known.slice(before.length, known.length - after.length)
  tokens.assume(spec, rest === '' ? { isSet: true } : { notEqual: rest }, origin)
}
