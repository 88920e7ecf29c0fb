import type { TraceStep } from './trace-step.ts'
import type { Span } from './source.ts'

/** The lone high surrogate that starts a token inside a string. No decoded text can contain it alone. */
const TOKEN_MARK = '\uDBFF'
const FIRST = 0xe000
const LAST = 0xf8ff

/** The description of a value that is known only later. `type` decides what templates may ask about it. */
export type TokenSpec =
  /**
   * A field that only the running cluster knows, e.g. `Cluster.spec.controlPlaneEndpoint.host`. `form: 'text'` for a
   * number that a template has put in quotes: it stays text wherever it lands.
   */
  | { readonly kind: 'runtime'; readonly type: TokenType; readonly path: string; readonly form?: 'text' }
  /** Text that a chart would have invented: what to generate, and which part of it this is. */
  | { readonly kind: 'generated'; readonly type: 'string'; readonly generate: GenerateSpec; readonly part: string }
  /**
   * A value that is known, and that other renders of the same chart have otherwise: the result holds for all of them.
   * Any plain word, see `plain-word.ts`; `index` is its number among them.
   */
  | { readonly kind: 'parameter'; readonly type: 'string'; readonly index: number }
  /**
   * A pure function of text that holds tokens, e.g. base64 of it; `arguments` are the further ones, in the template's
   * order.
   */
  | {
      readonly kind: 'derived'
      readonly type: 'string'
      readonly function: string
      readonly arguments?: readonly string[]
      readonly input: string
    }

/** A token of what an object may hold: parameters are replaced before there is one. */
export type LateToken = Exclude<TokenSpec, { kind: 'parameter' }>

/** @throws Error for a parameter */
export function requireLate(spec: TokenSpec): LateToken {
  if (spec.kind === 'parameter') throw new Error('a parameter in an object')
  return spec
}

/** Types a token can have; they bound what it can be equal to. */
export type TokenType = 'host' | 'port' | 'id' | 'string' | 'integer'

/**
 * A deferred call of a generator: the function's name and its arguments as plain text, in order. A password or other
 * plaintext to be hashed or encrypted is never among them: {@link GIVEN} stands for it.
 */
export interface GenerateSpec {
  readonly function: string
  readonly arguments: readonly string[]
  /** Distinguishes equal calls: template, line and how often that line ran. Stable for equal inputs. */
  readonly identity: string
}

/** Stands in the arguments of a {@link GenerateSpec} for text from the values that must not be repeated anywhere. */
export const GIVEN = '(given)'

/**
 * An assumption of a template about a value that it could not see; `isSet` is Go's truth: not empty, not 0, not false.
 */
export type TokenAssumption = { readonly isSet: true } | { readonly notEqual: string }

/** An assumption about a field of the running cluster, and where it was made first. */
export interface RuntimeAssumption {
  readonly path: string
  readonly type: TokenType
  readonly assumption: TokenAssumption
  readonly origin: TokenOrigin
}

/** A text of parameters, and what it is taken not to be. */
export interface ParameterAssumption {
  readonly text: string
  readonly other: string
}

/** The call that a token comes from: its place, and the templates that led there, innermost first. */
export interface TokenOrigin {
  readonly at: Span
  readonly trace?: readonly TraceStep[]
}

/** The tokens of one render. Index in `specs` is the private-use character's number. */
export interface TokenTable {
  /**
   * Returns the two code units that stand for `spec`; equal specs give the same token, whose origin is that of the
   * first.
   */
  readonly add: (spec: TokenSpec, origin?: TokenOrigin) => string
  readonly get: (token: string) => TokenSpec | undefined
  readonly originOf: (token: string) => TokenOrigin | undefined
  readonly specs: readonly TokenSpec[]
  /** Records an assumption about a field, equal ones once. */
  readonly assume: (
    field: Pick<RuntimeAssumption, 'path' | 'type'>,
    assumption: TokenAssumption,
    origin: () => TokenOrigin,
  ) => void
  readonly assumptions: readonly RuntimeAssumption[]
  /** True once there is a token of a parameter. */
  readonly hasParameters: boolean
  /** Records that a template took a text of nothing but parameters, and literal text around them, for another one. */
  readonly assumeOther: (text: string, other: string) => void
  readonly others: readonly ParameterAssumption[]
  /** Notes that `hash` was taken over what is known only later, and what gives the real one. */
  readonly noteHash: (hash: string, spec: TokenSpec, origin: TokenOrigin) => void
  readonly hashes: ReadonlyMap<string, { readonly spec: TokenSpec; readonly origin: TokenOrigin }>
}

/** Makes an empty table. @throws RangeError when more than 6400 tokens are added */
export function createTokenTable(): TokenTable {
  const specs: TokenSpec[] = []
  const origins: (TokenOrigin | undefined)[] = []
  const byKey = new Map<string, string>()
  const assumptions = new Map<string, RuntimeAssumption>()
  const hashes = new Map<string, { readonly spec: TokenSpec; readonly origin: TokenOrigin }>()
  const others = new Map<string, ParameterAssumption>()
  let hasParameters = false
  return {
    get hasParameters() {
      return hasParameters
    },
    assumeOther(text, other) {
      others.set(JSON.stringify([text, other]), { text, other })
    },
    get others() {
      return [...others.values()]
    },
    hashes,
    noteHash(hash, spec, origin) {
      if (!hashes.has(hash)) hashes.set(hash, { spec, origin })
    },
    specs,
    get assumptions() {
      return [...assumptions.values()]
    },
    assume({ path, type }, assumption, origin) {
      const key = `${path} ${JSON.stringify(assumption)}`
      if (!assumptions.has(key)) assumptions.set(key, { path, type, assumption, origin: origin() })
    },
    add(spec, origin) {
      const key = JSON.stringify(spec)
      const known = byKey.get(key)
      if (known !== undefined) return known
      if (FIRST + specs.length > LAST) throw new RangeError('more than 6400 deferred values in one render')
      const token = TOKEN_MARK + String.fromCharCode(FIRST + specs.length)
      specs.push(spec)
      if (spec.kind === 'parameter') hasParameters = true
      origins.push(origin)
      byKey.set(key, token)
      return token
    },
    get: (token) => specs[token.charCodeAt(1) - FIRST],
    originOf: (token) => origins[token.charCodeAt(1) - FIRST],
  }
}

/** Returns the tokens that those of `text` come from, each once, in order. */
export function rootTokens(text: string, tokens: TokenTable): readonly string[] {
  const roots = (text.match(tokenPattern()) ?? []).flatMap((token) => {
    const spec = tokens.get(token)
    return spec?.kind === 'derived' ? rootTokens(spec.input, tokens) : [token]
  })
  return [...new Set(roots)]
}

/** True if a text holds the token of a parameter, or what is derived from one. */
export function holdsParameter(text: string, tokens: TokenTable): boolean {
  return tokens.hasParameters && rootTokens(text, tokens).some((token) => tokens.get(token)?.kind === 'parameter')
}

/** A pattern that finds tokens; make one per use, it keeps state. */
export function tokenPattern(): RegExp {
  return /\uDBFF[\uE000-\uF8FF]/g
}
