import type { Ports } from '../../model/ports.ts'
import { PROVIDER_ARCHIVE } from '../../model/release-source.ts'
import type { ReleaseName } from '../../model/release.ts'
import { readProviderArchive } from './provider-archive.ts'
import { readAssets } from './read-assets.ts'
import type { ReadRelease } from './read-result.ts'
import type { ReleaseAssets } from './release-assets.ts'

/**
 * Reads a release from what its source offers: the assets of a published release, or a provider directory as the one
 * asset PROVIDER_ARCHIVE.
 * @throws StackmasonError as {@link readAssets} and {@link readProviderArchive}
 */
export async function readLocatedRelease(
  assets: ReleaseAssets,
  name: ReleaseName,
  ports: Pick<Ports, 'compression' | 'crypto'>,
): Promise<ReadRelease> {
  if (!assets.names.includes(PROVIDER_ARCHIVE)) return readAssets(assets, name, ports)
  return readProviderArchive({ bytes: await assets.read(PROVIDER_ARCHIVE), origin: assets.origin, name }, ports)
}
