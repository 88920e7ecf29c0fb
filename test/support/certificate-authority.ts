import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Crypto } from '../../src/model/ports.ts'
import { createSeededRandom } from '../../src/render/functions/seeded-random.ts'
import { issueCertificate } from '../../src/render/functions/x509.ts'
import { createNodeSigner, verifySignature } from '../../src/system/node-signer.ts'

/** A certificate authority of one test, and what it issued to a server on this machine; all in PEM. */
export interface CertificateAuthority {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

const crypto: Crypto = {
  hash: (algorithm, bytes) => new Uint8Array(createHash(algorithm).update(bytes).digest()),
  verify: verifySignature,
  signerOf: createNodeSigner,
}

/** Makes an authority with a certificate for `localhost` and `127.0.0.1`, and other keys every time. */
export function createCertificateAuthority(): CertificateAuthority {
  const authorityKey = newKey()
  const random = createSeededRandom(crypto, authorityKey)
  const authority = issueCertificate(
    { commonName: 'Test authority', addresses: [], names: [], days: 36_500, isAuthority: true },
    { crypto, random, key: authorityKey },
  )
  const { cert, key } = issueCertificate(
    { commonName: 'localhost', addresses: ['127.0.0.1'], names: ['localhost'], days: 36_500, isAuthority: false },
    { crypto, random, key: newKey(), signer: authority },
  )
  return { ca: authority.cert, cert, key }
}

function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
}
