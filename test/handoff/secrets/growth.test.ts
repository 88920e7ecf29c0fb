import { describe } from 'vitest'
import { privateTexts } from '../../../src/handoff/secrets/private-texts.ts'
import { dict } from '../../../src/model/value.ts'
import { testGrowth, testPatterns } from '../../support/growth.ts'

const units = [
  ' ',
  'a ',
  'LS0tLS1CRUdJTi',
  '\\n',
  '\n',
  '-',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  'a: b\n',
  `{"kty":"EC","d":"${'a'.repeat(40)}"`,
  'K100a',
  'glpat-',
  '{',
]

const inputs = units.flatMap((unit) => [
  { what: JSON.stringify(unit), make: (count: number) => `${unit.repeat(count)}!` },
  {
    what: `a key that begins, then ${JSON.stringify(unit)}`,
    make: (count: number) => `-----BEGIN PRIVATE KEY-----${unit.repeat(count)}!`,
  },
])
const read = (text: string): unknown => privateTexts(dict([['data', dict([['a', text]])]]))

describe('private texts in a value of twice the size are found in twice the steps:', () => {
  testGrowth(inputs, read)
  describe('and those in a long one soon', () => {
    testPatterns(inputs, read)
  })
})
