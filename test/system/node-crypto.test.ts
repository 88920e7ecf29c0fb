import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { formatHex } from '../../src/codec/bytes/hex.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { nodeCrypto } from '../../src/system/node-crypto.ts'
import { nodeKeys } from '../../src/system/node-keys.ts'

function hex(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits.replaceAll(/\s/g, ''), 'hex'))
}

const message = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'

describe('hashes (FIPS 180, examples of NIST)', () => {
  test.each([
    ['sha1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['sha1', message, '84983e441c3bd26ebaae4aa1f95129e5e54670f1'],
    ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha256', message, '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
    [
      'sha512',
      'abc',
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    ],
  ] as const)('%s of %j', (algorithm, text, want) => {
    expect(formatHex(nodeCrypto.hash(algorithm, encodeUtf8(text)))).toBe(want)
  })
})

test('sha256 in hex at once is that of its bytes', () => {
  for (const bytes of [new Uint8Array(), encodeUtf8(message), new Uint8Array(9).fill(255).subarray(2, 5)])
    expect(nodeCrypto.sha256Hex(bytes)).toBe(formatHex(nodeCrypto.hash('sha256', bytes)))
})

describe('HMAC-SHA-256 (RFC 4231)', () => {
  const long = 'aa'.repeat(131)
  test.each([
    ['0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    ['4a656665', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    [
      long,
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      long,
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ])('key %s', (key, text, want) => {
    expect(formatHex(nodeCrypto.hmacSha256(hex(key), encodeUtf8(text)))).toBe(want)
  })
})

// The fourth vector takes a gigabyte of memory.
describe('scrypt (RFC 7914, section 12)', () => {
  test.each([
    [
      { password: '', salt: '', cost: 16, blockSize: 1, parallelization: 1 },
      '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
    ],
    [
      { password: 'password', salt: 'NaCl', cost: 1024, blockSize: 8, parallelization: 16 },
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    ],
    [
      { password: 'pleaseletmein', salt: 'SodiumChloride', cost: 16384, blockSize: 8, parallelization: 1 },
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    ],
  ])('%j', ({ password, salt, ...request }, want) => {
    const bytes = nodeCrypto.scrypt({
      ...request,
      password: encodeUtf8(password),
      salt: encodeUtf8(salt),
      length: 64,
    })
    expect(formatHex(bytes)).toBe(want)
  })
})

describe('AES-256-CBC (NIST SP 800-38A, F.2.5 and F.2.6)', () => {
  const key = {
    key: hex('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4'),
    vector: hex('000102030405060708090a0b0c0d0e0f'),
  }
  const plain = `
    6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
    30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710`
  const encrypted = `
    f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d
    39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b`

  test('encrypts and decrypts', () => {
    expect(nodeCrypto.encryptAesCbc(key, hex(plain))).toEqual(hex(encrypted))
    expect(nodeCrypto.decryptAesCbc(key, hex(encrypted))).toEqual(hex(plain))
  })

  test('adds and takes away no padding', () => {
    expect(() => nodeCrypto.encryptAesCbc(key, new Uint8Array(15))).toThrow('wrong final block length')
    expect(() => nodeCrypto.decryptAesCbc(key, new Uint8Array(17))).toThrow('wrong final block length')
    expect(nodeCrypto.encryptAesCbc(key, new Uint8Array(0))).toEqual(new Uint8Array(0))
  })
})

describe('signatures', () => {
  test('of Ed25519 are those of RFC 8032, section 7.1', () => {
    const pkcs8 = '302e020100300506032b657004220420'
    const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
    const body = Buffer.from(pkcs8 + seed, 'hex').toString('base64')
    const signer = nodeCrypto.signerOf(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`, 'random')
    expect(formatHex(signer.publicKey.subarray(-32))).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    )
    expect(formatHex(signer.sign(new Uint8Array(0)))).toBe(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    )
  })

  test.each([
    ['P-256', 'sha256'],
    ['P-384', 'sha384'],
    ['P-521', 'sha512'],
  ])('of %s are new each time, unless they are to be repeatable', (namedCurve, hash) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve })
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const bytes = encodeUtf8('text')
    for (const kind of ['random', 'repeatable'] as const) {
      const signer = nodeCrypto.signerOf(pem, kind)
      const [first, second] = [signer.sign(bytes), signer.sign(bytes)]
      for (const signature of [first, second])
        expect(verify(hash, bytes, createPublicKey(privateKey), signature)).toBe(true)
      expect(formatHex(first) === formatHex(second)).toBe(kind === 'repeatable')
    }
  })
})

test.each(['p-256', 'ed25519'] as const)('keys of kind %s are new each time', async (kind) => {
  const [first, second] = await Promise.all([nodeKeys.generate(kind), nodeKeys.generate(kind)])
  expect(formatHex(first.privateKey)).not.toBe(formatHex(second.privateKey))
  const derived = createPublicKey({ key: Buffer.from(first.publicKey), format: 'der', type: 'spki' })
  expect(derived.asymmetricKeyType).toBe(kind === 'p-256' ? 'ec' : kind)
})
