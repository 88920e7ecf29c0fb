import { compareBytes } from '../../codec/text/text-order.ts'
import { writeTar } from '../../codec/bytes/tar.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { readTarArchive } from '../archive/read-archive.ts'
import { buildProviderRelease, openProviderFiles } from './provider-release.ts'
import { folderLimits, tooLarge } from './read-folder.ts'
import type { ReadRelease } from './read-result.ts'

/** A provider directory as one file. */
export interface ProviderArchive {
  readonly bytes: Uint8Array
  /** Where the directory lies, for messages. */
  readonly origin: string
  /**
   * The release that it must make; its version is the one that is built. Without one the version is that of the content
   * hash.
   */
  readonly name?: ReleaseName
}

/** The asset PROVIDER_ARCHIVE: equal files give equal bytes, whatever their order. */
export function writeProviderArchive(files: readonly ChartFile[]): Uint8Array {
  return writeTar(files.toSorted((a, b) => compareBytes(a.path, b.path)))
}

/**
 * Builds the release of a provider directory that was fetched as the asset PROVIDER_ARCHIVE.
 * @throws StackmasonError RELEASE_MISMATCH when it makes another release, RELEASE_*, CHART_INVALID,
 * CHART_VALUES_INVALID, ARCHIVE_*
 */
export async function readProviderArchive(
  { bytes, origin, name }: ProviderArchive,
  ports: Pick<Ports, 'compression' | 'crypto'>,
): Promise<ReadRelease> {
  if (bytes.length > 2 * folderLimits.totalBytes) throw tooLarge(origin, `more than ${folderLimits.totalBytes} bytes`)
  const files = readTarArchive(bytes, origin, { maxEntries: folderLimits.files, maxFileBytes: folderLimits.fileBytes })
  const opened = openProviderFiles({ origin, files }, name?.version, ports.crypto)
  if (name !== undefined && formatTag(opened.name) !== formatTag(name)) {
    throw new StackmasonError({
      code: 'RELEASE_MISMATCH',
      severity: 'error',
      message: `${origin} makes the release ${formatTag(opened.name)} instead of ${formatTag(name)}`,
      file: origin,
    })
  }
  return buildProviderRelease(opened, ports)
}
