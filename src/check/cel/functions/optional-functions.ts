import { CelFailure } from '../cel-failure.ts'
import { type CelData, type CelFunction, celFunction, celMethod, Foreign, isList, Optional } from '../cel-values.ts'

const none = new Optional([])

/** `optional.of(x)`, `x.orValue(y)` and the like (cel-go, `OptionalTypes`). */
export const optionalFunctions: readonly CelFunction[] = [
  celFunction('optional.none', [], () => none),
  celFunction('optional.of', ['any'], ([value = null]) => new Optional([value])),
  celFunction('optional.ofNonZeroValue', ['any'], ([value = null]) => (isZero(value) ? none : new Optional([value]))),
  celMethod('hasValue', ['optional'], ([held]) => keyOf(held).length > 0),
  celMethod('value', ['optional'], ([held]) => {
    const [value] = keyOf(held)
    if (value === undefined) throw new CelFailure('optional.none() dereference')
    return value
  }),
  celMethod('or', ['optional', 'optional'], ([held, other]) =>
    held instanceof Optional && held.key.length > 0 ? held : (other ?? none),
  ),
  celMethod('orValue', ['optional', 'any'], ([held, other = null]) => keyOf(held)[0] ?? other),
]

function keyOf(held: CelData | undefined): readonly CelData[] {
  return held instanceof Optional ? held.key : []
}

function isZero(value: CelData): boolean {
  if (value instanceof Uint8Array || isList(value)) return value.length === 0
  if (value instanceof Foreign) return value.size === 0
  return value === null || value === false || value === '' || value === 0 || value === 0n
}
