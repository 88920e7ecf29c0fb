import { formatSemver } from '../../codec/semver-version.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { OciDescriptor } from '../oci/manifest.ts'
import { openRegistry, type Registry } from '../oci/registry.ts'
import { shownUrl } from '../transport/shown-url.ts'
import { readVersion, type Versioned } from './choose-version.ts'
import { placeOf, type DependencyContext, type DependencyPlace } from './dependency-context.ts'
import { MAX_BYTES } from './fetch-from-web.ts'
import { reachOf } from './repository-access.ts'

/** Media types of a chart's layer: today's, and that of the first years (Helm pkg/registry). */
const layerTypes: readonly string[] = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip']

/** A chart in a registry: `oci://host/path/name`, with or without a tag. */
export interface OciReference {
  readonly host: string
  /** Path and name of the chart. */
  readonly repository: string
  readonly tag?: string
}

/** Takes an address of a chart apart; undefined when it is none. */
export function parseOciReference(url: string): OciReference | undefined {
  const match =
    /^oci:\/\/((?:[^/:@?#\s[\]]+|\[[0-9a-f:]+\])(?::\d+)?)\/([^:@?#\s]+?)\/?(?::([\w][\w.+-]{0,127}))?$/i.exec(url)
  const [, host, repository, tag] = match ?? []
  if (host === undefined || repository === undefined) return undefined
  return { host, repository, ...(tag === undefined ? {} : { tag }) }
}

/** Tags cannot have the `+` of a version: Helm writes `_` (pkg/registry). */
export function tagOf(version: string): string {
  return version.replaceAll('+', '_')
}

/**
 * Opens the registry of a chart with what the fleet says about it; undefined when the address is none.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS
 */
export async function openChartRegistry(
  url: string,
  from: DependencyPlace & { readonly repository: string },
  context: DependencyContext,
): Promise<{ readonly registry: Registry; readonly tag?: string } | undefined> {
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
      ...(caFile === undefined ? {} : { caFile }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(at === undefined ? {} : { at }),
    },
    context,
  )
  return { registry, ...(reference.tag === undefined ? {} : { tag: reference.tag }) }
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
  readonly bytes: Uint8Array
}

/**
 * Fetches the chart of a tag; undefined when there is no such tag. `digest`, where given, is that of the manifest or of the archive: indexes
 * that point into registries know either.
 * @throws StackmasonError FETCH_*
 */
export async function fetchOciArchive(
  registry: Registry,
  version: string,
  options: DependencyPlace & { readonly purpose: string; readonly digest?: string },
): Promise<OciArchive | undefined> {
  const found = await registry.getManifest(tagOf(version))
  if (found === undefined) return undefined
  const layer = chartLayer(found.manifest.layers)
  const where = `${registry.host}/${registry.repository}:${tagOf(version)}`
  if (layer === undefined) {
    throw new StackmasonError({
      code: 'FETCH_INVALID',
      severity: 'error',
      message: `${shownUrl(where)} is no Helm chart: it has no layer of type ${layerTypes[0] ?? ''}`,
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
  return { digest, bytes: await registry.getBlob(digest, { purpose: options.purpose, size, maxBytes: MAX_BYTES }) }
}

function chartLayer(layers: readonly OciDescriptor[]): OciDescriptor | undefined {
  for (const type of layerTypes) {
    const layer = layers.find(({ mediaType }) => mediaType === type)
    if (layer !== undefined) return layer
  }
  return undefined
}
