import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { OCI_INDEX, OCI_MANIFEST } from '../../../src/network/registry/manifest.ts'
import type { Registry } from '../../../src/network/registry/registry.ts'

/** A pair of keys of a test. */
export interface SigningKey {
  readonly privateKey: KeyObject
  /** In PEM. */
  readonly publicKey: string
}

/** Makes keys; cosign's own are of P-256. */
export function makeSigningKey(type: 'ec' | 'ed25519' | 'rsa' = 'ec'): SigningKey {
  const { privateKey, publicKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519')
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

/** What a payload claims. */
export interface Claim {
  readonly digest: string
  readonly repository: string
  readonly type?: string
}

/** The payload as cosign writes it. */
export function formatClaim({ digest, repository, type = 'cosign container image signature' }: Claim): string {
  const identity = { 'docker-reference': repository }
  return JSON.stringify({ critical: { identity, image: { 'docker-manifest-digest': digest }, type }, optional: null })
}

/** The signature of a payload in base64. */
export function signPayload(payload: string, key: SigningKey): string {
  const algorithm = key.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return sign(algorithm, Buffer.from(payload), key.privateKey).toString('base64')
}

/** A payload and what is said to be its signature. */
export interface PushedSignature {
  readonly payload: string
  /** Left out when undefined. */
  readonly signature: string | undefined
}

/** Where signatures are put: under cosign's tag, or as a referrer by the fallback tag of OCI 1.1. */
export type SignaturePlace = 'tag' | 'referrer'

/** Pushes a manifest with these signatures of a digest, as cosign lays it out; gives its digest. */
export async function pushSignatures(
  registry: Registry,
  digest: string,
  signatures: readonly PushedSignature[],
  { place = 'tag' }: { readonly place?: SignaturePlace } = {},
): Promise<string> {
  const layers = await Promise.all(
    signatures.map(async ({ payload, signature }) => ({
      mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
      digest: await registry.pushBlob(encodeUtf8(payload)),
      size: encodeUtf8(payload).length,
      ...(signature !== undefined && { annotations: { 'dev.cosignproject.cosign/signature': signature } }),
    })),
  )
  const config = encodeUtf8(
    JSON.stringify({ architecture: '', os: '', rootfs: { type: 'layers', diff_ids: [] }, config: {} }),
  )
  const artifactType = 'application/vnd.dev.cosign.artifact.sig.v1+json'
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    ...(place === 'referrer' && { artifactType, subject: { mediaType: OCI_MANIFEST, digest, size: 1 } }),
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      size: config.length,
      digest: await registry.pushBlob(config),
    },
    layers,
  }
  const bytes = encodeUtf8(JSON.stringify(manifest))
  const tag = `${digest.replace(':', '-')}.sig`
  const pushed = await registry.pushManifest(place === 'tag' ? tag : `by-${tag}`, { bytes, mediaType: OCI_MANIFEST })
  if (place === 'referrer') {
    const entry = { mediaType: OCI_MANIFEST, digest: pushed.digest, size: bytes.length, artifactType }
    const index = encodeUtf8(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: [entry] }))
    await registry.pushManifest(digest.replace(':', '-'), { bytes: index, mediaType: OCI_INDEX })
  }
  return pushed.digest
}

/** What a bundle states. */
export interface Statement {
  readonly digest: string
  readonly predicateType?: string
  readonly payloadType?: string
}

/** A bundle as `cosign sign` of version 3 makes it with a key. */
export function makeBundle(statement: Statement, key: SigningKey): string {
  const {
    digest,
    predicateType = 'https://sigstore.dev/cosign/sign/v1',
    payloadType = 'application/vnd.in-toto+json',
  } = statement
  const subject = [{ digest: { sha256: digest.replace('sha256:', '') } }]
  const payload = JSON.stringify({ _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate: {} })
  const signed = `DSSEv1 ${payloadType.length} ${payloadType} ${Buffer.byteLength(payload)} ${payload}`
  const encoded = Buffer.from(payload).toString('base64')
  return JSON.stringify({
    mediaType: BUNDLE,
    verificationMaterial: { publicKey: { hint: 'x' } },
    dsseEnvelope: { payload: encoded, payloadType, signatures: [{ sig: signPayload(signed, key) }] },
  })
}

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json'

/**
 * Pushes bundles as referrers of a digest, one manifest each, and the fallback index that names them: as cosign 3.0.2
 * writes it, or as its specification says.
 */
export async function pushBundles(
  registry: Registry,
  digest: string,
  bundles: readonly { readonly text: string; readonly predicateType?: string }[],
  { index: form = 'cosign' }: { readonly index?: 'cosign' | 'specification' } = {},
): Promise<void> {
  const entries: unknown[] = []
  for (const { text, predicateType } of bundles) {
    const bytes = encodeUtf8(text)
    const config = encodeUtf8('{}')
    const annotations = {
      'dev.sigstore.bundle.content': 'dsse-envelope',
      ...(predicateType !== undefined && { 'dev.sigstore.bundle.predicateType': predicateType }),
    }
    const manifest = {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      artifactType: BUNDLE,
      config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: await registry.pushBlob(config), size: 2 },
      layers: [{ mediaType: BUNDLE, digest: await registry.pushBlob(bytes), size: bytes.length }],
      annotations,
      subject: { mediaType: OCI_MANIFEST, digest, size: 1 },
    }
    const manifestBytes = encodeUtf8(JSON.stringify(manifest))
    const tag = `bundle-${entries.length}-of-${digest.slice('sha256:'.length)}`
    const pushed = await registry.pushManifest(tag, { bytes: manifestBytes, mediaType: OCI_MANIFEST })
    const size = manifestBytes.length
    entries.push({
      mediaType: OCI_MANIFEST,
      digest: pushed.digest,
      size,
      ...(form === 'cosign' ? { artifactType: manifest.config.mediaType } : { artifactType: BUNDLE, annotations }),
    })
  }
  const index = JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: entries })
  await registry.pushManifest(digest.replace(':', '-'), { bytes: encodeUtf8(index), mediaType: OCI_INDEX })
}
