import type { ProviderDirectorySourceConfig } from '../../model/fleet.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import { listReleases, readRelease } from '../release/read-release.ts'
import type { SourceContext } from '../source-context.ts'

/**
 * Opens a provider directory, which offers the one release that can be built of it. It has no assets: it is read as a
 * whole.
 */
export async function openProviderDirectorySource(
  config: ProviderDirectorySourceConfig,
  { ports }: SourceContext,
): Promise<ReleaseSource> {
  return {
    list: async () => {
      const { releases, findings } = await listReleases(config, ports)
      return { releases: releases.map((name) => ({ name })), findings }
    },
    describe: async (offered) => {
      const { release } = await readRelease(config, offered.name, ports)
      return { ...offered, kubernetesVersion: release.kubernetesVersion }
    },
    locate: async (name) => {
      const { releases } = await listReleases(config, ports)
      const found = releases.find((offered) => formatTag(offered) === formatTag(name))
      return found && { name: found, from: config.path, assets: [] }
    },
    fetch: async () => {
      throw new Error('a provider directory has no assets')
    },
  }
}
