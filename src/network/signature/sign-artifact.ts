import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Crypto } from '../../model/ports.ts'
import { OCI_MANIFEST, type OciDescriptor } from '../registry/manifest.ts'
import type { Registry } from '../registry/registry.ts'
import { canonicalName, formatName } from '../registry/repository-name.ts'
import type { SigningKey } from './signing-key.ts'
import { SIGNATURE, SIMPLE_SIGNING, TYPE } from './simple-signing.ts'

/** Signatures of others that are kept beside ours. */
const MAX_OTHERS = 49

/**
 * Signs what a digest names, as `cosign sign --key` does (SIGNATURE_SPEC): a manifest under the tag `sha256-<hex>.sig`
 * with one layer per signature. Where ours is there nothing is written; those of others stay.
 * @throws StackmasonError FETCH_*
 */
export async function signArtifact(
  { registry, digest, key }: { readonly registry: Registry; readonly digest: string; readonly key: SigningKey },
  crypto: Crypto,
): Promise<'signed' | 'exists'> {
  const tag = `${digest.replace(':', '-')}.sig`
  const payload = formatPayload(formatName(canonicalName(registry)), digest)
  const payloadDigest = digestOf(payload, crypto)
  const others = (await registry.getManifest(tag))?.manifest.layers ?? []
  const isOurs = ({ digest: layer, annotations }: OciDescriptor): boolean => {
    const signature = decodeBase64(annotations.get(SIGNATURE) ?? '')
    return layer === payloadDigest && signature !== undefined && crypto.verify(key.publicKey, payload, signature)
  }
  if (others.some(isOurs)) return 'exists'
  const layers = [
    ...others.slice(-MAX_OTHERS).map(({ mediaType, digest: layer, size, annotations }) => ({
      mediaType,
      size,
      digest: layer,
      annotations: Object.fromEntries(annotations),
    })),
    {
      mediaType: SIMPLE_SIGNING,
      size: payload.length,
      digest: await registry.pushBlob(payload),
      annotations: { [SIGNATURE]: key.sign(payload) },
    },
  ]
  const rootfs = { type: 'layers', diff_ids: layers.map(({ digest: layer }) => layer) }
  const config = encodeUtf8(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }))
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      size: config.length,
      digest: await registry.pushBlob(config),
    },
    layers,
  }
  await registry.pushManifest(tag, { bytes: encodeUtf8(JSON.stringify(manifest)), mediaType: OCI_MANIFEST })
  return 'signed'
}

/** The payload that is signed, byte for byte as cosign writes it. */
function formatPayload(repository: string, digest: string): Uint8Array {
  const identity = { 'docker-reference': repository }
  const image = { 'docker-manifest-digest': digest }
  return encodeUtf8(JSON.stringify({ critical: { identity, image, type: TYPE }, optional: null }))
}
