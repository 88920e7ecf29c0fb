import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../../src/codec/bytes/base64.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { Secret } from '../../../src/model/secret.ts'
import { readSigningKey } from '../../../src/network/signature/signing-key.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const { crypto } = createNodePorts()

// What go-securesystemslib/encrypted 0.11.1 wrote, the library by which cosign encrypts keys; the password is below.
const pem = `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----
eyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjo2NTUzNiwiciI6
OCwicCI6MX0sInNhbHQiOiI5c1g3WDZoRlJoU0gvSlp4QTJrUlk2MEE2Z3cvYkJj
ekxDempwaVRHMm9FPSJ9LCJjaXBoZXIiOnsibmFtZSI6Im5hY2wvc2VjcmV0Ym94
Iiwibm9uY2UiOiIyS08ybG5RMGhIMENlZDlyK2FKSFhSZ3NKMzFRSXJWMiJ9LCJj
aXBoZXJ0ZXh0IjoiRy9scUtwN0N3cnQ5RW1jdGlNRGZqR29Zek1CbkhCRXBQYVc1
U2UwbkttQlZtM2tDTU1Rd2ZGa3RDaUdpSU03Z1hLVXA2WXZ3Tlg2REgyU0FBSVph
VllRT3RKK1FZUityb1ZGc1FscDJIVzRRcDVudHVQOUkxbURYZHZhRjJic0thWmRK
OWhHUm9mVTVqL09DRDlRblU0Yll0U0FaeEhxd3R3SmtTc3pXcXduLzBld1E1R0NN
ejZpcy82ZTR0ZzZhM01hQXcwcVMzNFM5OHc9PSJ9
-----END ENCRYPTED SIGSTORE PRIVATE KEY-----
`
const publicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwUeETM27vOfXIhsM+b5BJ0dRmTSL
WDBnb6vKBGdCq6YsJ5p6mO5OrYfntbEj5OENlxW4g5ui8uWy97F+ePHOzw==
-----END PUBLIC KEY-----
`
const password = 'correct horse'

function read(key: string, word = ''): ReturnType<typeof readSigningKey> {
  return readSigningKey(new Secret(key), new Secret(word), crypto)
}

/** A key of cosign with other fields in its JSON. */
function changed(change: (json: string) => string): string {
  const json = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64').toString()
  const body = Buffer.from(change(json)).toString('base64')
  return `-----BEGIN ENCRYPTED COSIGN PRIVATE KEY-----\n${body}\n-----END ENCRYPTED COSIGN PRIVATE KEY-----\n`
}

describe('a key that signs', () => {
  it('is read as cosign writes it', () => {
    const key = read(pem, password)
    if ('reason' in key) throw new Error(key.reason)
    expect(key.value.publicKey).toBe(publicKey)
    const signature = decodeBase64(key.value.sign(encodeUtf8('text'))) ?? new Uint8Array()
    expect(crypto.verify(publicKey, encodeUtf8('text'), signature)).toBe(true)
  })

  it.each(['pkcs8', 'sec1'] as const)('is read in the form %s', (type) => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const key = read(pair.privateKey.export({ type, format: 'pem' }).toString())
    expect(key).toMatchObject({ value: { publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }) } })
  })

  it.each([
    ['a wrong password', pem, 'its password is wrong, or it is damaged'],
    ['nothing', '', 'it is no private key in PEM'],
    ['a public key', publicKey, 'it is a public key, and signing takes the private one'],
    [
      'another cipher',
      changed((json) => json.replace('nacl', 'x')),
      'it is encrypted in another way than cosign does it',
    ],
    [
      'much memory',
      changed((json) => json.replace('65536', '1073741824')),
      'it is encrypted with parameters that nobody uses',
    ],
    [
      'an odd cost',
      changed((json) => json.replace('65536', '65535')),
      'it is encrypted with parameters that nobody uses',
    ],
    [
      'no parameters',
      changed((json) => json.replace('params', 'x')),
      'it is encrypted with parameters that nobody uses',
    ],
    ['a short nonce', changed((json) => json.replace('2KO2', '')), 'it is damaged'],
    ['no JSON', changed(() => 'x'), 'it is damaged: what is in it is not the JSON of a key of cosign'],
    [
      'a key of OpenSSH',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
      'keys of the kind "OPENSSH PRIVATE KEY" are not supported; `cosign import-key-pair` makes one that is',
    ],
    [
      'garbage',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'it is damaged, or of a kind that signs nothing',
    ],
    [
      'another curve',
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      'it is on another curve than P-256, and Flux does not accept its signatures',
    ],
  ])('is none: %s', (_, key, reason) => {
    expect(read(key, 'another')).toEqual({ reason })
  })
})
