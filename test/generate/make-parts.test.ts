import { compareSync } from 'bcryptjs'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decryptText } from '../../src/generate/encrypted-text.ts'
import { GenerateError } from '../../src/generate/generate-error.ts'
import { makeParts, type MakePorts, type Parts } from '../../src/generate/make-parts.ts'
import type { KeyPair } from '../../src/generate/certificates/x509.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

/** Real keys and random; a clock that stands still, in the middle of a second. */
const ports: MakePorts = { ...createNodePorts(), clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) } }

function make(name: string, args: readonly string[], signer?: KeyPair): Promise<Parts> {
  return makeParts({ function: name, arguments: args, signer }, ports)
}

function pairOf(parts: Parts): KeyPair {
  return { cert: `${parts.get('cert') ?? ''}\n`, key: `${parts.get('key') ?? ''}\n` }
}

describe('random values', () => {
  test.each([
    ['randAlphaNum', ['24'], /^[0-9A-Za-z]{24}$/],
    ['randAlpha', ['24'], /^[A-Za-z]{24}$/],
    ['randNumeric', ['24'], /^[0-9]{24}$/],
    ['randAscii', ['24'], /^[ -~]{24}$/],
    ['randBytes', ['16'], /^[0-9A-Za-z+/]{22}==$/],
    ['uuidv4', [], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ] satisfies [string, string[], RegExp][])('%s %j', async (name, args, pattern) => {
    const [first, second] = [await make(name, args), await make(name, args)]
    expect([...first.keys()]).toEqual(['value'])
    expect(first.get('value')).toMatch(pattern)
    expect(second.get('value')).not.toBe(first.get('value'))
  })

  test.each([
    ['bcrypt', ['secret']],
    ['htpasswd', ['admin', 'secret']],
  ])('%s salts anew, and the password matches', async (name, args) => {
    const hashes = [await make(name, args), await make(name, args)].map((parts) => parts.get('hash') ?? '')
    for (const hash of hashes) {
      expect(hash).toMatch(/^\$2a\$10\$[./0-9A-Za-z]{53}$/)
      expect(compareSync('secret', hash)).toBe(true)
    }
    expect(hashes[0]).not.toBe(hashes[1])
  })

  test('encryptAES takes a new vector, and decryptAES reads it', async () => {
    const made = [await make('encryptAES', ['key', 'plain']), await make('encryptAES', ['key', 'plain'])]
    const texts = made.map((parts) => parts.get('value') ?? '')
    expect(texts.map((text) => decryptText('key', text, ports.crypto))).toEqual(['plain', 'plain'])
    expect(texts[0]).not.toBe(texts[1])
  })

  test('derived values follow from their arguments', async () => {
    expect(await make('b64enc', ['foob'])).toEqual(new Map([['value', 'Zm9vYg==']]))
  })
})

describe('keys', () => {
  test.each([
    ['ecdsa', 'EC PRIVATE KEY', 'ec'],
    ['ed25519', 'PRIVATE KEY', 'ed25519'],
  ])('genPrivateKey %s', async (type, block, kind) => {
    const key = (await make('genPrivateKey', [type])).get('key') ?? ''
    expect(key.split('\n')[0]).toBe(`-----BEGIN ${block}-----`)
    expect(key.endsWith('-----')).toBe(true)
    expect(createPrivateKey(key).asymmetricKeyType).toBe(kind)
  })
})

describe('certificates', () => {
  test('an authority signs itself and others, from now on', async () => {
    const authority = await make('genCA', ['example-ca', '', '', '365'])
    expect([...authority.keys()]).toEqual(['cert', 'key'])
    const ca = new X509Certificate(authority.get('cert') ?? '')
    expect([ca.subject, ca.issuer, ca.ca]).toEqual(['CN=example-ca', 'CN=example-ca', true])
    expect([ca.validFrom, ca.validTo]).toEqual(['Jan  2 03:04:05 2026 GMT', 'Jan  2 03:04:05 2027 GMT'])
    expect(ca.verify(ca.publicKey)).toBe(true)
    expect(createPrivateKey(authority.get('key') ?? '').asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 })

    const args = ['leaf', '10.0.0.1,::1', 'a.example,*.b.example', '10']
    const signed = await make('genSignedCert', [...args, pairOf(authority).cert], pairOf(authority))
    const leaf = new X509Certificate(signed.get('cert') ?? '')
    expect(leaf.checkIssued(ca)).toBe(true)
    expect(leaf.verify(ca.publicKey)).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(leaf.subjectAltName).toBe('DNS:a.example, DNS:*.b.example, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1')
    expect(leaf.checkPrivateKey(createPrivateKey(signed.get('key') ?? ''))).toBe(true)
    expect(leaf.serialNumber).not.toBe(ca.serialNumber)
  })

  test('a given key is used, and is not a part of what was made', async () => {
    const key = `${(await make('genPrivateKey', ['ecdsa'])).get('key') ?? ''}\n`
    const [first, second] = [
      await make('genCAWithKey', ['ca', '', '', '1', key]),
      await make('genCAWithKey', ['ca', '', '', '1', key]),
    ]
    expect([...first.keys()]).toEqual(['cert'])
    const certificate = new X509Certificate(first.get('cert') ?? '')
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(first.get('cert')).not.toBe(second.get('cert'))
  })
})

