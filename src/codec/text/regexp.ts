import { RE2JS } from 're2js'
import { compilePlainRegexp } from './plain-regexp.ts'

/** Thrown by {@link compileRegexp}; the message is Go's (``error parsing regexp: missing closing ): `(` ``). */
export class RegexpError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RegexpError'
  }

  /** The message without what it quotes of the expression, which may be secret. */
  get unquoted(): string {
    return this.message.replace(/: `.*$/s, '')
  }
}

/** Characters looked at between two calls of `look`. */
const BATCH = 4096
/** Instructions of an expression that are as much work at a character as reading it. */
const INSTRUCTIONS = 32
/** Characters that the search of a fixed text passes while others look at one. */
const FAST = 32

/** Offsets of one match and its groups: start and end of group 0, of group 1, …; -1 for a group that took no part. */
export type RegexpMatch = readonly number[]

/**
 * A compiled expression with Go's syntax and meaning (RE2: time linear in the text for one match).
 * Offsets are UTF-16 units. Lone surrogates (raw bytes, marks of tokens) match as single characters.
 */
export interface GoRegexp {
  readonly source: string
  readonly groupCount: number
  /** Group number by name. */
  readonly groupNames: ReadonlyMap<string, number>
  /** True if it matches anywhere in the text, like Go's MatchString. */
  readonly test: (text: string, look?: Look) => boolean
  /** Leftmost match, like Go's FindStringSubmatchIndex. */
  readonly find: (text: string, look?: Look) => RegexpMatch | undefined
  /** Successive matches, at most `limit` (all when negative), like Go's FindAllStringSubmatchIndex. */
  readonly findAll: (text: string, limit: number, look?: Look) => readonly RegexpMatch[]
  /** The text with each match replaced by what `replacement` returns for it. */
  readonly replaceAll: (text: string, replacement: (match: RegexpMatch) => string, look?: Look) => string
}

/**
 * Is told while a text is searched how many characters were looked at, in batches; longer expressions count for more.
 * One match is found in linear time, but all of them are not: each search may look as far as the end. May throw to end
 * it.
 */
export type Look = (amount: number) => void

/** How an expression is compiled: `longest` prefers leftmost-longest matches as POSIX does. */
export interface RegexpFlags {
  readonly ignoreCase?: boolean
  readonly longest?: boolean
}

/**
 * Compiles an expression as Go's regexp.Compile does. The engine is loaded for expressions and texts that JavaScript's
 * own might see otherwise.
 * @throws RegexpError in Go's words
 */
export function compileRegexp(pattern: string, flags: RegexpFlags = {}): GoRegexp {
  const isPlain = flags.ignoreCase !== true && flags.longest !== true
  const plain = isPlain ? compilePlainRegexp(pattern) : undefined
  if (plain === undefined) return compileFully(pattern, flags)
  let compiled: GoRegexp | undefined
  const full = (): GoRegexp => (compiled ??= compileFully(pattern, flags))
  return {
    source: pattern,
    get groupCount() {
      return full().groupCount
    },
    get groupNames() {
      return full().groupNames
    },
    test(text, look) {
      const found = plain(text)
      if (found === undefined) return full().test(text, look)
      look?.(text.length)
      return found
    },
    find: (...given) => full().find(...given),
    findAll: (...given) => full().findAll(...given),
    replaceAll: (...given) => full().replaceAll(...given),
  }
}

function compileFully(pattern: string, flags: RegexpFlags): GoRegexp {
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
  const weight = 1 + Math.floor(compiled.programSize() / INSTRUCTIONS)
  const countLooks = meter(machine, weight)
  function findAll(text: string, limit: number, look?: Look): readonly RegexpMatch[] {
    return countLooks(look, () => {
      const found: readonly RegexpMatch[] | null = machine.findAllSubmatchIndex(text, limit)
      return found ?? []
    })
  }
  return {
    source: pattern,
    groupCount: compiled.groupCount(),
    groupNames: new Map(Object.entries(compiled.namedGroups())),
    test: (text, look) => countLooks(look, () => machine.match(text)),
    find: (text, look) => findAll(text, 1, look)[0],
    findAll,
    replaceAll(text, replacement, look) {
      let result = ''
      let last = 0
      for (const match of findAll(text, -1, look)) {
        const [start = 0, end = 0] = match
        result += text.slice(last, start) + replacement(match)
        last = end
      }
      return result + text.slice(last)
    },
  }
}

/** A text as the library's searches see it. */
interface Input {
  step: (position: number) => number
  index: (machine: unknown, position: number) => number
  hasString: (filter: { readonly str: string }, position: number) => boolean
  readonly charSequence: string
  readonly end: number
}

type Search = (input: Input, ...rest: unknown[]) => unknown

/** Lets `look` know what the searches of one machine look at, through the one method that all of them go by. */
function meter(
  machine: { executeEngine: (...given: never[]) => unknown },
  weight: number,
): <Result>(look: Look | undefined, search: () => Result) => Result {
  const execute = machine.executeEngine.bind(machine) as Search
  let count = 0
  let current: Look | undefined
  const add = (amount: number): void => {
    count += amount
    if (count < BATCH) return
    const batch = count
    count = 0
    current?.(batch * weight)
  }
  const watched = new WeakSet<Input>()
  const search: Search = (input, ...rest) => {
    if (current !== undefined && !watched.has(input)) watch(input, add)
    watched.add(input)
    return execute(input, ...rest)
  }
  machine.executeEngine = search as typeof machine.executeEngine
  return (look, run) => {
    current = look
    count = 0
    try {
      const result = run()
      if (count > 0) look?.(count * weight)
      return result
    } finally {
      current = undefined
    }
  }
}

function watch(input: Input, add: (amount: number) => void): void {
  const step = input.step.bind(input)
  const index = input.index.bind(input)
  input.step = (position) => {
    add(1)
    return step(position)
  }
  // the search of a fixed text is the system's own: fast, but from each place again
  input.index = (machine, position) => {
    const found = index(machine, position)
    add(1 + Math.floor((found < 0 ? input.end - position : found) / FAST))
    return found
  }
  input.hasString = ({ str }, position) => {
    const found = input.charSequence.indexOf(str, position)
    add(1 + Math.floor(((found < 0 ? input.end : found) - position) / FAST))
    return found !== -1 && found <= input.end - str.length
  }
}
