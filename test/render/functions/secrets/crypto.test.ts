import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../../../src/codec/bytes/utf8.ts'
import { encodeBase64 } from '../../../../src/codec/bytes/base64.ts'
import { createTokenTable } from '../../../../src/model/token.ts'
import { GoObject, goInt, type Value } from '../../../../src/model/value.ts'
import { FunctionError } from '../../../../src/render/engine/function.ts'
import { TokenRefusedError } from '../../../../src/render/engine/token-refused.ts'
import { cryptoFunctions } from '../../../../src/render/functions/secrets/crypto.ts'
import { isIpAddress } from '../../../../src/generate/certificates/ip-address.ts'
import { checkPrivateKey, decodePem, encodePem } from '../../../../src/generate/certificates/pem.ts'
import { recordingContext, type Recorded } from '../recording-context.ts'

function call(recorded: Recorded, name: string, ...args: readonly Value[]): Value {
  const found = cryptoFunctions.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found.call(args, recorded.context)
}

function object(value: Value): GoObject {
  if (value instanceof GoObject) return value
  throw new TypeError('not an object')
}

function text(value: Value | undefined): string {
  if (typeof value === 'string') return value
  throw new TypeError('not a string')
}

/** A function or `ip` or `pem`, its arguments, and what Go gave: a value, `ERR message` or `PANIC message`. */
type Row = readonly [name: string, args: readonly (string | number)[], want: string | boolean | null]

function isRow(value: unknown): value is Row {
  return Array.isArray(value) && value.length === 3 && typeof value[0] === 'string' && Array.isArray(value[1])
}

function parseRow(line: string): Row {
  const row: unknown = JSON.parse(line)
  if (!isRow(row)) throw new TypeError(`not a row: ${line}`)
  return row
}

function answer(name: string, args: Row[1]): Value {
  const first = String(args[0])
  if (name === 'ip') return isIpAddress(first)
  if (name === 'pem') {
    const block = decodePem(first)
    return block === undefined ? null : `${block.type}|${encodePem(block)}`
  }
  try {
    const values = args.map((arg) => (typeof arg === 'number' ? goInt(arg) : arg))
    return call(recordingContext(), name, ...values)
  } catch (error) {
    if (error instanceof FunctionError) return `ERR ${error.text.go}`
    throw error
  }
}

// Written by a Go program with sprig v3.3.0, net.ParseIP and pem.Decode.
describe('what is a function of its input is what Go computes', () => {
  const rows = readFileSync(new URL('./crypto.rows.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map(parseRow)
  test('the table is there', () => {
    expect(rows.length).toBeGreaterThan(300)
  })
  test.each(rows)('%s %j', { timeout: 20_000 }, (name, args, want) => {
    expect(answer(name, args)).toBe(typeof want === 'string' ? want.replace(/^PANIC /, 'ERR ') : want)
  })
})

describe('hashes of tokens', () => {
  test('do not depend on the number of the token, and are reported', () => {
    const spec = { kind: 'runtime', type: 'host', path: 'Cluster.spec.controlPlaneEndpoint.host' } as const
    const first = recordingContext()
    const second = recordingContext()
    second.tokens.add({ kind: 'runtime', type: 'port', path: 'other' })
    const one = call(first, 'sha256sum', `a${first.tokens.add(spec)}`)
    expect(call(second, 'sha256sum', `a${second.tokens.add(spec)}`)).toBe(one)
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(first.findings).toMatchObject([{ code: 'TEMPLATE_TOKEN_HASHED', severity: 'warning' }])
  })

  test('differ when the question differs, through derived values too', () => {
    const { context, tokens } = recordingContext()
    const hash = (path: string): Value => {
      const inner = tokens.add({ kind: 'runtime', type: 'string', path })
      const outer = tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input: inner })
      return call({ context, tokens, findings: [], generated: [] }, 'sha1sum', outer)
    }
    expect(hash('a')).not.toBe(hash('b'))
    expect(hash('a')).toBe(hash('a'))
  })
})

describe('salted hashes are deferred', () => {
  test('htpasswd keeps the user and defers the hash', () => {
    const recorded = recordingContext()
    const result = text(call(recorded, 'htpasswd', 'admin', 'secret'))
    expect(result.startsWith('admin:')).toBe(true)
    expect(recorded.tokens.get(result.slice(6))).toMatchObject({ kind: 'generated', part: 'hash' })
    expect(recorded.generated).toMatchObject([{ spec: { function: 'htpasswd', arguments: ['admin', '(given)'] } }])
  })

  test('bcrypt of a deferred password records what stands for it', () => {
    const recorded = recordingContext()
    const token = recorded.tokens.add({ kind: 'runtime', type: 'string', path: 'p' })
    call(recorded, 'bcrypt', token)
    expect(recorded.generated[0]?.spec.arguments).toEqual(['{"kind":"runtime","type":"string","path":"p"}'])
  })
})

