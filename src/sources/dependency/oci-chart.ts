import { formatSemver } from '../../codec/semver/semver-version.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { OciDescriptor } from '../../network/registry/manifest.ts'
import { openRegistry } from '../../network/registry/open-registry.ts'
import type { Registry } from '../../network/registry/registry.ts'
import { canonicalName, formatName } from '../../network/registry/repository-name.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { readVersion, type Versioned } from './choose-version.ts'
import { placeOf, type DependencyContext, type DependencyPlace } from './dependency-context.ts'
import { MAX_BYTES } from './fetch-from-web.ts'
import { CHART_SETTINGS, reachOf, signerOf } from './repository-access.ts'
import type { ChartRepository } from '../../model/fleet.ts'
import type { LockedDependency } from '../../model/lock.ts'
import { type PublicKey, readPublicKeys } from '../../network/signature/public-keys.ts'
import { type SignatureAdvice, verifySignatures } from '../../network/signature/verify-signatures.ts'
import type { SourceContext } from '../source-context.ts'

/** Media types of a chart's layer: today's, and that of the first years (Helm pkg/registry). */
const layerTypes: readonly string[] = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip']

/** A chart in a registry: `oci://host/path/name`, with or without a tag. */
export interface OciReference {
  readonly host: string
  /** Path and name of the chart. */
  readonly repository: string
  readonly tag: string | undefined
}

