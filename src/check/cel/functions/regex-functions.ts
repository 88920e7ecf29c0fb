import { compileRegexp, type GoRegexp, RegexpError } from '../../../codec/text/regexp.ts'
import { CelFailure } from '../cel-failure.ts'
import { tooMuchWork, work } from '../cel-work.ts'
import { type CelData, type CelFunction, celMethod } from '../cel-values.ts'

/** `text.find(pattern)` and `text.findAll(pattern)`. */
export const regexFunctions: readonly CelFunction[] = [
  celMethod('find', ['string', 'string'], ([text, pattern]) => found(text, pattern, 1)[0] ?? ''),
  celMethod('findAll', ['string', 'string'], ([text, pattern]) => found(text, pattern, -1)),
  celMethod('findAll', ['string', 'string', 'int'], ([text, pattern, limit]) => found(text, pattern, Number(limit))),
]

function found(text: CelData | undefined, pattern: CelData | undefined, limit: number): readonly string[] {
  if (typeof text !== 'string' || typeof pattern !== 'string') return []
  const matches = compileCel(pattern).findAll(text, limit, work)
  return matches.map(([start, end]) => text.slice(start, end))
}

/** Longer ones may take long to be read. */
const MAX_PATTERN = 10_000
const MAX_KNOWN = 1000
const known = new Map<string, GoRegexp>()

/** Compiles an expression as `matches` and `find` take it; the same one once. */
export function compileCel(pattern: string): GoRegexp {
  if (pattern.length > MAX_PATTERN) tooMuchWork()
  const compiled = known.get(pattern) ?? compile(pattern)
  if (known.size < MAX_KNOWN) known.set(pattern, compiled)
  return compiled
}

function compile(pattern: string): GoRegexp {
  work(pattern.length)
  try {
    return compileRegexp(pattern)
  } catch (error) {
    if (error instanceof RegexpError) throw new CelFailure('the regular expression cannot be read')
    throw error
  }
}
