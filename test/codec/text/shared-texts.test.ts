import { expect, test } from 'vitest'
import { SharedTexts } from '../../../src/codec/text/shared-texts.ts'

test('gives what it is asked for, whatever came before', () => {
  const shared = new SharedTexts()
  const asked = ['', 'a', '__proto__', 'a', 'constructor', '', 'aa']
  expect(asked.map((text) => shared.of(text))).toEqual(asked)
})
