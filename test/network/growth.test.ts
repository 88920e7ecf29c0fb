import { describe } from 'vitest'
import { parseChallenges } from '../../src/network/registry/challenge.ts'
import { nextPage } from '../../src/network/registry/next-page.ts'
import { testGrowth, testPatterns } from '../support/growth.ts'

const units = [
  '<',
  '<a',
  '<a>',
  '<a>;',
  '<a>; rel="',
  '<a>; rel="next',
  '; rel="a next',
  ';',
  '; rel=',
  '"',
  ',',
  ' ',
  '<a>, ',
  '<a>; a="b", ',
  '\\"',
]

describe('a Link header of twice the size takes twice the steps:', () => {
  testGrowth(
    units.flatMap((unit) => [
      { what: JSON.stringify(unit), make: (count: number) => unit.repeat(count) },
      { what: `a link, then ${JSON.stringify(unit)}`, make: (count: number) => `<a>; x="${unit.repeat(count)}` },
    ]),
    (text) => nextPage(text, 'https://host.example/x'),
  )
})

const challenges = [
  ...[
    'Basic ',
    'Basic, ',
    'Bearer realm="a", ',
    'a=b, ',
    'a=',
    'a="',
    'a="\\',
    '"',
    ',',
    ' ',
    '=',
    'a',
    'Basic aGk= ',
    'Basic aGk=" ',
  ].map((unit) => ({ what: JSON.stringify(unit), make: (count: number) => unit.repeat(count) })),
  { what: 'words after a scheme', make: (count: number) => `Bearer ${'a '.repeat(count)}` },
  { what: 'equals signs after a scheme', make: (count: number) => `Bearer ${'='.repeat(count)}` },
  { what: 'escapes in a text', make: (count: number) => `Bearer realm="${'\\a'.repeat(count)}` },
]

describe('a WWW-Authenticate header of twice the size takes twice the steps:', () => {
  testGrowth(challenges, parseChallenges)
  describe('and a long one is read soon', () => {
    testPatterns(challenges, parseChallenges)
  })
})
