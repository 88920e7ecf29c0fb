import { RE2JS } from 're2js'

/** Thrown by {@link compileRegexp}; the message is Go's (``error parsing regexp: missing closing ): `(` ``). */
export class RegexpError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RegexpError'
  }
}

/** Offsets of one match and its groups: start and end of group 0, of group 1, …; -1 for a group that took no part. */
export type RegexpMatch = readonly number[]

/**
 * A compiled expression with Go's syntax and meaning (RE2: time linear in the text, so untrusted expressions cannot hang).
 * Offsets are UTF-16 units. Lone surrogates (raw bytes, marks of tokens) match as single characters.
 */
export interface GoRegexp {
  readonly source: string
  readonly groupCount: number
  /** Group number by name. */
  readonly groupNames: ReadonlyMap<string, number>
  /** Whether it matches anywhere in the text, like Go's MatchString. */
  readonly test: (text: string) => boolean
  /** Leftmost match, like Go's FindStringSubmatchIndex. */
  readonly find: (text: string) => RegexpMatch | undefined
  /** Successive matches, at most `limit` (all when negative), like Go's FindAllStringSubmatchIndex. */
  readonly findAll: (text: string, limit: number) => readonly RegexpMatch[]
  /** The text with each match replaced by what `replacement` returns for it. */
  readonly replaceAll: (text: string, replacement: (match: RegexpMatch) => string) => string
}

/** How an expression is compiled: `longest` prefers leftmost-longest matches as POSIX does. */
export interface RegexpFlags {
  readonly ignoreCase?: boolean
  readonly longest?: boolean
}

/**
 * Compiles an expression as Go's regexp.Compile does.
 * @throws RegexpError in Go's words
 */
export function compileRegexp(pattern: string, flags: RegexpFlags = {}): GoRegexp {
  const bits = (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (flags.longest ? RE2JS.LONGEST_MATCH : 0)
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern, bits)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'error parsing regexp'
    // Go always names the fragment, here an empty one
    throw new RegexpError(message.endsWith('at end of expression') ? `${message}: \`\`` : message, { cause: error })
  }
  const machine = compiled.re2()
  function findAll(text: string, limit: number): readonly RegexpMatch[] {
    const found: readonly RegexpMatch[] | null = machine.findAllSubmatchIndex(text, limit)
    return found ?? []
  }
  return {
    source: pattern,
    groupCount: compiled.groupCount(),
    groupNames: new Map(Object.entries(compiled.namedGroups())),
    test: (text) => compiled.test(text),
    find: (text) => findAll(text, 1)[0],
    findAll,
    replaceAll(text, replacement) {
      let result = ''
      let last = 0
      for (const match of findAll(text, -1)) {
        const [start = 0, end = 0] = match
        result += text.slice(last, start) + replacement(match)
        last = end
      }
      return result + text.slice(last)
    },
  }
}