/** Takes an address of a chart apart; undefined when it is none. */
export function parseOciReference(url: string): OciReference | undefined {
  const match =
    /^oci:\/\/((?:[^/:@?#\s[\]]+|\[[0-9a-f:]+\])(?::\d+)?)\/([^:@?#\s]+?)\/?(?::([\w][\w.+-]{0,127}))?$/i.exec(url)
  const [, host, repository, tag] = match ?? []
  if (host === undefined || repository === undefined) return undefined
  return { host, repository, tag }
}

/** Tags cannot have the `+` of a version: Helm writes `_` (pkg/registry). */
export function tagOf(version: string): string {
  return version.replaceAll('+', '_')
}

/** The registry of a chart. */
export interface ChartRegistry {
  readonly registry: Registry
  /** Of the address. */
  readonly tag: string | undefined
  /** The entry of the fleet whose keys its charts must be signed with. */
  readonly signer: ChartRepository | undefined
  /** The name that the signature is for, `host/path`: a mirror keeps the signatures of others. */
  readonly signedAs: string
}

/**
 * Opens the registry of a chart with what the fleet says about it; undefined when the address is none.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS
 */
export async function openChartRegistry(
  url: string,
  from: DependencyPlace & { readonly repository: string },
  context: DependencyContext,
): Promise<ChartRegistry | undefined> {
  const { url: target, access, repository } = reachOf(url, from.repository, context.repositories)
  const reference = parseOciReference(target)
  if (reference === undefined) return undefined
  const at = repository?.at ?? from.at
  const { plainHttp, caFile, credentials } = access
  const registry = await openRegistry(
    {
      host: reference.host,
      repository: reference.repository,
      plainHttp,
      caFile,
      credentials,
      settings: CHART_SETTINGS,
      at,
    },
    context,
  )
  const signer = signerOf({ url, repository: from.repository }, context.repositories)
  return {
    registry,
    signedAs: formatName(canonicalName(parseOciReference(url) ?? reference)),
    tag: reference.tag,
    signer,
  }
}

/** The versions among the tags; as in Helm only complete versions count. @throws StackmasonError FETCH_* */
export async function listChartVersions(registry: Registry): Promise<readonly Versioned[] | undefined> {
  const tags = await registry.listTags()
  return tags
    ?.map((tag) => ({ version: tag.replaceAll('_', '+') }))
    .filter(({ version }) => {
      const parsed = readVersion(version)
      return parsed !== undefined && formatSemver(parsed) === version
    })
}

/** A chart's archive in a registry. */
export interface OciArchive {
  readonly digest: string
  /** Digest of the manifest, where the fleet asks for signatures: this is what was signed. */
  readonly revision: string | undefined
  readonly bytes: Uint8Array
}

/**
 * Fetches the chart of a tag; undefined when there is no such tag. `digest`, where given, is that of the manifest or of
 * the archive: indexes that point into registries know either. Where the fleet asks for signatures the manifest is
 * verified first.
 * @throws StackmasonError FETCH_*, SIGNATURE_*
 */
export async function fetchOciArchive(
  { registry, signer, signedAs }: ChartRegistry,
  version: string,
  options: DependencyPlace & { readonly purpose: string; readonly digest?: string; readonly context: SourceContext },
): Promise<OciArchive | undefined> {
  const found = await registry.getManifest(tagOf(version))
  if (found === undefined) return undefined
  if (signer !== undefined) {
    const { digest } = found
    await verifyChart({ digest, tag: tagOf(version) }, { registry, signedAs, signer }, options.context)
  }
  const layer = chartLayer(found.manifest.layers)
  const where = `${registry.host}/${registry.repository}:${tagOf(version)}`
  if (layer === undefined) {
    throw new StackmasonError({
      code: 'FETCH_INVALID',
      severity: 'error',
      message: `${shownUrl(where)} is not a Helm chart: it has no layer of type ${layerTypes[0] ?? ''}`,
      ...placeOf(options),
    })
  }
  if (options.digest !== undefined && ![found.digest, layer.digest].includes(options.digest)) {
    throw new StackmasonError({
      code: 'FETCH_DIGEST_MISMATCH',
      severity: 'error',
      message: `${options.purpose} at ${shownUrl(where)} has the digest ${layer.digest}, and must have ${options.digest}`,
      ...placeOf(options),
    })
  }
  const { digest, size } = layer
  const bytes = await registry.getBlob(digest, { purpose: options.purpose, size, maxBytes: MAX_BYTES })
  return { digest, revision: signer === undefined ? undefined : found.digest, bytes }
}

/**
 * Verifies that a chart is signed with one of the keys of its entry.
 * @throws SignatureError SIGNATURE_*
 * @throws StackmasonError FETCH_*, FILE_UNREADABLE, CONFIG_INVALID_VALUE
 */
export async function verifyChart(
  { digest, tag }: { readonly digest: string; readonly tag: string },
  { registry, signedAs, signer }: Pick<ChartRegistry, 'registry' | 'signedAs'> & { readonly signer: ChartRepository },
  context: SourceContext,
): Promise<void> {
  const keys = await readKeys(signer, context)
  const check = { registry, digest, tag, repository: signedAs, keys, at: signer.at, advice: chartAdvice }
  await verifySignatures(check, context)
}

/** The next steps for charts: the general ones speak of releases and their sources. */
const chartAdvice: SignatureAdvice = {
  SIGNATURE_MISSING:
    'Sign the chart with cosign, or remove the public keys from its repository in `spec.chartRepositories`.',
  SIGNATURE_INVALID:
    'Do not use the chart until you know who signed it; check the public keys of its repository in `spec.chartRepositories`.',
}

/** The public keys of an entry. @throws StackmasonError FILE_UNREADABLE, CONFIG_INVALID_VALUE */
async function readKeys({ publicKeys, at }: ChartRepository, { ports }: SourceContext): Promise<readonly PublicKey[]> {
  return readPublicKeys(publicKeys, { files: ports.files, crypto: ports.crypto, at })
}

/** Digest of the archive that a manifest beside a locked chart holds; undefined where it holds none. @throws StackmasonError FETCH_* */
export async function archiveOf(
  locked: LockedDependency,
  manifest: string,
  context: DependencyContext,
): Promise<string | undefined> {
  const { url, repository } = locked
  const opened = await openChartRegistry(url, { repository, ...placeOf(locked) }, context)
  const found = await opened?.registry.getManifest(manifest)
  return found && chartLayer(found.manifest.layers)?.digest
}

/** The layer with the chart's archive. */
export function chartLayer(layers: readonly OciDescriptor[]): OciDescriptor | undefined {
  for (const type of layerTypes) {
    const layer = layers.find(({ mediaType }) => mediaType === type)
    if (layer !== undefined) return layer
  }
  return undefined
}
