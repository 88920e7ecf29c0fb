import { expect, test } from 'vitest'
import { billionthsOf } from '../../src/model/quantity.ts'
import { goInt } from '../../src/model/value.ts'

const ONE = 1_000_000_000n

test.each([
  ['1', ONE],
  ['500m', ONE / 2n],
  ['1.5', (ONE * 3n) / 2n],
  ['.5', ONE / 2n],
  ['1Ki', ONE * 1024n],
  ['1.5Gi', (ONE * 3n * 1024n ** 3n) / 2n],
  ['1G', ONE * 1_000_000_000n],
  ['1e3', ONE * 1000n],
  ['1E', ONE * 10n ** 18n],
  ['-1', -ONE],
  ['100n', 100n],
  ['', undefined],
  ['.', undefined],
  ['1Gb', undefined],
  ['1e999999999', undefined],
  ['9'.repeat(100), undefined],
])('%s', (text, wanted) => {
  expect(billionthsOf(text)).toBe(wanted)
})

test('numbers are quantities, and nothing else is', () => {
  expect(billionthsOf(goInt(2))).toBe(2n * ONE)
  expect(billionthsOf(0.5)).toBe(ONE / 2n)
  expect(billionthsOf(true)).toBeUndefined()
  expect(billionthsOf(undefined)).toBeUndefined()
})
