import { digestOf } from '../../codec/bytes/digest.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { GitSourceConfig } from '../../model/fleet.ts'
import { FileError } from '../../model/ports.ts'
import { formatTag, parseVersion } from '../../model/release-name.ts'
import { PROVIDER_ARCHIVE, type LocatedRelease, type ReleaseSource } from '../../model/release-source.ts'
import type { ReleaseName } from '../../model/release.ts'
import { kubernetesVersionIn, METADATA } from '../release/kubernetes-version.ts'
import { writeProviderArchive } from '../release/provider-archive.ts'
import { openProviderFiles, type ProviderRelease } from '../release/provider-release.ts'
import {
  folderLimits,
  listFolder,
  openFolder,
  readFolderFile,
  readProviderTree,
  type Folder,
} from '../release/read-folder.ts'
import { locateReleasesIn, type LocatedReleases } from '../release/release-directory.ts'
import { CONFIG_NAMES } from '../release/stack-config.ts'
import type { SourceContext } from '../source-context.ts'
import { openCommitFiles, type CommitFiles } from './commit-files.ts'
import { openGitRepository, type CachedCommit, type GitRepository } from './repository.ts'

/** The folder of the source at one commit, opened. */
interface Snapshot {
  readonly commit: string
  readonly files: CommitFiles
  readonly folder: Folder
  readonly content:
    | { readonly type: 'provider'; readonly provider: ProviderRelease }
    | { readonly type: 'releases'; readonly releases: LocatedReleases }
}

/**
 * Opens a folder of a git repository: a provider directory, which is one asset, or a folder of releases as a directory
 * source has it. A release's revision is the commit. The repository is kept in the cache without its history, and each
 * commit is fetched once.
 * @throws StackmasonError FETCH_PLAIN_HTTP, FETCH_CREDENTIALS for a url that holds some
 */
export async function openGitSource(config: GitSourceConfig, context: SourceContext): Promise<ReleaseSource> {
  const repository = openGitRepository(config, context)
  const snapshots = new Map<string, Promise<Snapshot>>()
  const snapshotOf = async (revision: string | undefined): Promise<Snapshot> => {
    const cached = await (revision === undefined ? repository.head() : repository.at(revision))
    const known = snapshots.get(cached.commit)
    const snapshot = known ?? openSnapshot(cached, { config, context, repository })
    snapshots.set(cached.commit, snapshot)
    return snapshot
  }
  return {
    list: async () => {
      const { commit, content } = await snapshotOf(undefined)
      if (content.type === 'provider') {
        const { name, config: stack } = content.provider
        const published = await repository.dateOf(commit)
        const release = { name, kubernetesVersion: stack.kubernetesVersion, published, revision: commit }
        return { releases: [release], findings: [] }
      }
      const { located, findings } = content.releases
      return { releases: located.map(({ name }) => ({ name, revision: commit })), findings }
    },
    describe: async (offered) => {
      const { content, files } = await snapshotOf(offered.revision)
      if (content.type === 'provider') {
        return { ...offered, kubernetesVersion: content.provider.config.kubernetesVersion }
      }
      const folder = folderOf(content.releases, offered.name)
      const entries = folder === undefined ? [] : await listFolder(folder, files)
      if (folder === undefined || !entries.some(({ name }) => name === METADATA)) return offered
      const kubernetesVersion = kubernetesVersionIn(await readFolderFile(folder, METADATA, files))
      return { ...offered, ...(kubernetesVersion !== undefined && { kubernetesVersion }) }
    },
    locate: async (name, revision) => {
      const located = await locate(await snapshotOf(revision), name, context)
      const ref = revision === undefined ? (await repository.head()).tag : undefined
      return located && { ...located, ...(ref !== undefined && { ref }) }
    },
    fetch: async (release, asset) => {
      const { content, files } = await snapshotOf(release.revision)
      if (content.type === 'provider') return writeProviderArchive(content.provider.files)
      const folder = folderOf(content.releases, release.name)
      if (folder === undefined) throw new Error(`${release.from} is gone`)
      return readFolderFile(folder, asset.name, files)
    },
  }
}

async function locate(
  { commit, content, files }: Snapshot,
  name: ReleaseName,
  { ports }: SourceContext,
): Promise<LocatedRelease | undefined> {
  if (content.type === 'provider') {
    const { provider } = content
    if (formatTag(provider.name) !== formatTag(name)) return undefined
    const bytes = writeProviderArchive(provider.files)
    const asset = { name: PROVIDER_ARCHIVE, digest: digestOf(bytes, ports.crypto), size: bytes.length }
    return { name, from: provider.origin, revision: commit, assets: [asset] }
  }
  const folder = folderOf(content.releases, name)
  if (folder === undefined) return undefined
  const entries = await listFolder(folder, files)
  const assets = entries.filter(({ type }) => type !== 'directory').map((entry) => ({ name: entry.name }))
  return { name, from: folder.path, revision: commit, assets }
}

interface Opening {
  readonly config: GitSourceConfig
  readonly context: SourceContext
  readonly repository: GitRepository
}

async function openSnapshot(cached: CachedCommit, { config, context, repository }: Opening): Promise<Snapshot> {
  const { commit } = cached
  const addressOf = (path: string): string => addressIn(repository.url, path)
  const files = openCommitFiles({
    addressOf,
    files: cached.files,
    readBlobs: (objects) => repository.readBlobs(commit, objects),
  })
  const real = await files.realPath(`/${config.path}`).catch((error: unknown) => {
    throw error instanceof FileError ? noFolder(cached, config, repository) : error
  })
  if ((await files.stat(real))?.type !== 'directory') throw noFolder(cached, config, repository)
  const origin = addressOf(config.path)
  const folder: Folder = { ...(await openFolder(real, files, config.at)), path: origin }
  const names = (await listFolder(folder, files)).map((entry) => entry.name)
  if (!names.some((name) => CONFIG_NAMES.includes(name))) {
    const releases = await locateReleasesIn(folder, config, files)
    return { commit, files, folder, content: { type: 'releases', releases } }
  }
  await files.preload(folder.root, folderLimits.totalBytes)
  const content = { origin, files: await readProviderTree(folder, files) }
  const version = config.version === undefined ? undefined : parseVersion(config.version, { at: config.at })
  const provider = openProviderFiles(content, version, context.ports.crypto)
  return { commit, files, folder, content: { type: 'provider', provider } }
}

/** As kustomize and go-getter write a folder of a repository: two slashes where the repository ends. */
function addressIn(url: string, path: string): string {
  if (path === '') return url
  return url.includes('://') ? `${url}//${path}` : `${url}/${path}`
}

function folderOf({ located }: LocatedReleases, name: ReleaseName): Folder | undefined {
  return located.find((release) => formatTag(release.name) === formatTag(name))?.folder
}

function noFolder({ commit, files }: CachedCommit, config: GitSourceConfig, { url }: GitRepository): StackmasonError {
  const folders = files.flatMap(({ path }) => {
    const slash = path.lastIndexOf('/')
    const isProvider = CONFIG_NAMES.includes(path.slice(slash + 1))
    return isProvider && slash !== -1 ? [path.slice(0, slash)] : []
  })
  const shown = folders.slice(0, 8).join(', ')
  return new StackmasonError({
    code: 'GIT_FAILED',
    severity: 'error',
    message: `${url} has no folder ${JSON.stringify(config.path)} at commit ${commit}`,
    at: config.at,
    hint:
      folders.length === 0
        ? 'Write the path from the root of the repository.'
        : `Provider directories there: ${shown}${folders.length > 8 ? ` and ${folders.length - 8} more` : ''}.`,
  })
}
