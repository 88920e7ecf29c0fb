import { compareBytes } from '../codec/text/text-order.ts'
import { digestOf } from '../codec/bytes/digest.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { ChartFile } from '../model/chart.ts'
import type { Crypto } from '../model/ports.ts'

/** Media type of the manifest. */
export const MANIFEST_MEDIA_TYPE = 'application/vnd.oci.image.manifest.v1+json'

/** The bytes in place of an image's configuration (OCI image spec 1.1, "empty descriptor"). */
export const EMPTY_CONFIG: Uint8Array = encodeUtf8('{}')

const ARTIFACT_TYPE = 'application/vnd.scs.cluster-stacks.v1'
const EMPTY_MEDIA_TYPE = 'application/vnd.oci.empty.v1+json'
/** The media type that csctl's registry library uses for a file without one. */
const OTHER_MEDIA_TYPE = 'application/vnd.oci.image.layer.v1.tar'

const byName: ReadonlyMap<string, string> = new Map([
  ['clusteraddon.yaml', 'application/vnd.scs.cluster-addon.config.layer.v1+yaml'],
  ['metadata.yaml', 'application/vnd.scs.metadata.layer.v1+yaml'],
  ['hashes.json', 'application/vnd.scs.hashes.layer.v1+yaml'],
  ['node-images.yaml', 'application/vnd.scs.node-image.config.layer.v1+yaml'],
])

/** The media type of a release's file (csctl pkg/cmd mediatype.go, in the order in which it looks). */
export function mediaTypeOf(file: string): string {
  const known = byName.get(file)
  if (known !== undefined) return known
  if (!file.endsWith('.tgz')) return OTHER_MEDIA_TYPE
  if (file.includes('cluster-addon')) return 'application/vnd.scs.cluster-addon.layer.v1.tar+gzip'
  if (file.includes('cluster-class')) return 'application/vnd.scs.cluster-class.v1.tar+gzip'
  return file.includes('node-image') ? 'application/vnd.scs.node-image.layer.v1.tar+gzip' : OTHER_MEDIA_TYPE
}

/** The facts about the release in its manifest, for lists that do not fetch it. */
export interface ManifestFacts {
  readonly kubernetesVersion: string
  /** The hash of the provider directory; its first seven characters are said. */
  readonly hash: string
  /** When it is published, milliseconds since 1970. */
  readonly created: number
}

/**
 * The manifest of a release as csctl pushes it: an OCI image manifest 1.1 with an empty configuration and one layer per
 * file, in byte order of the names. It says when it is published, which lists show, so only layers tell whether two
 * releases are equal.
 */
export function formatManifest(assets: readonly ChartFile[], facts: ManifestFacts, crypto: Crypto): Uint8Array {
  const layers = assets
    .toSorted((a, b) => compareBytes(a.path, b.path))
    .map(({ path, bytes }) => ({
      mediaType: mediaTypeOf(path),
      digest: digestOf(bytes, crypto),
      size: bytes.length,
      annotations: { 'org.opencontainers.image.title': path },
    }))
  return encodeUtf8(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_MEDIA_TYPE,
      artifactType: ARTIFACT_TYPE,
      config: { mediaType: EMPTY_MEDIA_TYPE, digest: digestOf(EMPTY_CONFIG, crypto), size: 2, data: 'e30=' },
      layers,
      annotations: {
        hash: facts.hash.slice(0, 7),
        kubernetesVersion: facts.kubernetesVersion,
        'org.opencontainers.image.created': new Date(facts.created).toISOString().replace(/\.\d+Z$/, 'Z'),
      },
    }),
  )
}
