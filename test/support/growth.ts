import { expect, test } from 'vitest'
import { nodeDeadline } from '../../src/system/node-deadline.ts'
import { countWork } from './count-work.ts'

/** An input that is made as large as one wants. */
export interface GrowingInput<Input = string> {
  readonly what: string
  readonly make: (count: number) => Input
}

/** Reads an input; it may refuse it with an error of its own. */
export type ReadInput<Input = string> = (input: Input) => unknown

/** The smaller of the two inputs has so many of what it repeats. */
const COUNT = 2000
/** What a run takes whatever it is given. */
const START = 5000
/**
 * In so many characters, a pattern that looks at the rest of the text from each place takes minutes, and one that does
 * not milliseconds.
 */
const MANY = 2_000_000
const MILLISECONDS = 20_000

/** Tests that an input of twice the size takes at most about twice the steps, and never the whole stack. */
export function testGrowth<Input = string>(
  inputs: readonly GrowingInput<Input>[],
  read: ReadInput<Input>,
  count: number = COUNT,
): void {
  test.each(inputs)('$what', ({ make }) => {
    const work = (input: Input): number =>
      countWork(() => {
        readOrRefuse(input, read)
      })
    // another one: what is known of an object is not looked up again
    work(make(count))
    const [small, large] = [make(count), make(2 * count)]
    expect(work(large)).toBeLessThan(2.3 * work(small) + START)
  })
}

/**
 * Tests that texts of a large size are read at all: what a pattern looks at beyond one pass over the text is in no
 * count.
 */
export function testPatterns(inputs: readonly GrowingInput[], read: ReadInput): void {
  test.each(inputs)('$what', ({ make }) => {
    const text = make(Math.ceil(MANY / (make(2).length - make(1).length)))
    const soon = (): void => {
      nodeDeadline.within(MILLISECONDS, () => {
        readOrRefuse(text, read)
      })
    }
    expect(soon).not.toThrow()
  })
}

function readOrRefuse<Input>(input: Input, read: ReadInput<Input>): void {
  try {
    read(input)
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw error
  }
}
