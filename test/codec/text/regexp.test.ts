import { describe, expect, it } from 'vitest'
import { compileRegexp, RegexpError } from '../../../src/codec/text/regexp.ts'

describe('compileRegexp', () => {
  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
    ['(?<=a)b', 'error parsing regexp: invalid named capture: `(?<=a)b`'],
  ])('refuses %j in the words of Go', (pattern, message) => {
    expect(() => compileRegexp(pattern)).toThrow(new RegexpError(message))
  })

  it('finds matches and groups as Go does, in UTF-16 offsets', () => {
    const regexp = compileRegexp('a*(b)?')
    expect(regexp.groupCount).toBe(1)
    expect(regexp.findAll('baab💩ab', -1)).toEqual([
      [0, 1, 0, 1],
      [1, 4, 3, 4],
      [6, 8, 7, 8],
    ])
    expect(regexp.findAll('baab', 1)).toEqual([[0, 1, 0, 1]])
    expect(regexp.find('xb')).toEqual([0, 0, -1, -1])
    expect(compileRegexp('z').find('a')).toBeUndefined()
  })

  it('knows group names and flags', () => {
    expect([...compileRegexp('(?P<x>a)(?<y>b)').groupNames]).toEqual([
      ['x', 1],
      ['y', 2],
    ])
    expect(compileRegexp('ab', { ignoreCase: true }).test('xAB')).toBe(true)
    expect(compileRegexp('a|ab', { longest: true }).find('ab')).toEqual([0, 2])
  })

  it('replaces every match', () => {
    const regexp = compileRegexp('[0-9]+')
    expect(regexp.replaceAll('a1b22c', ([start = 0, end = 0]) => `<${end - start}>`)).toBe('a<1>b<2>c')
  })

  it('takes linear time where backtracking would take for ever', () => {
    const text = 'a'.repeat(50_000)
    expect(compileRegexp('^(a+)+$').test(`${text}!`)).toBe(false)
    expect(compileRegexp('(x+x+)+y').test('x'.repeat(50_000))).toBe(false)
  })

  it('matches token marks and raw bytes as ordinary characters', () => {
    expect(compileRegexp('.').findAll('\uDBFF\uE000\uDC80', -1)).toHaveLength(3)
  })
})