test.each(['', 'rsa', 'dsa', 'ecdsa', 'ed25519'])('genPrivateKey %j is deferred', (type) => {
  const recorded = recordingContext()
  call(recorded, 'genPrivateKey', type)
  expect(recorded.generated).toMatchObject([
    { spec: { function: 'genPrivateKey', arguments: [type === '' ? 'rsa' : type] }, part: 'key' },
  ])
})

test('encryptAES is deferred; of what was given only tokens are recorded', () => {
  const recorded = recordingContext()
  const token = recorded.tokens.add({ kind: 'runtime', type: 'string', path: 'p' })
  call(recorded, 'encryptAES', 'pass', `plain${token}`)
  expect(recorded.generated).toMatchObject([
    {
      spec: { function: 'encryptAES', arguments: ['(given)', '(given) {"kind":"runtime","type":"string","path":"p"}'] },
    },
  ])
})

test.each([
  [goInt(-1), 'int'],
  [2 ** 40, 'float64'],
  ['1', 'string'],
] satisfies [Value, string][])('derivePassword takes no counter that is not a uint32: %#', (counter, type) => {
  expect(() => call(recordingContext(), 'derivePassword', counter, 'pin', 'p', 'u', 's')).toThrow(
    `wrong type for value; expected uint32; got ${type}`,
  )
})

describe('certificates', () => {
  test('genCA gives an object whose fields stand for the two parts', () => {
    const recorded = recordingContext()
    const ca = object(call(recorded, 'genCA', 'cilium-ca', goInt(365)))
    expect(ca.goType).toBe('sprig.certificate')
    expect(recorded.generated.map(({ spec, part }) => [spec.function, spec.arguments, part])).toEqual([
      ['genCA', ['cilium-ca', '', '', '365'], 'cert'],
      ['genCA', ['cilium-ca', '', '', '365'], 'key'],
    ])
    expect(recorded.tokens.get(text(ca.field('Cert')))).toMatchObject({ kind: 'generated', part: 'cert' })
    expect(recorded.tokens.get(text(ca.field('Key')))).toMatchObject({ kind: 'generated', part: 'key' })
    expect(ca.field('Nope')).toBeUndefined()
  })

  test('genSignedCert records its names and what its CA is, whatever number that token has', () => {
    const recorded = recordingContext()
    const ca = call(recorded, 'genCA', 'ca', goInt(10))
    call(recorded, 'genSignedCert', 'host', ['10.0.0.1', '::1'], ['a.example', 'b'], goInt(365), ca)
    const signed = recorded.generated.filter(({ spec }) => spec.function === 'genSignedCert')
    expect(signed.map(({ part }) => part)).toEqual(['cert', 'key'])
    expect(signed[0]?.spec.arguments.slice(0, 4)).toEqual(['host', '10.0.0.1,::1', 'a.example,b', '365'])
    expect(JSON.parse(signed[0]?.spec.arguments[4] ?? '')).toMatchObject({
      kind: 'generated',
      generate: { function: 'genCA', arguments: ['ca', '', '', '10'] },
      part: 'cert',
    })
  })

  test('nil lists are empty ones', () => {
    const recorded = recordingContext()
    call(recorded, 'genSelfSignedCert', 'cn', [], [], goInt(1))
    expect(recorded.generated[0]?.spec.arguments).toEqual(['cn', '', '', '1'])
  })

  test.each([
    [['1.2.3'], [], 'error parsing ip: a text of 5 characters'],
    [[goInt(5)], [], 'error parsing ip: a number is not a string'],
    [[null], [], 'error parsing ip: nil is not a string'],
    [[], [1.5], 'error processing alternate dns name: a number is not a string'],
  ] satisfies [Value[], Value[], string][])('bad subjects fail as in sprig: %#', (ips, names, message) => {
    expect(() => call(recordingContext(), 'genSelfSignedCert', 'cn', ips, names, goInt(1))).toThrow(message)
  })

  test('a signer must be a certificate', () => {
    const sign = (signer: Value): Value => call(recordingContext(), 'genSignedCert', 'cn', [], [], goInt(1), signer)
    expect(() => sign('text')).toThrow('wrong type for value; expected sprig.certificate; got string')
    expect(() => sign(null)).toThrow('wrong type for value; expected sprig.certificate; got interface {}')
  })
})

