import { createCipheriv, createDecipheriv, createHash, createHmac, hash, scryptSync } from 'node:crypto'
import type { Crypto, ScryptRequest } from '../model/ports.ts'
import { createNodeSigner, verifySignature } from './node-signer.ts'

/** {@link Crypto} over node:crypto. */
export const nodeCrypto: Crypto = {
  hash: (algorithm, bytes) => new Uint8Array(createHash(algorithm).update(bytes).digest()),
  // in one call: half the time for what is as short as most files of a tree are
  sha256Hex: (bytes) => hash('sha256', bytes, 'hex'),
  hashParts: (parts) => {
    const whole = createHash('sha256')
    for (const part of parts) whole.update(part)
    return new Uint8Array(whole.digest())
  },
  hmacSha256: (key, bytes) => new Uint8Array(createHmac('sha256', key).update(bytes).digest()),
  scrypt,
  encryptAesCbc: ({ key, vector }, bytes) => {
    const cipher = createCipheriv('aes-256-cbc', key, vector).setAutoPadding(false)
    return new Uint8Array(Buffer.concat([cipher.update(bytes), cipher.final()]))
  },
  decryptAesCbc: ({ key, vector }, bytes) => {
    const decipher = createDecipheriv('aes-256-cbc', key, vector).setAutoPadding(false)
    return new Uint8Array(Buffer.concat([decipher.update(bytes), decipher.final()]))
  },
  verify: verifySignature,
  signerOf: createNodeSigner,
}

function scrypt({ password, salt, length, cost, blockSize, parallelization }: ScryptRequest): Uint8Array {
  // what it needs, and what OpenSSL counts beside it
  const maxmem = 128 * blockSize * (cost + parallelization + 2)
  return new Uint8Array(scryptSync(password, salt, length, { cost, blockSize, parallelization, maxmem }))
}
