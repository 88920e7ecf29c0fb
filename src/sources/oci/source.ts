import { compareBytes } from '../../codec/text/text-order.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { OciSourceConfig } from '../../model/fleet.ts'
import type { Environment } from '../../model/ports.ts'
import { formatTag, matchReleaseTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type {
  LocatedRelease,
  OfferedRelease,
  OfferedReleases,
  ReleaseAsset,
  ReleaseSource,
} from '../../model/release-source.ts'
import { parseMetadata } from '../release/metadata.ts'
import { readPublicKeys } from '../../network/signature/public-keys.ts'
import { verifySignatures } from '../../network/signature/verify-signatures.ts'
import type { SourceContext } from '../source-context.ts'
import { environmentRepository } from '../../network/registry/environment-repository.ts'
import { openRegistry } from '../../network/registry/open-registry.ts'
import type { RegistryManifest } from '../../network/registry/registry.ts'
import { MAX_LAYER_BYTES, releaseLayers, type ReleaseLayer } from './release-layers.ts'
import { formatReference, parseRepository, type RepositoryName } from '../../network/registry/repository-name.ts'

const SHOWN_TAGS = 5

/**
 * Opens a repository of releases: one tag per release, its files as layers with titles, as csctl and the oras program
 * push them. A tag may move; a revision (the manifest's digest) stays what it is.
 * @throws StackmasonError CONFIG_MISSING_FIELD or CONFIG_INVALID_VALUE for the repository, FILE_UNREADABLE,
 * CONFIG_INVALID_VALUE for a public key, FETCH_TLS
 */
export async function openOciSource(config: OciSourceConfig, context: SourceContext): Promise<ReleaseSource> {
  const { at, plainHttp, caFile, credentials, settings } = config
  const name = repositoryOf(config, context.ports.environment)
  const registry = await openRegistry({ ...name, plainHttp, at, caFile, credentials, settings }, context)
  const keys = await readPublicKeys(config.publicKeys, { files: context.ports.files, crypto: context.ports.crypto, at })

  function layersOf(manifest: RegistryManifest, tag: string): readonly ReleaseLayer[] {
    const layers = releaseLayers(manifest.manifest)
    if ('value' in layers) return layers.value
    const message = `${formatReference(name, tag)} cannot be used: ${layers.reason}`
    throw new StackmasonError({ code: 'FETCH_INVALID', severity: 'error', message, at })
  }

  async function list(): Promise<OfferedReleases> {
    const tags = await registry.listTags()
    if (tags !== undefined) return offerOf(tags, config, name)
    const message = `${name.host} has no repository ${name.repository}, or does not show it to those it does not know`
    throw new StackmasonError({ code: 'FETCH_NOT_FOUND', severity: 'error', message, at: config.repositoryAt ?? at })
  }

  async function describe(release: OfferedRelease): Promise<OfferedRelease> {
    const tag = formatTag(release.name)
    const manifest = await registry.getManifest(tag)
    if (manifest === undefined) return release
    const { annotations } = manifest.manifest
    const published = annotations.get('org.opencontainers.image.created')
    const kubernetesVersion =
      fullVersion(annotations.get('kubernetesVersion')) ?? (await metadataVersion(layersOf(manifest, tag), tag))
    return {
      ...release,
      revision: manifest.digest,
      ...(kubernetesVersion !== undefined && { kubernetesVersion }),
      ...(published !== undefined && { published }),
    }
  }

  async function metadataVersion(layers: readonly ReleaseLayer[], tag: string): Promise<string | undefined> {
    const layer = layers.find((one) => one.name === 'metadata.yaml')
    if (layer === undefined) return undefined
    const purpose = `metadata.yaml of ${formatReference(name, tag)}`
    const bytes = await registry.getBlob(layer.digest, { purpose, size: layer.size, maxBytes: 1024 * 1024 })
    return parseMetadata(bytes, purpose).kubernetesVersion
  }

  async function locate(release: ReleaseName, revision?: string): Promise<LocatedRelease | undefined> {
    const tag = formatTag(release)
    const manifest = await registry.getManifest(revision ?? tag)
    if (manifest === undefined) return undefined
    if (keys.length > 0) await verifySignatures({ registry, digest: manifest.digest, tag, keys, at }, context)
    return {
      name: release,
      from: `oci://${formatReference(name, tag)}`,
      revision: manifest.digest,
      assets: layersOf(manifest, tag),
    }
  }

  async function fetchAsset(release: LocatedRelease, asset: ReleaseAsset): Promise<Uint8Array> {
    const { digest, size } = asset
    const purpose = `${asset.name} of ${release.from}`
    return registry.getBlob(digest ?? '', { purpose, maxBytes: MAX_LAYER_BYTES, size })
  }

  return { list, describe, locate, fetch: fetchAsset }
}

/** @throws StackmasonError CONFIG_MISSING_FIELD, CONFIG_INVALID_VALUE */
function repositoryOf(config: OciSourceConfig, environment: Environment): RepositoryName {
  const { repository, at } = config
  const outcome = repository === undefined ? environmentRepository(environment) : parseRepository(repository)
  if ('value' in outcome) return outcome.value
  const isUnset = repository === undefined && (environment.get('OCI_REPOSITORY') ?? '') === ''
  throw new StackmasonError({
    code: isUnset ? 'CONFIG_MISSING_FIELD' : 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message: `the repository of source "${config.name}" ${isUnset ? 'is missing' : 'is not valid'}: ${outcome.reason}`,
    at,
    hint: 'Write `repository: <host>/<path>` below `oci`, or set OCI_REGISTRY and OCI_REPOSITORY.',
  })
}

/** Sorts tags into releases and others; those of cosign belong to releases and are not worth a word. */
function offerOf(tags: readonly string[], { at }: OciSourceConfig, name: RepositoryName): OfferedReleases {
  const releases: OfferedRelease[] = []
  const odd: string[] = []
  for (const tag of [...tags].sort(compareBytes)) {
    const outcome = matchReleaseTag(tag)
    // v007 and v1-stable-3 parse, but would be asked for as v7 and v1
    if ('value' in outcome && formatTag(outcome.value) === tag) releases.push({ name: outcome.value })
    else if (!/^sha256-[0-9a-f]{64}(?:\.\w+)?$/.test(tag)) odd.push(tag)
  }
  if (odd.length === 0) return { releases, findings: [] }
  const more = odd.length > SHOWN_TAGS ? ` and ${odd.length - SHOWN_TAGS} more` : ''
  const finding: Diagnostic = {
    code: 'RELEASE_TAG_SKIPPED',
    severity: 'note',
    message: `tags of ${name.host}/${name.repository} that are not release names were skipped: ${odd.slice(0, SHOWN_TAGS).join(', ')}${more}`,
    at,
  }
  return { releases, findings: [finding] }
}

/** The version with `v`; undefined for what is none. */
function fullVersion(text: string | undefined): string | undefined {
  const version = /^v?(\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]+)?)$/.exec(text ?? '')?.[1]
  return version === undefined ? undefined : `v${version}`
}
