import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { previewCertificate } from '../../src/generate/certificates/preview.ts'
import { createSeededRandom } from '../../src/generate/random-source.ts'
import type { KeyPair } from '../../src/generate/certificates/x509.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

/** Certificates of a server, made for this run. */
export interface WebCertificates {
  /** Of the authority that nobody trusts who is not told to, in PEM. */
  readonly ca: string
  /** Of the server and its private key, in PEM. */
  readonly server: KeyPair
}

/** Makes an authority and a certificate of it for a server that these names and addresses lead to. */
export function makeWebCertificates(
  names: readonly string[] = ['localhost'],
  addresses: readonly string[] = ['127.0.0.1', '::1'],
): WebCertificates {
  const { crypto } = createNodePorts()
  const random = createSeededRandom(crypto, randomUUID())
  const days = 365 * 100
  const authority = previewCertificate(
    { commonName: `test authority ${randomUUID()}`, addresses: [], names: [], days, isAuthority: true },
    { crypto, random, key: makeKey() },
  )
  const server = previewCertificate(
    { commonName: names[0] ?? addresses[0] ?? 'test', addresses, names, days, isAuthority: false },
    { crypto, random, key: makeKey(), signer: authority },
  )
  return { ca: authority.cert, server }
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
