import { expect, test } from 'vitest'
import { isGoDuration, wholeSecondsOf } from '../../../src/codec/text/go-duration.ts'

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

test.each([
  ['30s', 30],
  ['0.5m', 30],
  ['1h1m1s', 3661],
  ['29999ms', 29],
  ['900000000ns', 0],
  ['5000000000ns', 5],
  ['5000000\u00b5s', 5],
  ['-5s', -5],
  ['0', 0],
  ['5', undefined],
  ['', undefined],
])('%s has %s whole seconds', (text, seconds) => {
  expect(wholeSecondsOf(text)).toBe(seconds)
})
