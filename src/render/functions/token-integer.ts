import type { CallContext } from '../engine/function.ts'
import { holdsTokens } from '../engine/token-search.ts'
import { holdsToken, TokenRefusedError } from '../engine/token-refused.ts'
import type { Value } from '../../model/value.ts'

/**
 * Returns what stands for the number behind a value that is only known later; undefined for what is known.
 * @throws TokenRefusedError when it may be no whole number
 */
export function integerToken(value: Value, { tokens }: CallContext): string | undefined {
  if (tokens.specs.length === 0 || !holdsTokens([value])) return undefined
  const spec = typeof value === 'string' && value.length === 2 ? tokens.get(value) : undefined
  if (spec?.kind !== 'runtime' || (spec.type !== 'port' && spec.type !== 'integer'))
    throw new TokenRefusedError('cannot read a number from a value that is only known later')
  const { form: _, ...number } = spec
  return tokens.add(number)
}

/** Says of a text whether it stands for a number that is only known later, and that no template has put in quotes. */
export function isNumberToken(text: string, { tokens }: Pick<CallContext, 'tokens'>): boolean {
  const spec = text.length === 2 && holdsToken(text) ? tokens.get(text) : undefined
  return spec?.kind === 'runtime' && spec.form !== 'text' && (spec.type === 'port' || spec.type === 'integer')
}

/** Returns a text in which numbers that are only known later are text, as `toString` makes them. */
export function textToken(text: string, { tokens }: Pick<CallContext, 'tokens'>): string {
  const spec = text.length === 2 ? tokens.get(text) : undefined
  if (spec?.kind !== 'runtime' || (spec.type !== 'port' && spec.type !== 'integer')) return text
  return tokens.add({ ...spec, form: 'text' })
}
