import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { certificateFunctions } from '../../src/generate/certificates/certificate-call.ts'
import { randomAlphabets } from '../../src/generate/random-text.ts'
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

  const generated = ['genPrivateKey', 'htpasswd', 'bcrypt', 'encryptAES', 'uuidv4', 'randBytes', 'nothing']
  const rows = [...generated, ...randomAlphabets.keys(), ...certificateFunctions.keys()].flatMap((name) =>
    ['cert', 'key', 'hash', 'value', 'public', ''].map((part): readonly [string, string, boolean] => [
      name,
      part,
      part === 'cert' && certificateFunctions.has(name),
    ]),
  )
  test.each(rows)('of %s the part %j: %s', (name, part, want) => {
    expect(isPublic({ name: 'g', part }, new Map([['g', { function: name, arguments: [] }]]))).toBe(want)
  })

  const password = ['password', { function: 'randAlphaNum', arguments: ['16'] }] as const
  const authority = ['ca', { function: 'genCA', arguments: ['${HOST}', '', '', '10'] }] as const
  const marked = ['marked', { function: 'genCA', arguments: ['${password.value}', '', '', '10'] }] as const
  const key = ['key', { function: 'genPrivateKey', arguments: ['rsa'] }] as const
  test.each([
    ['of public text', 'genSelfSignedCert', ['a', '192.0.2.1', '${HOST}', '10'], true],
    ['with a password as its name', 'genSelfSignedCert', ['${password.value}', '', '', '10'], false],
    ['with one beside text', 'genCA', ['a-${password.value}', '', '', '10'], false],
    ['with one among addresses', 'genSelfSignedCert', ['a', '${password.value}', '', '10'], false],
    ['with one among names', 'genSelfSignedCert', ['a', '', 'a,${password.value}', '10'], false],
    ['with one as its days', 'genSelfSignedCert', ['a', '', '', '${password.value}'], false],
    ['with what is derived from one', 'genSelfSignedCert', ['${digest.value}', '', '', '10'], false],
    ['with a key as its name', 'genCAWithKey', ['${ca.key}', '', '', '10', '${key.key}\n'], false],
    ['of a given key', 'genCAWithKey', ['a', '', '', '10', '${key.key}\n'], true],
    ['that another one signs', 'genSignedCert', ['a', '', '', '10', '${ca.cert}\n'], true],
    [
      'of a given key that another one signs',
      'genSignedCertWithKey',
      ['a', '', '', '1', '${ca.cert}', '${key.key}'],
      true,
    ],
    ['whose issuer is named by a password', 'genSignedCert', ['a', '', '', '10', '${marked.cert}\n'], false],
    ['with a certificate in its name that has one', 'genCA', ['${marked.cert}', '', '', '10'], false],
    ['of itself', 'genCA', ['${c.cert}', '', '', '10'], true],
  ])('a certificate %s by %s', (_, name, args, want) => {
    const digest = ['digest', { function: 'sha256sum', arguments: ['${password.value}'] }] as const
    const encoded = ['encoded', { function: 'b64enc', arguments: ['${c.cert}'] }] as const
    const certificate = ['c', { function: name, arguments: args }] as const
    const all = new Map<string, { readonly function: string; readonly arguments: readonly string[] }>([
      password,
      authority,
      marked,
      key,
      digest,
      encoded,
      certificate,
    ])
    expect(isPublic({ name: 'c', part: 'cert' }, all)).toBe(want)
    expect(isPublic({ name: 'encoded', part: 'value' }, all)).toBe(want)
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
