import { describe } from 'vitest'
import { parseChallenges } from '../../src/network/registry/challenge.ts'
import { nextPage } from '../../src/network/registry/next-page.ts'
import { testGrowth } from '../support/growth.ts'

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
]

describe('a WWW-Authenticate header of twice the size takes twice the steps:', () => {
  testGrowth(
    challenges.map((unit) => ({ what: JSON.stringify(unit), make: (count: number) => unit.repeat(count) })),
    parseChallenges,
  )
})
