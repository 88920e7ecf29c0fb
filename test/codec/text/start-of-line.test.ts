import { expect, test } from 'vitest'
import { startOfLine } from '../../../src/codec/text/start-of-line.ts'

test.each([
  ['', [0]],
  ['\n', [0, 1]],
  ['\na', [0, 1, 1]],
  ['ab\n\nc', [0, 0, 0, 3, 4, 4]],
])('of %j is found for each offset', (text, starts) => {
  expect(starts.map((_, offset) => startOfLine(text, offset))).toEqual(starts)
})
