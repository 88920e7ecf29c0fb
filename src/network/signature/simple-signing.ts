import { decodeBase64 } from '../../codec/bytes/base64.ts'
import type { Crypto } from '../../model/ports.ts'
import { textAt } from '../../model/field.ts'
import { parseJsonObject } from '../registry/manifest.ts'
import { comparedAddress } from '../transport/compared-address.ts'
import type { PublicKey } from './public-keys.ts'

/** A signature as a layer of a signature manifest has it. */
export interface Signature {
  /** The layer's bytes: what was signed. */
  readonly payload: Uint8Array
  /** In base64, from the layer's annotation. */
  readonly signature: string
}

/** The release that must have been signed. */
export interface SignedRelease {
  /** Of the manifest. */
  readonly digest: string
  /** `host/path` */
  readonly repository: string
  readonly tag: string
}

/** The type in the payload of a signature. */
export const TYPE = 'cosign container image signature'
/** The annotation of a layer that holds the signature over it. */
export const SIGNATURE = 'dev.cosignproject.cosign/signature'
/** Media type of such a layer. */
export const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json'

/**
 * Checks one signature (cosign's SIGNATURE_SPEC, "simple signing"): made by one of the keys over this payload, and the
 * payload speaks of this manifest in this repository. Undefined when it is good, else the reason.
 */
export function checkSignature(
  { payload, signature }: Signature,
  release: SignedRelease,
  { keys, crypto }: { readonly keys: readonly PublicKey[]; readonly crypto: Crypto },
): string | undefined {
  const bytes = decodeBase64(signature)
  if (bytes === undefined || bytes.length === 0) return 'is not written in base64'
  // first of all, so that nothing is read that an unknown person wrote
  if (!keys.some(({ pem }) => crypto.verify(pem, payload, bytes)))
    return 'was made by another key, or over other content'
  const claim = parseJsonObject(payload)
  if ('reason' in claim) return `is over something else than a claim: ${claim.reason}`
  const type = textAt(claim.value, 'critical', 'type')
  if (type !== TYPE) return `is of the type ${JSON.stringify(type.slice(0, 100))} instead of "${TYPE}"`
  const digest = textAt(claim.value, 'critical', 'image', 'docker-manifest-digest')
  if (digest !== release.digest) return 'is for another digest'
  const reference = textAt(claim.value, 'critical', 'identity', 'docker-reference')
  const accepted = [release.repository, `${release.repository}:${release.tag}`, `${release.repository}@${digest}`]
  const spelling = comparedAddress(`oci://${reference}`)
  return accepted.some((one) => comparedAddress(`oci://${one}`) === spelling)
    ? undefined
    : `is for ${JSON.stringify(reference.slice(0, 200))}`
}