describe('what cannot be made is told without repeating an argument', () => {
  const secret = 'hunter2'
  test.each([
    ['randAlpha', [secret], 'argument 1 of randAlpha is not a number from 1 to 1000000'],
    ['randAlpha', ['0'], 'argument 1 of randAlpha is not a number from 1 to 1000000'],
    ['randBytes', ['1000001'], 'argument 1 of randBytes is not a number from 1 to 1000000'],
    ['randAlpha', [], 'randAlpha takes one argument'],
    ['uuidv4', [secret], 'uuidv4 takes 0 arguments'],
    ['htpasswd', [secret], 'htpasswd takes 2 arguments'],
    ['bcrypt', [secret.repeat(11)], 'bcrypt: password length exceeds 72 bytes'],
    ['genPrivateKey', [secret], 'genPrivateKey makes keys of type rsa, dsa, ecdsa, ed25519'],
    ['genCA', [secret], 'genCA takes 4 arguments'],
    ['genCA', ['a', '', '', secret], 'argument 4 of genCA is not a number of days'],
    [
      'genCA',
      ['a', '', '', '4000000'],
      'error creating certificate: asn1: structure error: cannot represent time as GeneralizedTime',
    ],
    ['genSelfSignedCert', ['a', secret, '', '1'], 'argument 2 of genSelfSignedCert is not a list of IP addresses'],
    ['genSelfSignedCert', ['a', '', `${secret}é`, '1'], 'argument 3 of genSelfSignedCert is not a list of DNS names'],
    ['genSignedCert', ['a', '', '', '1', secret], 'genSignedCert needs who signs'],
    [
      'genCAWithKey',
      ['a', '', '', '1', `-----BEGIN ${secret}-----\n`],
      'the last argument of genCAWithKey is not a private key in PEM',
    ],
    ['env', [secret], 'env makes nothing'],
    ['derivePassword', [secret], 'derivePassword makes nothing'],
  ] satisfies [string, string[], string][])('%s %j', async (name, args, want) => {
    await expect(make(name, args)).rejects.toThrow(new GenerateError(want))
  })

  test('an authority whose certificate or key is none', async () => {
    const authority = pairOf(await make('genCA', ['ca', '', '', '1']))
    const sign = (signer: KeyPair): Promise<Parts> => make('genSignedCert', ['a', '', '', '1', signer.cert], signer)
    await expect(sign({ ...authority, cert: secret })).rejects.toThrow(new GenerateError('unable to parse certificate'))
    await expect(sign({ ...authority, key: secret })).rejects.toThrow(
      new GenerateError('error creating certificate: x509: the private key cannot sign'),
    )
  })
})
