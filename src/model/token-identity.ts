import { tokenPattern, type TokenSpec, type TokenTable } from './token.ts'

/** Derived values can be derived again; nothing real goes deeper. */
const maxDepth = 32

/**
 * Returns `text` with each token replaced by what it stands for, as JSON: text that is the same in every render in
 * which the deferred value is the same, whatever number its token has.
 */
export function identifyTokens(text: string, tokens: TokenTable, depth: number = 0): string {
  return text.replace(tokenPattern(), (token) => {
    const spec = tokens.get(token)
    return spec === undefined || depth > maxDepth ? '' : JSON.stringify(identifySpec(spec, tokens, depth + 1))
  })
}

function identifySpec(spec: TokenSpec, tokens: TokenTable, depth: number): TokenSpec {
  switch (spec.kind) {
    case 'runtime':
    case 'parameter':
      return spec
    case 'derived':
      return { ...spec, input: identifyTokens(spec.input, tokens, depth) }
    case 'generated':
      return {
        ...spec,
        generate: {
          ...spec.generate,
          arguments: spec.generate.arguments.map((argument) => identifyTokens(argument, tokens, depth)),
        },
      }
  }
}

/** Gives back the text of which {@link identifyTokens} has made this one. */
export function restoreTokens(text: string, tokens: TokenTable): string {
  // all of them are objects in JSON
  if (!text.includes('{')) return text
  let restored = text
  // longest first: the identity of a token holds those that it is made of
  for (const [identity, token] of tokenIdentities(tokens)) restored = restored.replaceAll(identity, () => token)
  return restored
}

/** The result for a table at a number of tokens; a table only grows. */
const found = new WeakMap<TokenTable, { readonly count: number; readonly identities: ReadonlyMap<string, string> }>()

/**
 * The tokens of a table by the text that {@link identifyTokens} gives for each, longest text first. Asked for once for
 * each thing that is made.
 */
export function tokenIdentities(tokens: TokenTable): ReadonlyMap<string, string> {
  const known = found.get(tokens)
  if (known?.count === tokens.specs.length) return known.identities
  const pairs = tokens.specs.flatMap((spec) => {
    const token = tokens.add(spec)
    const identity = identifyTokens(token, tokens)
    return identity === '' ? [] : [[identity, token] as const]
  })
  const identities = new Map(pairs.toSorted(([a], [b]) => b.length - a.length))
  found.set(tokens, { count: tokens.specs.length, identities })
  return identities
}
