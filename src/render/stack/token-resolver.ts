import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { deriveValue } from '../../generate/derived-values.ts'
import { isPublicPart } from '../../generate/published-value.ts'
import type { Crypto } from '../../model/ports.ts'
import { type LateToken, requireLate, tokenPattern, type TokenSpec, type TokenTable } from '../../model/token.ts'
import { identifyTokens } from '../../model/token-identity.ts'

/** A token whose value is not computed from another one. */
export type RootToken = Exclude<LateToken, { kind: 'derived' }>

/** The treatment of tokens of one kind in an object. */
export interface TokenResolver<Spec extends RootToken> {
  /** True if only those may read the value who may read a Secret. */
  readonly isPrivate: (spec: Spec) => boolean
  /** The text in the object until the value is known; `mark` tells tokens apart, and is the same for equal ones. */
  readonly placeholder: (spec: Spec, mark: string) => string
}

/** One resolver for each kind. */
export interface TokenResolvers {
  readonly generated: TokenResolver<Extract<TokenSpec, { kind: 'generated' }>>
  readonly runtime: TokenResolver<Extract<TokenSpec, { kind: 'runtime' }>>
}

/** The kinds as the design page judges them. */
export const standardResolvers: TokenResolvers = {
  generated: {
    isPrivate: ({ part }) => !isPublicPart(part),
    placeholder: (_, mark) => `stackmason-placeholder-${mark}`,
  },
  runtime: {
    isPrivate: () => false,
    placeholder: (_, mark) => `stackmason-placeholder-${mark}`,
  },
}

const markLength = 16
const encodings: ReadonlySet<string> = new Set(['b64enc', 'b32enc'])

/** The context for resolving tokens. */
export interface ResolverContext {
  readonly tokens: TokenTable
  readonly crypto: Crypto
  readonly resolvers: TokenResolvers
}

/** Returns the text with placeholders instead of tokens; what is base64 of tokens is base64 of placeholders. */
export function placeholderText(text: string, context: ResolverContext): string {
  return text.replace(tokenPattern(), (token) => {
    const found = context.tokens.get(token)
    if (found === undefined) throw new Error('a token of another table')
    const spec = requireLate(found)
    const hash = context.crypto.hash('sha256', encodeUtf8(identifyTokens(token, context.tokens)))
    const mark = formatHex(hash).slice(0, markLength)
    if (spec.kind === 'runtime') return context.resolvers.runtime.placeholder(spec, mark)
    if (spec.kind === 'generated') return context.resolvers.generated.placeholder(spec, mark)
    const input = placeholderText(spec.input, context)
    return encodings.has(spec.function)
      ? deriveValue(spec.function, [input], context.crypto)
      : `stackmason-placeholder-${mark}`
  })
}

/** True if a token that comes from no other one stands for something private. */
export function isPrivateToken(given: TokenSpec | undefined, resolvers: TokenResolvers): boolean {
  const spec = given && requireLate(given)
  if (spec === undefined || spec.kind === 'derived') throw new Error('not the token that others come from')
  return spec.kind === 'generated' ? resolvers.generated.isPrivate(spec) : resolvers.runtime.isPrivate(spec)
}
