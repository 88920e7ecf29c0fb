/** Texts that JavaScript may look at: of characters that both class alike. */
const PLAIN_TEXT = /^[ -~]*$/
/** The longest of them: short, so that going back costs little; longer where only one part is repeated. */
const [LONGEST, LONGEST_OF_ONE] = [64, 1024]
/** Repetitions in one expression; each multiplies the ways to match by the length of the text, as a free start does. */
const MOST_LOOPS = 3
/** Alternatives and optional parts; each doubles them. */
const MOST_CHOICES = 3
/** The longest expression, and the deepest: engines have bounds of their own for more. */
const [LONGEST_PATTERN, DEEPEST] = [500, 20]

const LITERAL = String.raw`[A-Za-z0-9_ /:@,;=#%&~<>'"!-]|\\[.[\](){}|^$*+?/\\-]|\\[dwsDWS]|\.`
const RANGES = String.raw`(?:[A-Za-z0-9_](?:-[A-Za-z0-9_])?|[ .+/:@#?%=,;!~&*(){}|$'"<>]|\\[.[\](){}|^$*+?/\\-]|\\[dws](?!-))+`
/** A piece of an expression: a part that takes text, or a bracket, and how often it is there. */
const PART = new RegExp(
  String.raw`(?:(${LITERAL}|\[\^?-?${RANGES}-?\])|(\((?:\?:)?)|(\))|[|^$])([*+?]|\{\d{1,3}(?:,\d{0,3})?\})?`,
  'y',
)

/** A character that is there once. */
const CHARACTER = /^(?:([A-Za-z0-9_ /:@,;=#%&~<>'"!-])|\\([.[\](){}|^$*+?/\\-]))(?![*+?{])/

/**
 * Compiles an expression that Go's regexp and JavaScript's read alike: its parts are few and simple, and what is
 * repeated can match in one way only, so that going back ends soon. The result says whether it matches anywhere in a
 * text; undefined for texts that it leaves to the full engine. Undefined for all other expressions.
 */
export function compilePlainRegexp(pattern: string): ((text: string) => boolean | undefined) | undefined {
  const loops = countLoops(pattern)
  if (loops === undefined) return undefined
  const longest = loops > 1 ? LONGEST : LONGEST_OF_ONE
  let compiled: RegExp
  try {
    compiled = new RegExp(pattern)
  } catch {
    return undefined
  }
  return (text) => (text.length <= longest && PLAIN_TEXT.test(text) ? compiled.test(text) : undefined)
}

/** The number of repetitions, with that of a free start; undefined for an expression that is not plain. */
function countLoops(pattern: string): number | undefined {
  /** For each open group: whether it can match a text in several ways. */
  const groups = [false]
  if (pattern.length > LONGEST_PATTERN) return undefined
  let loops = pattern.startsWith('^') ? 0 : 1
  let ended = 0
  let choices = 0
  PART.lastIndex = 0
  while (PART.lastIndex < pattern.length) {
    const match = PART.exec(pattern)
    if (match === null) return undefined
    const [part, atom, open, close, count = ''] = match
    if (atom === undefined && close === undefined && count !== '') return undefined
    if (open !== undefined) groups.push(false)
    const isAmbiguous = close !== undefined && groups.pop() === true
    if (groups.length === 0 || groups.length > DEEPEST) return undefined
    const isLoop = count !== '' && count !== '?'
    if (isLoop && (isAmbiguous || !isSound(count))) return undefined
    // an alternative of the whole may start anywhere
    if (isLoop && atom !== undefined && endsThere(atom, pattern.slice(PART.lastIndex))) ended++
    else if (isLoop || (part === '|' && groups.length === 1)) loops++
    if (count === '?' || part === '|') choices++
    if (isAmbiguous || count !== '' || part === '|') groups[groups.length - 1] = true
  }
  return groups.length === 1 && loops <= MOST_LOOPS && choices <= MOST_CHOICES ? loops + ended : undefined
}

/**
 * True if what follows is one character that the repeated part does not match: the repetition ends there and nowhere
 * else, so that it multiplies nothing.
 */
function endsThere(atom: string, rest: string): boolean {
  const [, plain, escaped] = CHARACTER.exec(rest) ?? []
  const next = plain ?? escaped
  return next !== undefined && !new RegExp(`^${atom}$`).test(next)
}

/** Both engines refuse bounds in the wrong order, in words of their own. */
function isSound(count: string): boolean {
  const [, least = '0', most = ''] = /^\{(\d+),(\d*)\}$/.exec(count) ?? []
  return most === '' || Number(least) <= Number(most)
}
