import { withoutTrailingSlashes } from '../../codec/path.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import { SemverError } from '../../codec/semver/semver-version.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { chooseVersion, findVersion, readVersion, type Versioned } from './choose-version.ts'
import {
  placeOf,
  type DependencyContext,
  type DependencyRequest,
  type ResolvedDependency,
} from './dependency-context.ts'
import { fetchEntry } from './fetch-entry.ts'
import { readRepositoryIndex } from './helm-repository.ts'
import { chartNotFound, versionNotFound } from './not-found.ts'
import {
  type ChartRegistry,
  fetchOciArchive,
  listChartVersions,
  type OciArchive,
  openChartRegistry,
  tagOf,
} from './oci-chart.ts'
import { readChartArchive } from '../chart/build-chart.ts'
import { readArchiveOf } from './read-archive-of.ts'
import { repositoryKind } from './repository-kind.ts'

/**
 * Finds what a dependency resolves to now, as `helm dependency update` does, and fetches it; the archive is in the
 * cache afterwards.
 * @throws StackmasonError DEPENDENCY_NOT_FOUND, DEPENDENCY_UNSUPPORTED, CHART_INVALID for a request that is no range,
 * FETCH_*, CACHE_FAILED, and what is wrong with the archive: ARCHIVE_*, CHART_INVALID, CHART_VALUES_INVALID
 */
export async function resolveDependency(
  dependency: DependencyRequest,
  context: DependencyContext,
): Promise<ResolvedDependency> {
  const resolved =
    repositoryKind(dependency) === 'oci'
      ? await resolveInRegistry(dependency, context)
      : await resolveInRepository(dependency, context)
  await context.cache.put(resolved.bytes)
  return { ...resolved, url: shownUrl(resolved.url) }
}

async function resolveInRepository(
  dependency: DependencyRequest,
  context: DependencyContext,
): Promise<ResolvedDependency> {
  const index = await readRepositoryIndex(dependency, context)
  const entries = index.get(dependency.name)
  if (entries === undefined) throw chartNotFound(dependency, [...index.keys()])
  const entry = choose(entries, dependency)
  if (entry === undefined) throw versionNotFound(dependency, entries)
  return fetchEntry(dependency, entry, context)
}

async function resolveInRegistry(
  dependency: DependencyRequest,
  context: DependencyContext,
): Promise<ResolvedDependency> {
  const { name, repository, request } = dependency
  const url = `${withoutTrailingSlashes(repository)}/${name}`
  const opened = await openChartRegistry(url, dependency, context)
  if (opened === undefined || opened.tag !== undefined) throw badReference(dependency, url)
  const { registry } = opened
  if (isDigest(request)) return resolveByDigest(dependency, { opened, url }, context)
  // A version is a tag; only a range needs the list of all.
  const exact = dependency.version ?? (readVersion(request) === undefined ? undefined : request)
  const version = exact ?? choose((await listChartVersions(registry)) ?? [], dependency)?.version
  const purpose = `chart ${name} ${version ?? request}`
  const archive =
    version === undefined
      ? undefined
      : await fetchOciArchive(opened, version, { purpose, context, ...placeOf(dependency) })
  if (version === undefined || archive === undefined) {
    const offered = await listChartVersions(registry)
    throw offered === undefined ? chartNotFound(dependency) : versionNotFound(dependency, offered)
  }
  const from = `${url}:${tagOf(version)}`
  const { metadata } = readArchiveOf(dependency, { bytes: archive.bytes, version, url: from }, context.ports)
  const digest = digestOf(archive.bytes, context.ports.crypto)
  return { version: metadata.version, url: from, ...revisionOf(archive), digest, bytes: archive.bytes }
}

/** True if a request names content, not a version: the digest of the chart's manifest in a registry. */
export function isDigest(request: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(request)
}

async function resolveByDigest(
  dependency: DependencyRequest,
  { opened, url }: { readonly opened: ChartRegistry; readonly url: string },
  context: DependencyContext,
): Promise<ResolvedDependency> {
  const { name, repository, request } = dependency
  const { ports } = context
  const options = { purpose: `chart ${name} ${request}`, digest: request, context, ...placeOf(dependency) }
  const archive = await fetchOciArchive(opened, request, options)
  if (archive === undefined) {
    throw new StackmasonError({
      code: 'DEPENDENCY_NOT_FOUND',
      severity: 'error',
      message: `the repository ${shownUrl(repository)} has no chart ${name} with the digest ${request}`,
      ...placeOf(dependency),
      hint: 'Give the digest of the manifest, as `helm push` and `oras resolve` print it.',
    })
  }
  const { version } = readChartArchive(archive.bytes, url, ports).metadata
  const from = `${url}:${tagOf(version)}`
  readArchiveOf(dependency, { bytes: archive.bytes, version, url: from }, ports)
  const digest = digestOf(archive.bytes, ports.crypto)
  return { version, url: from, ...revisionOf(archive), digest, bytes: archive.bytes }
}

function revisionOf({ revision }: OciArchive): Pick<ResolvedDependency, 'revision'> {
  return revision === undefined ? {} : { revision }
}

function choose<Item extends Versioned>(offered: readonly Item[], dependency: DependencyRequest): Item | undefined {
  const { name, request, version } = dependency
  if (version !== undefined) return findVersion(offered, version)
  try {
    return chooseVersion(offered, request)
  } catch (cause) {
    if (!(cause instanceof SemverError)) throw cause
    const message = `dependency ${name} asks for ${JSON.stringify(request)}, which is neither a version nor a range: ${cause.message}`
    throw new StackmasonError({ code: 'CHART_INVALID', severity: 'error', message, ...placeOf(dependency) }, { cause })
  }
}

function badReference(dependency: DependencyRequest, url: string): StackmasonError {
  return new StackmasonError({
    code: 'DEPENDENCY_UNSUPPORTED',
    severity: 'error',
    message: `dependency ${dependency.name} has a repository that is not a place in a registry: ${shownUrl(url)}`,
    ...placeOf(dependency),
    hint: 'Write oci://host/path, without a tag: the name of the chart is added to it.',
  })
}
