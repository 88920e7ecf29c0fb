import { digestOf } from '../../codec/bytes/digest.ts'
import { gzip } from '../../codec/bytes/gzip.ts'
import { type TarFile, writeTar } from '../../codec/bytes/tar.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { Crypto } from '../../model/ports.ts'
import { OCI_MANIFEST } from '../../network/registry/manifest.ts'

/** Bytes with their digest. */
export interface Blob {
  readonly bytes: Uint8Array
  /** `sha256:<hex>`. */
  readonly digest: string
}

/** Files as an artifact holds them. */
export interface PackedFiles {
  readonly config: Blob
  readonly layer: Blob
  readonly types: ArtifactTypes
}

/** Media types of an artifact. */
export interface ArtifactTypes {
  readonly config: string
  readonly layer: string
}

/** Where the content of an artifact comes from: its annotations. */
export interface ArtifactOrigin {
  /** URL of the repository, without credentials. */
  readonly source: string
  /** `<branch>@sha1:<commit>`: Flux reads it. */
  readonly revision: string
  /** When that commit was made, RFC 3339. */
  readonly created: string
}

/** The artifact that a registry gets; its digest is that of the manifest. */
export interface Artifact extends PackedFiles {
  readonly manifest: Blob
  /** Of the manifest. */
  readonly mediaType: string
}

/** Names of the annotations. */
export const annotations = {
  created: 'org.opencontainers.image.created',
  revision: 'org.opencontainers.image.revision',
  source: 'org.opencontainers.image.source',
} as const

const FLUX: ArtifactTypes = {
  config: 'application/vnd.cncf.flux.config.v1+json',
  layer: 'application/vnd.cncf.flux.content.v1.tar+gzip',
}
/** Argo CD takes no other layers, unless each repo-server is told to. */
const ARGOCD: ArtifactTypes = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
}

/** The media types that a GitOps tool takes; those of Flux where there is none. */
export function typesFor(tool: GitopsTool | undefined): ArtifactTypes {
  return tool === 'argocd' ? ARGOCD : FLUX
}

/**
 * Packs files. Equal files give equal bytes on every machine: in byte order of their paths, no times, no owners, one
 * mode; the configuration names no more than the layer, as that of an image does.
 */
export function packArtifact(files: readonly TarFile[], types: ArtifactTypes, crypto: Crypto): PackedFiles {
  const tar = writeTar(files.toSorted((a, b) => compareBytes(a.path, b.path)))
  const rootfs = { type: 'layers', diff_ids: [digestOf(tar, crypto)] }
  const config = { architecture: '', os: '', config: {}, rootfs }
  return { types, layer: blob(gzip(tar), crypto), config: blob(encodeUtf8(JSON.stringify(config)), crypto) }
}

/** The artifact of packed files: equal files from equal places give equal digests. */
export function makeArtifact(packed: PackedFiles, origin: ArtifactOrigin, crypto: Crypto): Artifact {
  const { config, layer, types } = packed
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: descriptor(types.config, config),
    layers: [descriptor(types.layer, layer)],
    annotations: {
      [annotations.created]: origin.created,
      [annotations.revision]: origin.revision,
      [annotations.source]: origin.source,
    },
  }
  return { ...packed, mediaType: OCI_MANIFEST, manifest: blob(encodeUtf8(JSON.stringify(manifest)), crypto) }
}

function blob(bytes: Uint8Array, crypto: Crypto): Blob {
  return { bytes, digest: digestOf(bytes, crypto) }
}

function descriptor(mediaType: string, { bytes, digest }: Blob): object {
  return { mediaType, size: bytes.length, digest }
}

/** The revision of a commit as Flux writes it. */
export function formatRevision(branch: string, commit: string): string {
  return `${branch}@${commit.length === 64 ? 'sha256' : 'sha1'}:${commit}`
}
