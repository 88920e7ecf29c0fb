import { expect, test } from 'vitest'
import { countWork } from './count-work.ts'

/** An input that is made as large as one wants. */
export interface GrowingInput {
  readonly what: string
  readonly make: (count: number) => string
}

/** Reads an input; it may refuse it with an error of its own. */
export type ReadInput = (text: string) => unknown

/** The smaller of the two inputs has so many of what it repeats. */
const COUNT = 2000
/** What a run takes whatever it is given. */
const START = 5000

/** Tests that an input of twice the size takes at most about twice the steps, and never the whole stack. */
export function testGrowth(inputs: readonly GrowingInput[], read: ReadInput, count: number = COUNT): void {
  test.each(inputs)('$what', ({ make }) => {
    const work = (text: string): number =>
      countWork(() => {
        try {
          read(text)
        } catch (error) {
          if (error instanceof RangeError || error instanceof TypeError) throw error
        }
      })
    const [small, large] = [make(count), make(2 * count)]
    work(small)
    expect(work(large)).toBeLessThan(2.3 * work(small) + START)
  })
}
