import { describe } from 'vitest'
import { parseTemplate } from '../../src/generate/value-template.ts'
import { testGrowth, testPatterns } from '../support/growth.ts'

const inputs = ['$$', '$${a', '${a}', '${a.value}', '${', '$', 'a', '}', '${a', '.'].map((unit) => ({
  what: JSON.stringify(unit),
  make: (count: number) => unit.repeat(count),
}))

describe('a text with references of twice the size is read in twice the steps:', () => {
  testGrowth(inputs, parseTemplate)
  describe('and a long one soon', () => {
    testPatterns(inputs, parseTemplate)
  })
})
