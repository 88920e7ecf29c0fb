import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { previewCertificate } from '../../src/generate/certificates/preview.ts'
import { holdsOnlyCertificates, readCertificate } from '../../src/generate/certificates/read-certificate.ts'
import { GenerateError } from '../../src/generate/generate-error.ts'
import { makeGenerators } from '../../src/generate/make-generators.ts'
import { createSeededRandom } from '../../src/generate/random-source.ts'
import { renewCertificates } from '../../src/generate/renew-certificates.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const { crypto, keys, random, clock } = createNodePorts()

describe('a certificate', () => {
  test.each([10, 365 * 100])('of %d days is read as Node reads it', (days) => {
    const { cert } = previewCertificate(
      { commonName: 'Prüfung', addresses: [], names: ['a.example'], days, isAuthority: true },
      { crypto, random: createSeededRandom(crypto, 'x') },
    )
    const facts = readCertificate(cert)
    const node = new X509Certificate(cert)
    expect([facts.notBefore, facts.notAfter]).toEqual([Date.parse(node.validFrom), Date.parse(node.validTo)])
    expect(Buffer.from(facts.publicKey)).toEqual(node.publicKey.export({ type: 'spki', format: 'der' }))
    expect(facts.subject).toEqual(facts.issuer)
  })

  test.each([
    '',
    'x',
    '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n',
    '-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n',
  ])('is no such text: %j', (text) => {
    expect(() => readCertificate(text)).toThrow(GenerateError)
  })

  const { cert, key } = previewCertificate(
    { commonName: 'a', addresses: [], names: [], days: 10, isAuthority: true },
    { crypto, random: createSeededRandom(crypto, 'x') },
  )
  const windows = cert.replaceAll('\n', '\r\n')
  const body = cert.split('\n').slice(1, -2)
  const block = (...lines: readonly string[]): string =>
    ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  test.each([
    ['one', cert, true],
    ['one without its last line feed', cert.trimEnd(), true],
    ['several, with empty lines between', `\n${cert}\n\n${cert}${windows}`, true],
    ['one in a single line', block(body.join('')), true],
    ['nothing', '', false],
    ['empty lines', '\n\n', false],
    ['a password', 'hunter2', false],
    ['a key', key, false],
    ['a key behind a certificate', `${cert}${key}`, false],
    ['a key before a certificate', `${key}${cert}`, false],
    ['text before', `hunter2\n${cert}`, false],
    ['text behind', `${cert}hunter2`, false],
    ['text in the last line', `${cert.trimEnd()} hunter2`, false],
    ['a header', block('Password: hunter2', '', ...body), false],
    ['text in the block', block('hunter2', ...body), false],
    ['no end', cert.slice(0, -30), false],
    ['an empty block', block(), false],
    [
      'a key that is called a certificate',
      key.replaceAll('RSA PRIVATE KEY', 'CERTIFICATE').replaceAll('PRIVATE KEY', 'CERTIFICATE'),
      false,
    ],
    ['text that is called a certificate', block(Buffer.from('hunter2').toString('base64')), false],
    [
      'text behind the end of the certificate in its block',
      block(Buffer.concat([Buffer.from(body.join(''), 'base64'), Buffer.from('hunter2')]).toString('base64')),
      false,
    ],
  ])('may be read by everybody where a text has nothing else: %s', (_, text, want) => {
    expect(holdsOnlyCertificates(text)).toBe(want)
  })

  test('is renewed with the same key, by the same authority', async () => {
    const generators = [
      { name: 'ca', function: 'genCA', arguments: ['CA', '', '', '100'] },
      { name: 'leaf', function: 'genSignedCert', arguments: ['a', '', 'a.example', '10', '${ca.cert}\n'] },
      { name: 'key', function: 'genPrivateKey', arguments: ['ecdsa'] },
      { name: 'given', function: 'genSignedCertWithKey', arguments: ['b', '', '', '10', '${ca.cert}', '${key.key}\n'] },
    ]
    let days = 0
    const ports = { crypto, keys, random, clock: { now: () => clock.now() + days * 86_400_000 } }
    const values = new Map<string, string>()
    const parts = await makeGenerators({ generators, values, kept: new Map() }, ports)
    days = 8
    const due = new Set(['leaf', 'given', 'ca'])
    const renewed = await renewCertificates({ generators, due, values, parts }, ports)
    expect([...renewed.keys()]).toEqual(['leaf', 'given'])
    const ca = new X509Certificate(parts.get('ca')?.get('cert') ?? '')
    for (const name of ['leaf', 'given']) {
      const [before, after] = [parts, renewed].map((from) => new X509Certificate(from.get(name)?.get('cert') ?? ''))
      expect(after?.verify(ca.publicKey)).toBe(true)
      expect(after?.publicKey.equals(before?.publicKey ?? ca.publicKey)).toBe(true)
      expect(after?.subjectAltName).toBe(before?.subjectAltName)
      expect(Date.parse(after?.validTo ?? '') - Date.parse(before?.validTo ?? '')).toBeGreaterThan(7 * 86_400_000)
      expect(renewed.get(name)?.get('key')).toBe(parts.get(name)?.get('key'))
    }
  })
})
