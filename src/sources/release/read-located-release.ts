import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
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
  if (assets.isSigned === true) throw withoutVersion(assets.origin, name)
  return readProviderArchive({ bytes: await assets.read(PROVIDER_ARCHIVE), origin: assets.origin, name }, ports)
}

/** A provider directory takes its version from the tag, so an older one that was signed would do under any tag. */
function withoutVersion(origin: string, name: ReleaseName): StackmasonError {
  return new StackmasonError({
    code: 'RELEASE_MISMATCH',
    severity: 'error',
    message: `${origin} holds a provider directory, which says no version: its signature is not for ${formatTag(name)}`,
    file: origin,
    hint: 'Build the release with `stackmason build`, and sign that.',
  })
}
