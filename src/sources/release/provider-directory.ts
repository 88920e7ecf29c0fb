import type { SourceConfig } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, parseVersion } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { originPath } from './origin-path.ts'
import { buildProviderRelease, openProviderFiles, providerReleaseName, withoutConfig } from './provider-release.ts'
import { listFolder, openFolder, readFolderFile, readProviderTree } from './read-folder.ts'
import type { ReadRelease } from './read-result.ts'
import { CONFIG_NAMES, parseStackConfig } from './stack-config.ts'

/** A provider directory as the fleet names it. */
export type ProviderDirectorySource = Extract<SourceConfig, { readonly type: 'providerDirectory' }>

type ReleasePorts = Pick<Ports, 'files' | 'compression' | 'crypto'>

/**
 * The one release that a provider directory holds; only its configuration is read when the source gives the version.
 * @throws StackmasonError FILE_*, RELEASE_INCOMPLETE, RELEASE_METADATA_INVALID, RELEASE_NAME_INVALID, RELEASE_TOO_LARGE
 */
export async function nameProviderRelease(source: ProviderDirectorySource, ports: ReleasePorts): Promise<ReleaseName> {
  const version = versionOf(source)
  const folder = await openFolder(source.path, ports.files, source.at)
  if (version === undefined) {
    const files = await readProviderTree(folder, ports.files)
    return openProviderFiles({ origin: source.path, files }, undefined, ports.crypto).name
  }
  const names = (await listFolder(folder, ports.files)).map((entry) => entry.name)
  const file = CONFIG_NAMES.find((name) => names.includes(name))
  if (file === undefined) throw withoutConfig(source.path, names)
  const bytes = await readFolderFile(folder, file, ports.files)
  return providerReleaseName(parseStackConfig(bytes, originPath(source.path, file)), version)
}

/**
 * Reads a provider directory of this machine and builds its release. Gives undefined when the directory holds another
 * release than `wanted`.
 * @throws StackmasonError FILE_*, RELEASE_*, CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*
 */
export async function readProviderDirectory(
  source: ProviderDirectorySource,
  wanted: ReleaseName,
  ports: ReleasePorts,
): Promise<ReadRelease | undefined> {
  const version = versionOf(source)
  const files = await readProviderTree(await openFolder(source.path, ports.files, source.at), ports.files)
  const opened = openProviderFiles({ origin: source.path, files }, version, ports.crypto)
  return formatTag(opened.name) === formatTag(wanted) ? buildProviderRelease(opened, ports) : undefined
}

/** @throws StackmasonError RELEASE_NAME_INVALID */
function versionOf({ version, at }: ProviderDirectorySource): ReleaseName['version'] | undefined {
  return version === undefined ? undefined : parseVersion(version, { at })
}
