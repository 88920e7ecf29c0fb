import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { derObjectId, derSequence, derText, derValue, readDer } from '../../src/codec/bytes/der.ts'
import { decodePem, encodePem } from '../../src/generate/certificates/pem.ts'
import { previewCertificate } from '../../src/generate/certificates/preview.ts'
import { createSeededRandom } from '../../src/generate/random-source.ts'
import type { CertificateSubject, KeyPair } from '../../src/generate/certificates/x509.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

/** Certificates of an API server, made for this run. */
export interface KubeCertificates {
  /** Signs all others, with its key. */
  readonly ca: string
  readonly caKey: string
  readonly server: KeyPair
  /** Of a client in the group `system:masters`. */
  readonly admin: KeyPair
  /** Signs tokens of service accounts; and the public key that checks them. */
  readonly tokenKey: string
  readonly tokenPublicKey: string
}

const { crypto } = createNodePorts()

/** Makes the certificates of an API server on 127.0.0.1, or on another address, too. */
export function makeKubeCertificates(address = '127.0.0.1'): KubeCertificates {
  const ca = issue({ commonName: `test authority ${randomUUID()}`, isAuthority: true })
  const addresses = [...new Set(['127.0.0.1', '10.0.0.1', address])]
  const server = issue({ commonName: 'kube-apiserver', names: ['localhost'], addresses }, ca)
  const admin = putIntoGroup(issue({ commonName: 'admin' }, ca), { group: 'system:masters', user: 'admin', signer: ca })
  const tokenKey = makeKey()
  const tokenPublicKey = createPublicKey(tokenKey).export({ type: 'spki', format: 'pem' }).toString()
  return { ca: ca.cert, caKey: ca.key, server, admin, tokenKey, tokenPublicKey }
}

function issue(subject: Partial<CertificateSubject> & { readonly commonName: string }, signer?: KeyPair): KeyPair {
  const random = createSeededRandom(crypto, randomUUID())
  const all = { addresses: [], names: [], days: 365 * 100, isAuthority: false, ...subject }
  return previewCertificate(all, { crypto, random, key: makeKey(), signer })
}

/** Signs a certificate once more, now with an organization: what Kubernetes takes for the group of a client. */
function putIntoGroup(
  pair: KeyPair,
  { group, user, signer }: { readonly group: string; readonly user: string; readonly signer: KeyPair },
): KeyPair {
  const [whole] = readDer(decodePem(pair.cert)?.bytes ?? new Uint8Array())
  const [body, algorithm] = readDer(whole?.content ?? new Uint8Array())
  const fields = readDer(body?.content ?? new Uint8Array()).map((field) => field.whole)
  // after version, serial number, algorithm, issuer and validity
  fields[5] = derSequence(attribute('2.5.4.10', group), attribute('2.5.4.3', user))
  const named = derSequence(...fields)
  const signature = derValue(0x03, Uint8Array.of(0), crypto.signerOf(signer.key, 'random').sign(named))
  const bytes = derSequence(named, algorithm?.whole ?? new Uint8Array(), signature)
  return { cert: encodePem({ type: 'CERTIFICATE', bytes }), key: pair.key }
}

function attribute(type: string, value: string): Uint8Array {
  return derValue(0x31, derSequence(derObjectId(type), derText(0x0c, value)))
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
