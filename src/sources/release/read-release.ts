import { StackmasonError } from '../../model/diagnostic.ts'
import type { LocalSourceConfig } from '../../model/fleet.ts'
import { nearestReleases } from '../../model/nearest-release.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { nameProviderRelease, readProviderDirectory } from './provider-directory.ts'
import { locateReleases, readDirectoryRelease } from './release-directory.ts'
import type { ListedReleases, ReadRelease } from './read-result.ts'

type ReleasePorts = Pick<Ports, 'files' | 'compression' | 'crypto'>

/**
 * Reads and checks one release of a source. Nothing is cached: read each release once per run.
 * @throws StackmasonError RELEASE_*, FILE_*, ARCHIVE_*, CHART_INVALID, CHART_VALUES_INVALID; RELEASE_NOT_FOUND names
 * what the source offers, nearest first
 */
export async function readRelease(
  source: LocalSourceConfig,
  name: ReleaseName,
  ports: ReleasePorts,
): Promise<ReadRelease> {
  const read =
    source.type === 'directory'
      ? await readDirectoryRelease(source, name, ports)
      : await readProviderDirectory(source, name, ports)
  if (read !== undefined) return read
  const { releases } = await listReleases(source, ports)
  throw new StackmasonError({
    code: 'RELEASE_NOT_FOUND',
    severity: 'error',
    message: `source "${source.name}" has no release ${formatTag(name)}`,
    at: source.at,
    hint: offerOf(source, nearestReleases(name, releases)),
  })
}

/**
 * The releases that a source offers, without reading them: a release in the list may still turn out to be incomplete.
 * @throws StackmasonError FILE_*, RELEASE_TOO_LARGE; for provider directories and the assets of one release RELEASE_*
 * when its name cannot be told
 */
export async function listReleases(source: LocalSourceConfig, ports: ReleasePorts): Promise<ListedReleases> {
  if (source.type === 'providerDirectory') {
    return { releases: [await nameProviderRelease(source, ports)], findings: [] }
  }
  const { located, findings } = await locateReleases(source, ports.files)
  return { releases: located.map(({ name }) => name), findings }
}

function offerOf(source: LocalSourceConfig, nearest: readonly ReleaseName[]): string {
  if (nearest.length === 0) {
    return `It offers none: ${source.path} has no folder called <provider>-<stack>-<major>-<minor>-<version>.`
  }
  const shown = nearest.slice(0, 8).map(formatTag).join(', ')
  return nearest.length > 8 ? `It offers ${shown} and ${nearest.length - 8} more.` : `It offers ${shown}.`
}
