import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { encodeValue, isPublic, isPublicPart } from '../../src/generate/published-value.ts'

describe('what everybody may read', () => {
  test.each([
    ['cert', true],
    ['key', false],
    ['hash', false],
    ['value', false],
  ])('a part %s: %s', (part, want) => {
    expect(isPublicPart(part)).toBe(want)
  })

  const generators = new Map([
    ['ca', { function: 'genCA', arguments: ['ca', '', '', '10'] }],
    ['password', { function: 'randAlphaNum', arguments: ['16'] }],
    ['bundle', { function: 'b64enc', arguments: ['${ca.cert}\n${HOST}'] }],
    ['upper', { function: 'upper', arguments: ['${bundle.value}'] }],
    ['both', { function: 'text', arguments: ['${upper.value}${bundle.value}'] }],
    ['encodedKey', { function: 'b64enc', arguments: ['${ca.key}'] }],
    ['digest', { function: 'sha256sum', arguments: ['${password.value}'] }],
    ['deep', { function: 'text', arguments: ['${both.value}${digest.value}'] }],
    ['lost', { function: 'text', arguments: ['${nobody.cert}'] }],
    ['fixed', { function: 'text', arguments: ['$${ca.key}'] }],
  ])
  test.each([
    ['ca', 'cert', true],
    ['ca', 'key', false],
    ['password', 'value', false],
    ['bundle', 'value', true],
    ['upper', 'value', true],
    ['both', 'value', true],
    ['encodedKey', 'value', false],
    ['digest', 'value', false],
    ['deep', 'value', false],
    ['lost', 'value', false],
    ['fixed', 'value', true],
    ['nobody', 'cert', false],
  ])('%s.%s: %s', (name, part, want) => {
    expect(isPublic({ name, part }, generators)).toBe(want)
  })
})

describe('values as they are published', () => {
  test('as text, and base64', () => {
    expect(encodeValue('é\n', undefined)).toBe('é\n')
    expect(encodeValue('é\n', 'base64')).toBe('w6kK')
  })

  test.each(['a\nb\r\n', '"\\\t$', '\u0085\u2028\u2029\ufeff\u007f\u0001', 'a\u0090\ufffe\uffffb', 'é😀'])(
    'escaped text %j has no line break, and reads the same between double quotes in YAML',
    (text) => {
      const escaped = encodeValue(text, 'escaped')
      expect(escaped).not.toMatch(/[\n\r\u0085\u2028\u2029\ufffe\uffff]/)
      expect(parse(`"${escaped}"`)).toBe(text)
    },
  )
})
