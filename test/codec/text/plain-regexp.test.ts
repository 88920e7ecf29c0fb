import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RE2JS } from 're2js'
import { compilePlainRegexp } from '../../../src/codec/text/plain-regexp.ts'

it.each([
  '(a*)*',
  '(a|a)*b',
  '(a?a?)*b',
  '(ab?){2}',
  'a*b*c*',
  '^a*b*c*d*',
  '^[a-z]+x[a-z]+x[a-z]+x[a-z]+x',
  '^a*b?a*b?a*b*',
  '^(a+)-(a+)-(a+)-(a+)-',
  '^a*b*|c*',
  'a?b?c?d?',
  'a**',
  'a*?',
  '[[:alpha:]]',
  '[a-\\d]',
  '[z-a]',
  '[+-0]',
  '[^]',
  '(?i)a',
  '(?P<x>a)',
  '(?=a)',
  'a{3,2}',
  '(?',
  '(',
  'a)',
  '*',
  '^*',
  '|*',
  'a'.repeat(501),
  `${'('.repeat(20)}a${')'.repeat(20)}`,
  '\\b',
  '\\pL',
  '\\x41',
  '\\1',
  'ä',
  '.\n',
])('leaves %j to the full engine', (pattern) => {
  expect(compilePlainRegexp(pattern)).toBeUndefined()
})

it.each([
  ['^([a-z0-9][-a-z0-9]*)?[a-z0-9]$', 'my-cluster', true],
  ['^([a-z0-9][-a-z0-9]*)?[a-z0-9]$', 'my-cluster-', false],
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['', '', true],
  ['^a$', 'a\n', undefined],
  ['^.$', 'ä', undefined],
  ['\\s', '\u00a0', undefined],
  ['a', 'a'.repeat(1024), true],
  ['a', 'a'.repeat(1025), undefined],
  ['a+', 'a'.repeat(64), true],
  ['a+', 'a'.repeat(65), undefined],
  ['^sha256:[0-9a-f]{64}$', `sha256:${'0'.repeat(64)}`, true],
  ['^sha256:[0-9a-f]{64}$', `sha256:${'0'.repeat(65)}`, false],
  // each ends where a character stands that it does not match
  ['^[a-z]+-[a-z]+-[0-9]+\\.[0-9]+-v[0-9]+$', 'docker-scs-1.32-v1', true],
  ['^[a-z]+-[a-z]+-[0-9]+\\.[0-9]+-v[0-9]+$', 'docker-scs-1.32-v', false],
  ['^[a-z]+-[a-z]+-[0-9]+\\.[0-9]+-v[0-9]+$', `docker-scs-1.32-v${'1'.repeat(60)}`, undefined],
])('%j on %j: %s', (pattern, text, found) => {
  expect(compilePlainRegexp(pattern)?.(text)).toBe(found)
})

const parts = [
  'a',
  'b',
  '-',
  '.',
  '\\.',
  '\\-',
  '\\s',
  '\\w',
  '[ab]',
  '[^a]',
  '[a-c-]',
  '[-b]',
  '[^\\s.]',
  '[$^.|]',
  '\\D',
]
const counts = ['', '', '', '?', '*', '+', '{2}', '{1,}', '{0,2}']
const expression = fc.letrec<{ readonly all: string; readonly piece: string }>((tie) => ({
  all: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...parts), fc.constantFrom(...counts)).map(([a, b]) => a + b) },
    fc.constantFrom('|', '^', '$'),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('all'), fc.constantFrom(...counts))
      .map(([open, inner, count]) => `${open}${inner})${count}`),
  ),
})).all
const words = fc.array(fc.constantFrom('a', 'b', 'c', '-', '.', ' ', '$', '^', '|', '0'), { maxLength: 12 })

it('says what the full engine says', () => {
  let plain = 0
  fc.assert(
    fc.property(expression, fc.array(words, { minLength: 1, maxLength: 6 }), (pattern, texts) => {
      const test = compilePlainRegexp(pattern)
      if (test === undefined) return
      plain++
      const full = RE2JS.compile(pattern)
      for (const text of texts.map((letters) => letters.join('')))
        expect([pattern, text, test(text)]).toEqual([pattern, text, full.matcher(text).find()])
    }),
    { numRuns: 3000, seed: 7 },
  )
  expect(plain).toBeGreaterThan(1000)
})

it('takes most patterns of our own schemas', () => {
  const folder = join(import.meta.dirname, '../../../schemas')
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)])
    .map(([, text = '""']): unknown => JSON.parse(text))
  const patterns = [...new Set(found.map(String))]
  const taken = patterns.filter((pattern) => compilePlainRegexp(pattern) !== undefined)
  expect(taken.length / patterns.length).toBeGreaterThan(0.6)
})

it('ends where there is no match and many ways to look for one', () => {
  const test = compilePlainRegexp('^(a|a)(a|a)(a|a)a*a*a*b')
  expect(test?.('a'.repeat(64))).toBe(false)
  const ended = compilePlainRegexp(`^${'[a-z]+-'.repeat(30)}!$`)
  expect(ended?.('aa-'.repeat(21))).toBe(false)
})
