import { expect, test } from 'vitest'
import { isGoDuration } from '../../../src/codec/text/go-duration.ts'

// as time.ParseDuration of Go reads them
test.each([
  ['10s', true],
  ['1h30m', true],
  ['0', true],
  ['-1.5h', true],
  ['.5s', true],
  ['1.s', true],
  ['1\u00b5s', true],
  ['10', false],
  ['', false],
  ['1d', false],
  ['1h 30m', false],
  ['.s', false],
  ['h', false],
])('%s: %s', (text, want) => {
  expect(isGoDuration(text)).toBe(want)
})
