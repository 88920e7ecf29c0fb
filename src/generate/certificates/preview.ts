import { derObjectId, derSequence, derValue } from '../../codec/bytes/der.ts'
import type { Crypto } from '../../model/ports.ts'
import { encodePem } from './pem.ts'
import type { RandomSource } from '../random-source.ts'
import { issueCertificate, type CertificateSubject, type KeyPair } from './x509.ts'

/** Previews are valid from this day on: there is no clock. */
const start = Date.UTC(2020, 0, 1)

/**
 * How a preview of a certificate comes about: its key and its signer where they are given, and what everything else is
 * drawn from.
 */
export interface PreviewOptions {
  readonly crypto: Pick<Crypto, 'hash' | 'signerOf'>
  readonly random: RandomSource
  readonly key?: string | undefined
  readonly signer?: KeyPair | undefined
}

/** Draws a key for a preview, in PEM: always Ed25519 (RFC 8410, section 7), whose keys are any 32 bytes. */
export function previewKey(random: RandomSource): string {
  const seed = derValue(0x04, derValue(0x04, random.bytes(32)))
  const version = derValue(0x02, Uint8Array.of(0))
  const algorithm = derSequence(derObjectId('1.3.101.112'))
  return encodePem({ type: 'PRIVATE KEY', bytes: derSequence(version, algorithm, seed) })
}

/**
 * Makes a certificate that verifies, the same for the same stream, valid from 2020-01-01 on. @throws GenerateError as
 * {@link issueCertificate}
 */
export function previewCertificate(
  subject: CertificateSubject,
  { crypto, random, key, signer }: PreviewOptions,
): KeyPair {
  const serial = random.bytes(16)
  const own = key ?? previewKey(random)
  return {
    cert: issueCertificate(subject, { crypto, signatures: 'repeatable', serial, start, key: own, signer }),
    key: own,
  }
}
