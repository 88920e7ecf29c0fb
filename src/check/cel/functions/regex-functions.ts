import { compileRegexp, type GoRegexp, RegexpError } from '../../../codec/text/regexp.ts'
import { type CelData, CelFailure, type CelFunction, celMethod } from '../cel-values.ts'

/** `text.find(pattern)` and `text.findAll(pattern)`. */
export const regexFunctions: readonly CelFunction[] = [
  celMethod('find', ['string', 'string'], ([text, pattern]) => found(text, pattern, 1)[0] ?? ''),
  celMethod('findAll', ['string', 'string'], ([text, pattern]) => found(text, pattern, -1)),
  celMethod('findAll', ['string', 'string', 'int'], ([text, pattern, limit]) => found(text, pattern, Number(limit))),
]

/** Characters that one search may look at. */
const MAX_LOOKS = 10_000_000

function found(text: CelData | undefined, pattern: CelData | undefined, limit: number): readonly string[] {
  if (typeof text !== 'string' || typeof pattern !== 'string') return []
  let looks = 0
  const matches = compile(pattern).findAll(text, limit, (amount) => {
    looks += amount
    if (looks > MAX_LOOKS) throw new CelFailure('it takes too much work')
  })
  return matches.map(([start, end]) => text.slice(start, end))
}

function compile(pattern: string): GoRegexp {
  try {
    return compileRegexp(pattern)
  } catch (error) {
    if (error instanceof RegexpError) throw new CelFailure('the regular expression cannot be read')
    throw error
  }
}
