/** Texts that JavaScript may look at: short, so that going back costs little, of characters that both class alike. */
const PLAIN_TEXT = /^[ -~]{0,64}$/
/** Repetitions in one expression; each multiplies the ways to match by the length of the text, as a free start does. */
const MOST_LOOPS = 3
/** Alternatives and optional parts; each doubles them. */
const MOST_CHOICES = 3

const LITERAL = String.raw`[A-Za-z0-9_ /:@,;=#%&~<>'"!-]|\\[.[\](){}|^$*+?/\\-]|\\[dwsDWS]|\.`
const RANGES = String.raw`(?:[A-Za-z0-9_](?:-[A-Za-z0-9_])?|[ .+/:@#?%=,;!~&*(){}|$'"<>]|\\[.[\](){}|^$*+?/\\-]|\\[dws](?!-))+`
/** A piece of an expression: a part that takes text, or a bracket, and how often it is there. */
const PART = new RegExp(
  String.raw`(?:(${LITERAL}|\[\^?-?${RANGES}-?\])|(\((?:\?:)?)|(\))|[|^$])([*+?]|\{\d{1,3}(?:,\d{0,3})?\})?`,
  'y',
)

/**
 * Compiles an expression that Go's regexp and JavaScript's read alike: its parts are few and simple, and what is
 * repeated can match in one way only, so that going back ends soon. The result says whether it matches anywhere in a
 * text; undefined for texts that it leaves to the full engine. Undefined for all other expressions.
 */
export function compilePlainRegexp(pattern: string): ((text: string) => boolean | undefined) | undefined {
  if (!isPlain(pattern)) return undefined
  let compiled: RegExp
  try {
    compiled = new RegExp(pattern)
  } catch {
    return undefined
  }
  return (text) => (PLAIN_TEXT.test(text) ? compiled.test(text) : undefined)
}

function isPlain(pattern: string): boolean {
  /** For each open group: whether it can match a text in several ways. */
  const groups = [false]
  let loops = pattern.startsWith('^') ? 0 : 1
  let choices = 0
  PART.lastIndex = 0
  while (PART.lastIndex < pattern.length) {
    const match = PART.exec(pattern)
    if (match === null) return false
    const [part, atom, open, close, count = ''] = match
    if (atom === undefined && close === undefined && count !== '') return false
    if (open !== undefined) groups.push(false)
    const isAmbiguous = close !== undefined && groups.pop() === true
    if (groups.length === 0) return false
    const isLoop = count !== '' && count !== '?'
    if (isLoop && (isAmbiguous || !isSound(count))) return false
    // an alternative of the whole may start anywhere
    if (isLoop || (part === '|' && groups.length === 1)) loops++
    if (count === '?' || part === '|') choices++
    if (isAmbiguous || count !== '' || part === '|') groups[groups.length - 1] = true
  }
  return groups.length === 1 && loops <= MOST_LOOPS && choices <= MOST_CHOICES
}

/** Both engines refuse bounds in the wrong order, in words of their own. */
function isSound(count: string): boolean {
  const [, least = '0', most = ''] = /^\{(\d+),(\d*)\}$/.exec(count) ?? []
  return most === '' || Number(least) <= Number(most)
}
