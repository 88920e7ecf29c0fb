import { StackmasonError } from '../../model/diagnostic.ts'
import type { DirectorySourceConfig } from '../../model/fleet.ts'
import { formatTag } from '../../model/release-name.ts'
import type { LocatedRelease, ReleaseSource } from '../../model/release-source.ts'
import type { ReleaseName } from '../../model/release.ts'
import { parseMetadata } from '../release/metadata.ts'
import { listFolder, readFolderFile, type Folder } from '../release/read-folder.ts'
import { locateReleases } from '../release/release-directory.ts'
import type { SourceContext } from '../source-context.ts'

const METADATA = 'metadata.yaml'

/** Opens a folder of releases. It is read anew at every call, so that what lies there counts, and nothing is cached. */
export async function openDirectorySource(
  config: DirectorySourceConfig,
  { ports: { files } }: SourceContext,
): Promise<ReleaseSource> {
  const folderOf = async (name: ReleaseName): Promise<Folder | undefined> => {
    const { located } = await locateReleases(config, files)
    return located.find((release) => formatTag(release.name) === formatTag(name))?.folder
  }
  return {
    list: async () => {
      const { located, findings } = await locateReleases(config, files)
      return { releases: located.map(({ name }) => ({ name })), findings }
    },
    describe: async (release) => {
      const folder = await folderOf(release.name)
      if (folder === undefined) return release
      const file = `${folder.path}/${METADATA}`
      try {
        const { kubernetesVersion } = parseMetadata(await readFolderFile(folder, METADATA, files), file)
        return { ...release, kubernetesVersion }
      } catch (error) {
        // a release that cannot be read is still on offer; reading it says what is wrong
        if (error instanceof StackmasonError) return release
        throw error
      }
    },
    locate: async (name): Promise<LocatedRelease | undefined> => {
      const folder = await folderOf(name)
      if (folder === undefined) return undefined
      const entries = await listFolder(folder, files)
      const assets = entries.filter(({ type }) => type !== 'directory').map((entry) => ({ name: entry.name }))
      return { name, from: folder.path, assets }
    },
    fetch: async (release, asset) => {
      const folder = await folderOf(release.name)
      if (folder === undefined) throw new Error(`${release.from} is gone`)
      return readFolderFile(folder, asset.name, files)
    },
  }
}
