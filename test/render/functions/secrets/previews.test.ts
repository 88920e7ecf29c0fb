import { compareSync } from 'bcryptjs'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodeBase64 } from '../../../../src/codec/bytes/base64.ts'
import { readDer } from '../../../../src/codec/bytes/der.ts'
import { encodeUtf8 } from '../../../../src/codec/bytes/utf8.ts'
import { createTokenTable } from '../../../../src/model/token.ts'
import { GoObject, goInt, GoInt, type Value } from '../../../../src/model/value.ts'
import { decodePem } from '../../../../src/generate/certificates/pem.ts'
import { chartFunctions } from '../../../../src/render/functions/registry.ts'
import { recordingContext, type Recorded } from '../recording-context.ts'

function preview(seed: string = 'release'): Recorded {
  return recordingContext(createTokenTable(), seed)
}

function call(recorded: Recorded, name: string, ...args: readonly Value[]): Value {
  const found = chartFunctions.get(name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found.call(args, recorded.context)
}

function text(value: Value | undefined): string {
  if (typeof value === 'string') return value
  throw new TypeError('not a string')
}

function newKey(): string {
  return String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

/** The parts of sprig's certificate. */
function pair(value: Value): { readonly cert: string; readonly key: string; readonly parsed: X509Certificate } {
  if (!(value instanceof GoObject)) throw new TypeError('no certificate')
  const cert = text(value.field('Cert'))
  return { cert, key: text(value.field('Key')), parsed: new X509Certificate(cert) }
}

describe('random text', () => {
  test.each([
    { name: 'randAlphaNum', count: 200, pattern: /^[0-9A-Za-z]{200}$/ },
    { name: 'randAlpha', count: 64, pattern: /^[A-Za-z]{64}$/ },
    { name: 'randNumeric', count: 64, pattern: /^[0-9]{64}$/ },
    { name: 'randAscii', count: 300, pattern: /^[ -~]{300}$/ },
    { name: 'randBytes', count: 16, pattern: /^[0-9A-Za-z+/]{22}==$/ },
  ])('$name has the length and alphabet that was asked for', ({ name, count, pattern }) => {
    const recorded = preview()
    const made = text(call(recorded, name, goInt(count)))
    expect(made).toMatch(pattern)
    expect(text(call(preview(), name, goInt(count)))).toBe(made)
    expect(text(call(preview('other'), name, goInt(count)))).not.toBe(made)
    expect(recorded.generated).toEqual([])
    expect(recorded.findings).toMatchObject([
      {
        code: 'TEMPLATE_GENERATED_SECRET',
        message: `${name} makes a secret; what stands there is a preview that anyone can compute from the release's name`,
      },
    ])
  })

  test('uuidv4 is a UUID of version 4', () => {
    expect(call(preview(), 'uuidv4')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test.each([
    [0n, 1n],
    [-3n, 12n],
    [10n, 10_000n],
    [0n, 2n ** 63n - 1n],
  ])('randInt lies from %s to below %s', (least, most) => {
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const made = call(preview(seed), 'randInt', new GoInt(least), new GoInt(most))
      const value = made instanceof GoInt ? made.value : undefined
      expect(value !== undefined && value >= least && value < most).toBe(true)
    }
  })

  test('shuffle keeps the characters', () => {
    const made = text(call(preview(), 'shuffle', 'abcdefghijklmnopé€😀'))
    expect(made).not.toBe('abcdefghijklmnopé€😀')
    expect(Array.from(made).sort()).toEqual(Array.from('abcdefghijklmnopé€😀').sort())
  })
})

describe('hashes of passwords', () => {
  test('a password that is not UTF-8 cannot be hashed: a login would send other bytes', () => {
    const name = call(preview(), 'b64dec', '/w==')
    expect(() => call(preview(), 'htpasswd', 'admin', name)).toThrow('bcrypt: the password is not UTF-8')
  })

  test('htpasswd is the user and a hash, the same each time', () => {
    const made = text(call(preview(), 'htpasswd', 'admin', 'secret'))
    const [user, hash = ''] = made.split(':')
    expect(user).toBe('admin')
    expect(compareSync('secret', hash)).toBe(true)
    expect(hash).toMatch(/^\$2a\$10\$[./A-Za-z0-9]{53}$/)
    expect(text(call(preview(), 'htpasswd', 'admin', 'secret'))).toBe(made)
  })

  test('encryptAES is what decryptAES reads', () => {
    for (const plain of ['x', 'sixteen bytes 16', 'a longer text of more than one block, é']) {
      const made = call(preview(), 'encryptAES', 'password', plain)
      expect(call(preview(), 'decryptAES', 'password', made)).toBe(plain)
    }
  })
})

describe('certificates', () => {
  const days = goInt(365)

  test('genCA signs itself and what genSignedCert makes of it', () => {
    const recorded = preview()
    const authority = call(recorded, 'genCA', 'example-ca', days)
    const ca = pair(authority)
    expect(ca.parsed.subject).toBe('CN=example-ca')
    expect(ca.parsed.ca).toBe(true)
    expect(ca.parsed.checkIssued(ca.parsed)).toBe(true)
    expect(ca.parsed.verify(ca.parsed.publicKey)).toBe(true)
    expect(ca.parsed.checkPrivateKey(createPrivateKey(ca.key))).toBe(true)
    expect([ca.parsed.validFrom, ca.parsed.validTo]).toEqual(['Jan  1 00:00:00 2020 GMT', 'Dec 31 00:00:00 2020 GMT'])

    const names = ['a.example', '*.b.example']
    const addresses = ['10.0.0.1', '::1', '2001:db8::ffff:1.2.3.4', '::ffff:192.0.2.1']
    const signed = pair(call(recorded, 'genSignedCert', 'sérver', addresses, names, days, authority))
    expect(signed.parsed.checkIssued(ca.parsed)).toBe(true)
    expect(signed.parsed.verify(ca.parsed.publicKey)).toBe(true)
    expect(signed.parsed.checkPrivateKey(createPrivateKey(signed.key))).toBe(true)
    expect(signed.parsed.ca).toBe(false)
    expect(signed.parsed.subject).toBe('CN=sérver')
    expect(signed.parsed.subjectAltName).toBe(
      'DNS:a.example, DNS:*.b.example, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1, ' +
        'IP Address:2001:DB8:0:0:0:FFFF:102:304, IP Address:192.0.2.1',
    )
    expect(signed.parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
    expect(signed.key).not.toBe(ca.key)
  })

  test('equal questions give equal certificates', () => {
    expect(pair(call(preview(), 'genCA', 'ca', days)).cert).toBe(pair(call(preview(), 'genCA', 'ca', days)).cert)
    expect(pair(call(preview('b'), 'genCA', 'ca', days)).cert).not.toBe(pair(call(preview(), 'genCA', 'ca', days)).cert)
  })

  test('genSelfSignedCert verifies with its own key and is not an authority', () => {
    const { parsed } = pair(call(preview(), 'genSelfSignedCert', '', [], ['a.example'], days))
    expect(parsed.verify(parsed.publicKey)).toBe(true)
    expect(parsed.ca).toBe(false)
    expect(parsed.subject).toBeFalsy()
  })

  test('a validity beyond 2049 and one in the past are dates too', () => {
    expect(pair(call(preview(), 'genCA', 'ca', goInt(36500))).parsed.validTo).toBe('Dec  8 00:00:00 2119 GMT')
    expect(pair(call(preview(), 'genCA', 'ca', goInt(-1))).parsed.validTo).toBe('Dec 31 00:00:00 2019 GMT')
    expect(() => call(preview(), 'genCA', 'ca', goInt(4_000_000))).toThrow('cannot represent time as GeneralizedTime')
  })

  test.each([
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ])('given keys are used, and sign the same each time: %#', (exported) => {
    const key = String(exported)
    const authority = call(preview(), 'genCAWithKey', 'ca', days, key)
    const ca = pair(authority)
    expect(ca.key).toBe(key)
    expect(ca.parsed.verify(ca.parsed.publicKey)).toBe(true)
    expect(pair(call(preview(), 'genCAWithKey', 'ca', days, key)).cert).toBe(ca.cert)

    const given = [ca.cert, key].map((pem) => encodeBase64(encodeUtf8(pem)))
    const custom = call(preview(), 'buildCustomCert', ...given)
    const signed = pair(call(preview(), 'genSignedCert', 'cn', [], [], days, custom))
    expect(signed.parsed.checkIssued(ca.parsed)).toBe(true)
    expect(signed.parsed.verify(ca.parsed.publicKey)).toBe(true)
  })

  // certificates that Go's x509.CreateCertificate made with these keys: P-384 signs with SHA-384, P-521 with SHA-512
  test.each([
    {
      curve: 'P-256',
      key: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE1KQOhRANCAARU55aZ15L2YpJguH/dOpyMS3/CLc+mGjJnj4ZVbA11NUjQeDDUURVuddJUS+44Ly2O1XoKP7LGqSwqeBGUxEF5',
      go: 'MIHsMIGToAMCAQICAQEwCgYIKoZIzj0EAwIwADAeFw03MDAxMDEwMDAwMDBaFw0wMTA5MDkwMTQ2NDBaMAAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARU55aZ15L2YpJguH/dOpyMS3/CLc+mGjJnj4ZVbA11NUjQeDDUURVuddJUS+44Ly2O1XoKP7LGqSwqeBGUxEF5MAoGCCqGSM49BAMCA0gAMEUCIQC7y0uY1Ib7O7a1jIboYD2K21L1Dr9mKI109M/673ZhtQIgO39+aKR/ZKdtOLorNaKtUQN/hOPKc2lmLjxwofiJ2ZY=',
    },
    {
      curve: 'P-384',
      key: 'MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE1KQOhZANiAASkm1f9B3f8RDxN8Hyb7hWmj8W3w53NGqC3opgjEV1iv2UVlG14fUOtSWoOc9Em7EgI2xISawTu6GsoydXUcJJu4X5nuWAoWV5Kt0feFqHzYfovi+DnMBm+WUmuQqOid54=',
      go: 'MIIBKTCBsKADAgECAgEBMAoGCCqGSM49BAMDMAAwHhcNNzAwMTAxMDAwMDAwWhcNMDEwOTA5MDE0NjQwWjAAMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEpJtX/Qd3/EQ8TfB8m+4Vpo/Ft8OdzRqgt6KYIxFdYr9lFZRteH1DrUlqDnPRJuxICNsSEmsE7uhrKMnV1HCSbuF+Z7lgKFleSrdH3hah82H6L4vg5zAZvllJrkKjoneeMAoGCCqGSM49BAMDA2gAMGUCMQDSq87SYFMw//koFk6S540bUOuc1yw1OnnTPs946txvWs83y9v0THFzyMypoRqEiSUCMBa/areMkxYW/DMvVWexM6+SFXvRkMx0ES9Wxpch86cQ09Qgibccb6vZC+pjTws+Fg==',
    },
    {
      curve: 'P-521',
      key: 'MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE1KQOhgYkDgYYABAHm12xrQgDjTVQqbJ5LJgPnyTV1adeQTbrQaJmInL90ex9yUE/JFafnLcpnS6XJOuoaofb+O3sJ4SrBvm0tMFG3qQDC415q1HzOMedRUiz3wNtrixEsmanF8KcLt6YlLaPAvnMtmwluChLMOhsnsWtNxhbq4Kq6RcJETcpcIXrTBsbeBA==',
      go: 'MIIBczCB1qADAgECAgEBMAoGCCqGSM49BAMEMAAwHhcNNzAwMTAxMDAwMDAwWhcNMDEwOTA5MDE0NjQwWjAAMIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQB5tdsa0IA401UKmyeSyYD58k1dWnXkE260GiZiJy/dHsfclBPyRWn5y3KZ0ulyTrqGqH2/jt7CeEqwb5tLTBRt6kAwuNeatR8zjHnUVIs98Dba4sRLJmpxfCnC7emJS2jwL5zLZsJbgoSzDobJ7FrTcYW6uCqukXCRE3KXCF60wbG3gQwCgYIKoZIzj0EAwQDgYsAMIGHAkIAylZVjRoGX9hyRknmi/t3ZaqI8IsAZ7qCG4YRiGnYfb+rmDMF7FFLAe+z/DfhxfGnShXCnKyUMsrf5tIv/tyjleQCQS/5souk0klZP1Yel6UaBkRegjYebEd2UGU6U+XhzwI7xxzJWbQiv/PtjCpvSq919ZZyC8ADflZhDF+8HNYQU3MC',
    },
  ])('a key of $curve signs with the algorithm that Go takes', ({ key, go }) => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${key.replaceAll(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`
    const { cert, parsed } = pair(call(preview(), 'genCAWithKey', 'ca', days, pem))
    const algorithmsOf = (der: Uint8Array): readonly string[] => {
      const [body, outer] = readDer(readDer(der)[0]?.content ?? new Uint8Array())
      const inner = readDer(body?.content ?? new Uint8Array())[2]
      return [inner, outer].map((value) => Buffer.from(value?.whole ?? []).toString('hex'))
    }
    expect(algorithmsOf(decodePem(cert)?.bytes ?? new Uint8Array())).toEqual(algorithmsOf(Buffer.from(go, 'base64')))
    expect(parsed.verify(parsed.publicKey)).toBe(true)
  })

  test("an authority is not signed for with another one's key, in helm's words", () => {
    const recorded = preview()
    const [one, other] = ['a', 'b'].map((name) => pair(call(recorded, 'genCAWithKey', name, days, newKey())))
    const given = [one?.cert ?? '', other?.key ?? ''].map((pem) => encodeBase64(encodeUtf8(pem)))
    const mixed = call(recorded, 'buildCustomCert', ...given)
    expect(() => call(recorded, 'genSignedCert', 'cn', [], [], days, mixed)).toThrow(
      "error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
    )
  })

  test('a key that signs no certificates is an error', () => {
    const { privateKey } = generateKeyPairSync('x25519')
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect(() => call(preview(), 'genCAWithKey', 'ca', days, pem)).toThrow('the private key cannot sign')
  })

  test.each(['', 'rsa', 'dsa', 'ecdsa', 'ed25519'])('genPrivateKey %j gives an Ed25519 key', (type) => {
    const key = createPrivateKey(text(call(preview(), 'genPrivateKey', type)))
    expect(key.asymmetricKeyType).toBe('ed25519')
  })
})
