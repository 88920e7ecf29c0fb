import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readDer } from '../../../src/codec/bytes/der.ts'
import { decodePem } from '../../../src/generate/certificates/pem.ts'
import { previewKey } from '../../../src/generate/certificates/preview.ts'
import { certificateKey, formatPrivateKey, keyTypes } from '../../../src/generate/certificates/private-key.ts'
import { nodeKeys } from '../../../src/system/node-keys.ts'

describe('private keys have the form that sprig gives them', () => {
  test.each([
    ['rsa', 'RSA PRIVATE KEY', 'rsa', { modulusLength: 4096 }],
    ['dsa', 'DSA PRIVATE KEY', 'dsa', { modulusLength: 2048, divisorLength: 256 }],
    ['ecdsa', 'EC PRIVATE KEY', 'ec', { namedCurve: 'prime256v1' }],
    ['ed25519', 'PRIVATE KEY', 'ed25519', {}],
  ])('%s', { timeout: 60_000 }, async (type, block, kind, details) => {
    const made = keyTypes.get(type)
    if (made === undefined) throw new Error(`no type ${type}`)
    const key = await nodeKeys.generate(made)
    const pem = formatPrivateKey(made, key)
    expect(pem.split('\n')[0]).toBe(`-----BEGIN ${block}-----`)
    const read = createPrivateKey(pem)
    expect(read.asymmetricKeyType).toBe(kind)
    expect(read.asymmetricKeyDetails).toMatchObject(details)
    const spki = createPublicKey(read).export({ type: 'spki', format: 'der' })
    expect(new Uint8Array(spki)).toEqual(key.publicKey)
  })

  // node knows no form of OpenSSL's for DSA
  test.each([
    ['rsa-2048', 'pkcs1'],
    ['p-256', 'sec1'],
    ['ed25519', 'pkcs8'],
  ] as const)('%s is text as node writes %s', async (kind, type) => {
    const pem = formatPrivateKey(kind, await nodeKeys.generate(kind))
    expect(pem).toBe(createPrivateKey(pem).export({ type, format: 'pem' }))
  })

  test('that of a certificate is RSA with 2048 bits, and of two no key is the other', async () => {
    const keys = await Promise.all([nodeKeys.generate(certificateKey), nodeKeys.generate(certificateKey)])
    const [first = '', second = ''] = keys.map((key) => formatPrivateKey(certificateKey, key))
    expect(createPrivateKey(first).asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 })
    expect(first).not.toBe(second)
  })

  test('a DSA key holds version, p, q, g, y and x', { timeout: 60_000 }, async () => {
    const pem = formatPrivateKey('dsa-2048', await nodeKeys.generate('dsa-2048'))
    const [sequence] = readDer(decodePem(pem)?.bytes ?? new Uint8Array())
    const fields = readDer(sequence?.content ?? new Uint8Array())
    expect(fields.map(({ tag }) => tag)).toEqual([2, 2, 2, 2, 2, 2])
  })
})

test('the key of a preview is that of RFC 8410, section 10.3', () => {
  const seed = Buffer.from('d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842', 'hex')
  expect(previewKey({ bytes: () => new Uint8Array(seed), below: () => 0 })).toBe(
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n',
  )
})
