/** Functions that {@link macros} are made of, and no author calls. */
export const helperNames = {
  entries: 'entries__',
  fromPairs: 'fromPairs__',
  push: 'push__',
  work: 'work__',
  optionalPair: 'optionalPair__',
} as const

/**
 * A macro of Kubernetes that the library lacks, by the same in plain CEL. In `means` the names of `takes` stand for its
 * arguments: those in `variables` are names, `self__` is what it is called on.
 */
export interface CelMacro {
  readonly name: string
  readonly takes: readonly string[]
  readonly variables: readonly string[]
  readonly means: string
}

const { entries, fromPairs } = helperNames

/** A value with a name, where both are known. */
const bound = (variable: string, value: string, body: string): string => `[${value}].map(${variable}, ${body})[0]`
const ofPair = (body: string): string => bound('i__', 'pair__[0]', bound('v__', 'pair__[1]', body))

const withPairs = (name: string, takes: readonly string[], means: string): CelMacro => ({
  name,
  takes: ['i__', 'v__', ...takes],
  variables: ['i__', 'v__'],
  means,
})

/** See {@link CelMacro}. */
export const macros: readonly CelMacro[] = [
  {
    name: 'optMap',
    takes: ['x__', 'a__'],
    variables: ['x__'],
    means: `[self__].map(o__, o__.hasValue() ? optional.of(${bound('x__', 'o__.value()', 'a__')}) : optional.none())[0]`,
  },
  {
    name: 'optFlatMap',
    takes: ['x__', 'a__'],
    variables: ['x__'],
    means: `[self__].map(o__, o__.hasValue() ? ${bound('x__', 'o__.value()', 'a__')} : optional.none())[0]`,
  },
  withPairs('all', ['a__'], `${entries}(self__).all(pair__, ${ofPair('a__')})`),
  withPairs('exists', ['a__'], `${entries}(self__).exists(pair__, ${ofPair('a__')})`),
  withPairs('existsOne', ['a__'], `${entries}(self__).exists_one(pair__, ${ofPair('a__')})`),
  withPairs('exists_one', ['a__'], `${entries}(self__).exists_one(pair__, ${ofPair('a__')})`),
  withPairs('transformList', ['a__'], `${entries}(self__).map(pair__, ${ofPair('a__')})`),
  withPairs(
    'transformList',
    ['f__', 'a__'],
    `${entries}(self__).filter(pair__, ${ofPair('f__')}).map(pair__, ${ofPair('a__')})`,
  ),
  withPairs('transformMap', ['a__'], `${fromPairs}(${entries}(self__).map(pair__, [pair__[0], ${ofPair('a__')}]))`),
  withPairs(
    'transformMap',
    ['f__', 'a__'],
    `${fromPairs}(${entries}(self__).filter(pair__, ${ofPair('f__')}).map(pair__, [pair__[0], ${ofPair('a__')}]))`,
  ),
]
