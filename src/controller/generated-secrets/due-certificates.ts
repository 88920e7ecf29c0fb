import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { certificateFunctions, isSignedCall, signingGenerator } from '../../generate/certificates/certificate-call.ts'
import { type CertificateFacts, readCertificate } from '../../generate/certificates/read-certificate.ts'
import { GenerateError } from '../../generate/generate-error.ts'
import type { Parts } from '../../generate/make-parts.ts'
import type { Generator } from '../../model/binding.ts'
import type { Crypto } from '../../model/ports.ts'

/** A certificate of a generator, and when it ends. */
export interface KnownCertificate {
  readonly generator: Generator
  readonly notAfter: number
  /** From then on it should be another one. */
  readonly renewAt: number
  /** We hold the key of the authority that signs it. */
  readonly isRenewable: boolean
}

/** The certificates that generators have made; what cannot be read is none. */
export function knownCertificates(
  generators: readonly Generator[],
  parts: ReadonlyMap<string, Parts>,
): readonly KnownCertificate[] {
  return generators.flatMap((generator) => {
    const cert = certificateFunctions.has(generator.function) ? parts.get(generator.name)?.get('cert') : undefined
    const facts = cert === undefined ? undefined : factsOf(cert)
    if (facts === undefined) return []
    const { notBefore, notAfter } = facts
    // as cert-manager does it: a third of the time is left to notice that it does not work
    const renewAt = notBefore + ((notAfter - notBefore) / 3) * 2
    return [{ generator, notAfter, renewAt, isRenewable: isRenewable(generator, parts) }]
  })
}

function factsOf(cert: string): CertificateFacts | undefined {
  try {
    return readCertificate(`${cert}\n`)
  } catch (error) {
    if (error instanceof GenerateError) return undefined
    throw error
  }
}

function isRenewable(
  { function: called, arguments: args, existing }: Generator,
  parts: ReadonlyMap<string, Parts>,
): boolean {
  if (existing !== undefined || !isSignedCall(called)) return false
  const signer = parts.get(signingGenerator(args[4] ?? '') ?? '')
  return signer?.has('cert') === true && signer.has('key')
}

/** A hash of what a certificate is made for: all that it says of its subject is public in it. */
export function recipeHash(args: readonly string[], crypto: Pick<Crypto, 'hash'>): string {
  return formatHex(crypto.hash('sha256', encodeUtf8(JSON.stringify(args.slice(0, 4))))).slice(0, 16)
}
