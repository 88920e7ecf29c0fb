import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { OCI_MANIFEST } from '../../../src/network/registry/manifest.ts'
import type { Registry } from '../../../src/network/registry/registry.ts'

/** What is pushed, and how. */
export interface ReleaseToPush {
  /** `csctl`: as csctl does; `oras`: as the build scripts of cluster-stacks do with the oras program. */
  readonly form: 'csctl' | 'oras'
  readonly files: Readonly<Record<string, string>>
  /** With `csctl`. */
  readonly annotations?: Readonly<Record<string, string>>
}

const layerTypes: readonly (readonly [RegExp, string])[] = [
  [/cluster-class.*\.tgz$/, 'application/vnd.scs.cluster-class.v1.tar+gzip'],
  [/cluster-addon.*\.tgz$/, 'application/vnd.scs.cluster-addon.layer.v1.tar+gzip'],
  [/^clusteraddon\.yaml$/, 'application/vnd.scs.cluster-addon.config.layer.v1+yaml'],
  [/^metadata\.yaml$/, 'application/vnd.scs.metadata.layer.v1+yaml'],
  [/^hashes\.json$/, 'application/vnd.scs.hashes.layer.v1+yaml'],
]
const LAYER = 'application/vnd.oci.image.layer.v1.tar'

/** metadata.yaml of a release. */
export function metadataText(version: string, kubernetes: string): string {
  const components = `{clusterAddon: ${version}, nodeImage: v1}`
  return `apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1\nversions: {clusterStack: ${version}, kubernetes: ${kubernetes}, components: ${components}}\n`
}

/** Pushes a release under a tag, over whatever is there; gives the digest of its manifest. */
export async function pushRelease(registry: Registry, tag: string, release: ReleaseToPush): Promise<string> {
  const { form, files, annotations = {} } = release
  const config = encodeUtf8('{}')
  const layers: unknown[] = []
  for (const [title, text] of Object.entries(files)) {
    const bytes = encodeUtf8(text)
    const type = form === 'csctl' ? layerTypes.find(([pattern]) => pattern.test(title))?.[1] : undefined
    layers.push({
      mediaType: type ?? LAYER,
      digest: await registry.pushBlob(bytes),
      size: bytes.length,
      annotations: { 'org.opencontainers.image.title': title },
    })
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    artifactType: form === 'csctl' ? 'application/vnd.scs.cluster-stacks.v1' : 'application/vnd.clusterstack.release',
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      digest: await registry.pushBlob(config),
      size: 2,
      data: 'e30=',
    },
    layers,
    ...(form === 'csctl' && { annotations }),
  }
  const { digest } = await registry.pushManifest(tag, {
    bytes: encodeUtf8(JSON.stringify(manifest)),
    mediaType: OCI_MANIFEST,
  })
  return digest
}
