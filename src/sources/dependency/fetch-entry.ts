import { digestOf } from '../../codec/bytes/digest.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import {
  placeOf,
  type DependencyContext,
  type DependencyRequest,
  type ResolvedDependency,
} from './dependency-context.ts'
import { fetchFromWeb } from './fetch-from-web.ts'
import { fetchOciArchive, openChartRegistry } from './oci-chart.ts'
import { readArchiveOf } from './read-archive-of.ts'
import type { OfferedChart } from './offered-charts.ts'
import { signerOf } from './repository-access.ts'
import { resolveUrl } from './resolve-url.ts'

/** An index may list mirrors; nobody needs more tries than that. */
const MAX_URLS = 5

/**
 * Fetches the archive of a version in an index: from the cache if its digest is there, else from the first of its
 * addresses that has it.
 * @throws StackmasonError of the first address: FETCH_*, ARCHIVE_*, CHART_INVALID, CHART_VALUES_INVALID
 */
export async function fetchEntry(
  dependency: DependencyRequest,
  entry: OfferedChart,
  context: DependencyContext,
): Promise<ResolvedDependency> {
  const { version, digest } = entry
  const urls = entry.urls.slice(0, MAX_URLS).map((url) => resolveUrl(dependency.repository, url) ?? url)
  // what is in the cache says nothing of who signed it
  const isSigned = urls.some((url) => signerOf({ url, repository: dependency.repository }, context.repositories))
  const cached = digest === undefined || isSigned ? undefined : await context.cache.get(digest)
  let first: unknown
  for (const url of urls) {
    try {
      const { bytes, ...signed } =
        cached === undefined ? await fetchChart(dependency, { url, version, digest }, context) : { bytes: cached }
      readArchiveOf(dependency, { bytes, version, url }, context.ports)
      return { version, url, ...signed, digest: digestOf(bytes, context.ports.crypto), bytes }
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      first ??= error
    }
  }
  throw first
}

/** Fetches the chart at one address. */
async function fetchChart(
  dependency: DependencyRequest,
  { url, version, digest }: { readonly url: string; readonly version: string; readonly digest: string | undefined },
  context: DependencyContext,
): Promise<Pick<ResolvedDependency, 'bytes' | 'revision'>> {
  const { repository, name } = dependency
  const expected = digest === undefined ? {} : { digest }
  const options = { repository, purpose: `chart ${name} ${version}`, ...expected, ...placeOf(dependency) }
  if (!/^oci:/i.test(url)) {
    if (signerOf({ url, repository }, context.repositories) !== undefined) throw unsigned(dependency, url)
    return { bytes: await fetchFromWeb({ url, ...options }, context) }
  }
  const opened = await openChartRegistry(url, options, context)
  const tag = opened?.tag
  const archive = opened && tag !== undefined ? await fetchOciArchive(opened, tag, { ...options, context }) : undefined
  if (archive !== undefined) {
    const { bytes, revision } = archive
    return { bytes, ...(revision !== undefined && { revision }) }
  }
  throw new StackmasonError({
    code: opened === undefined || tag === undefined ? 'FETCH_INVALID' : 'FETCH_NOT_FOUND',
    severity: 'error',
    message: `the index of ${shownUrl(repository)} says that chart ${name} ${version} is at ${shownUrl(url)}, and it is not`,
    ...placeOf(dependency),
  })
}

/** Only registries keep signatures. */
function unsigned(dependency: DependencyRequest, url: string): StackmasonError {
  return new StackmasonError({
    code: 'SIGNATURE_MISSING',
    severity: 'error',
    message: `chart ${dependency.name} must be signed, and ${shownUrl(url)} is in no registry that could keep a signature`,
    ...placeOf(dependency),
    hint: 'Take the chart from a registry (`oci://`), or remove the public keys from its repository in `spec.chartRepositories`.',
  })
}
