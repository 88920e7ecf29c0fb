import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { deriveValue } from '../../generate/derived-values.ts'
import { certifiedArguments } from '../../generate/certificates/certificate-call.ts'
import { isPublicPart } from '../../generate/published-value.ts'
import type { Crypto } from '../../model/ports.ts'
import {
  type LateToken,
  requireLate,
  rootTokens,
  tokenPattern,
  type TokenSpec,
  type TokenTable,
} from '../../model/token.ts'
import { identifyTokens, restoreTokens } from '../../model/token-identity.ts'

/** A token whose value is not computed from another one. */
export type RootToken = Exclude<LateToken, { kind: 'derived' }>

/** The treatment of tokens of one kind in an object. */
export interface TokenResolver<Spec extends RootToken> {
  /** True if only those may read the value who may read a Secret. */
  readonly isPrivate: (spec: Spec) => boolean
  /** The texts that can be read from a value that is not private: none of them may hold a private one. */
  readonly shown: (spec: Spec) => readonly string[]
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
    isPrivate: ({ generate, part }) =>
      !isPublicPart(part) || certifiedArguments(generate.function, generate.arguments) === undefined,
    shown: ({ generate }) => certifiedArguments(generate.function, generate.arguments) ?? [],
    placeholder: (_, mark) => `stackmason-placeholder-${mark}`,
  },
  runtime: {
    isPrivate: () => false,
    shown: () => [],
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

/**
 * The token of something private that can be read from what a token stands for, which comes from no other one: the
 * token itself, or one in the subject of a certificate. Undefined: everybody may read it.
 */
export function privateToken(
  token: string,
  { tokens, resolvers }: Pick<ResolverContext, 'tokens' | 'resolvers'>,
): string | undefined {
  const passed = new Set<string>()
  const visit = (one: string): string | undefined => {
    if (passed.has(one)) return undefined
    passed.add(one)
    const found = tokens.get(one)
    // a parameter is replaced by text that the chart was given
    if (found?.kind === 'parameter') return undefined
    const spec = found && requireLate(found)
    if (spec === undefined || spec.kind === 'derived') throw new Error('not the token that others come from')
    if (spec.kind === 'runtime') return resolvers.runtime.isPrivate(spec) ? one : undefined
    if (resolvers.generated.isPrivate(spec)) return one
    const inner = resolvers.generated.shown(spec).flatMap((text) => rootTokens(restoreTokens(text, tokens), tokens))
    return firstOf(inner, visit)
  }
  return visit(token)
}

/** The first result that there is. */
function firstOf<Item>(items: readonly Item[], find: (item: Item) => Item | undefined): Item | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