// A public certificate made for this test.
const cert = `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUX2Gchvi6jHWGslZ5O6yumq5/RaMwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjEwOTAzMzhaGA8yMTI2MTAyODA5MDMz
OFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAky
CHTJs6MDh7TBBZvXbwrs6nQyKkGumbhepP2o39aRNPNAlF54P+hzlaYoqjfkCheS
pfkKzg+9MYh355MpwtejUzBRMB0GA1UdDgQWBBRG51K/e4zMfriFbud04oGLr1va
kDAfBgNVHSMEGDAWgBRG51K/e4zMfriFbud04oGLr1vakDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIEONv/Sm6spWXbDyIgNmljiJkG+14PEl4tkV
f0sad5TCAiA+/iIucjAbZCaQu4DgPYOp4siwxrDYcv7eIGU0gtYTYg==
-----END CERTIFICATE-----
`
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ecKey = privateKey.export({ type: 'sec1', format: 'pem' })
const pkcs8Key = privateKey.export({ type: 'pkcs8', format: 'pem' })
const asPem = (pem: string | Buffer): string => (typeof pem === 'string' ? pem : decodeUtf8(pem))
const base64 = (plain: string | Buffer): string => encodeBase64(encodeUtf8(asPem(plain)))

describe('buildCustomCert', () => {
  test.each([ecKey, pkcs8Key])('hands a given certificate and key through: %#', (key) => {
    const recorded = recordingContext()
    const built = object(call(recorded, 'buildCustomCert', base64(cert), base64(key)))
    expect([built.field('Cert'), built.field('Key')]).toEqual([cert, key])
    expect(recorded.generated).toEqual([])
  })

  test('a CA given this way signs: its certificate is recorded, its key is not', () => {
    const recorded = recordingContext()
    const ca = call(recorded, 'buildCustomCert', base64(cert), base64(ecKey))
    call(recorded, 'genSignedCert', 'cn', [], [], goInt(1), ca)
    expect(recorded.generated[0]?.spec.arguments).toEqual(['cn', '', '', '1', cert])
  })

  test.each([
    ['!', base64(ecKey), 'unable to decode base64 certificate'],
    [base64(cert), '!', 'unable to decode base64 private key'],
    [base64('no pem'), base64(ecKey), 'unable to decode certificate'],
    [base64(cert), base64('no pem'), 'error parsing private key: no PEM data in input'],
    [base64(cert), base64(cert), 'error parsing private key: no private key data in PEM block'],
    [
      base64(cert),
      base64(asPem(ecKey).replaceAll('EC PRIVATE', 'FOO PRIVATE')),
      'error parsing private key: invalid private key type',
    ],
  ])('refuses what sprig refuses: %#', (certificate, key, message) => {
    expect(() => call(recordingContext(), 'buildCustomCert', certificate, key)).toThrow(message)
  })

  test('takes back what b64enc of a deferred certificate gave', () => {
    const recorded = recordingContext()
    const ca = object(call(recorded, 'genCA', 'ca', goInt(1)))
    const encode = (part: string): string =>
      recorded.tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input: text(ca.field(part)) })
    const built = object(call(recorded, 'buildCustomCert', encode('Cert'), encode('Key')))
    expect([built.field('Cert'), built.field('Key')]).toEqual([ca.field('Cert'), ca.field('Key')])
  })

  test('takes back a certificate whose final line feed was trimmed', () => {
    const recorded = recordingContext()
    const ca = object(call(recorded, 'genCA', 'ca', goInt(1)))
    const input = text(ca.field('Cert')).trimEnd()
    const encoded = recorded.tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input })
    expect(object(call(recorded, 'buildCustomCert', encoded, encoded)).field('Cert')).toBe(input)
  })

  test('refuses any other token', () => {
    const recorded = recordingContext(createTokenTable())
    const token = recorded.tokens.add({ kind: 'runtime', type: 'string', path: 'a' })
    expect(() => call(recorded, 'buildCustomCert', token, token)).toThrow(TokenRefusedError)
    expect(() => call(recorded, 'buildCustomCert', base64(cert), `${token}x`)).toThrow(TokenRefusedError)
  })
})

describe('certificates for a given key', () => {
  test('keep the key and never record it', () => {
    const recorded = recordingContext()
    const ca = object(call(recorded, 'genCAWithKey', 'ca', goInt(9), asPem(ecKey)))
    expect(ca.field('Key')).toBe(ecKey)
    expect(recorded.generated).toHaveLength(1)
    expect(recorded.generated[0]?.spec.arguments[4]).toBe('(given)')
  })

  test.each([
    ['genCAWithKey', ['cn', goInt(1), 'x']],
    ['genSelfSignedCertWithKey', ['cn', [], [], goInt(1), 'x']],
    ['genSignedCertWithKey', ['cn', [], [], goInt(1), null, 'x']],
  ] satisfies [string, Value[]][])('%s refuses what is not a key', (name, args) => {
    expect(() => call(recordingContext(), name, ...args)).toThrow('parsing private key: no PEM data in input')
  })

  test('a key of garbage is told from one of the right form', () => {
    const garbage = encodePem({ type: 'RSA PRIVATE KEY', bytes: encodeUtf8('garbage') })
    expect(() => checkPrivateKey(garbage)).toThrow('parsing RSA private key from PEM: ')
    expect(() => checkPrivateKey(asPem(ecKey))).not.toThrow()
  })
})
