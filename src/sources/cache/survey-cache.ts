import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { FileError, type Files } from '../../model/ports.ts'
import { cachePaths } from './cache-paths.ts'
import { readRecord } from './read-record.ts'
import { entriesOf, isFolderBelow } from './remove-tree.ts'

/** Something in the cache that can be removed by itself. */
export interface CachedItem {
  readonly path: string
  readonly bytes: number
  /** Last use, milliseconds since 1970; exact to a day for an entry, of a repository the last change. */
  readonly used: number
  /** `sha256:<hex>` of an entry. */
  readonly digest?: string
}

/** Everything that a cache folder holds. */
export interface CacheSurvey {
  /** The folder, its own link resolved. */
  readonly folder: string
  readonly entries: readonly CachedItem[]
  /** Bare git repositories. */
  readonly repositories: readonly CachedItem[]
  /** The files that killed processes left, and files that do not belong in the cache. */
  readonly leftovers: readonly CachedItem[]
}

/** A fetch on its way, or what is left of one; see node-git-store.ts. */
const UNFINISHED = /\.new-[0-9a-f]+(?:-damaged)?$/

/** Deeper than repositories lie. */
const MAX_DEPTH = 6

/**
 * Lists a cache folder, which others may change meanwhile; nothing for a folder that is not there. The folder itself
 * may be a link, which somebody chose; those inside lead to what is not the cache's, and are not followed. @throws
 * FileError
 */
export async function surveyCache(named: string, files: Files): Promise<CacheSurvey> {
  const folder = await resolveLink(named, files)
  const paths = cachePaths(folder)
  const inside = async (path: string): ReturnType<Files['entries']> =>
    (await isFolderBelow(folder, path, files)) ? entriesOf(path, files) : []
  const entries: CachedItem[] = []
  const leftovers: CachedItem[] = []
  for (const group of await inside(paths.blobs)) {
    const groupPath = joinPath(paths.blobs, group.name)
    if (group.type === 'link') leftovers.push(await measure(groupPath, files))
    for (const { name } of await entriesOf(groupPath, files)) {
      const path = joinPath(groupPath, name)
      const stat = await files.stat(path)
      if (stat === undefined) continue
      const isEntry = stat.type === 'file' && /^[0-9a-f]{64}$/.test(name) && name.startsWith(group.name)
      const item = { path, bytes: stat.size, used: stat.modified }
      if (isEntry) entries.push({ ...item, digest: `sha256:${name}` })
      else leftovers.push(item)
    }
  }
  const digests = new Set(entries.map(({ digest }) => digest))
  for (const { name, type } of await inside(paths.signatures)) {
    const path = joinPath(paths.signatures, name)
    const signed = type === 'file' && /^[0-9a-f]{64}$/.test(name) ? await readRecord(path, files) : undefined
    // a record without what it names is asked for by nobody
    if (signed === undefined || !digests.has(signed)) leftovers.push(await measure(path, files))
  }
  for (const { name } of await inside(paths.temporary)) {
    leftovers.push(await measure(joinPath(paths.temporary, name), files))
  }
  const isLinked = (await inside(dirName(paths.temporary))).some(
    ({ name, type }) => name === baseName(paths.temporary) && type === 'link',
  )
  if (isLinked) leftovers.push(await measure(paths.temporary, files))
  const repositories: CachedItem[] = []
  if (await isFolderBelow(folder, paths.repositories, files))
    await findRepositories(paths.repositories, { repositories, leftovers, files })
  return { folder, entries, repositories, leftovers }
}

async function resolveLink(folder: string, files: Files): Promise<string> {
  const isLink = (await files.stat(folder))?.type === 'link'
  const path = isLink ? await files.realPath(folder) : folder
  const found = await files.stat(path)
  if (found !== undefined && found.type !== 'directory')
    throw new FileError('wrong-type', folder, { found: found.type })
  return path
}

interface Findings {
  readonly repositories: CachedItem[]
  readonly leftovers: CachedItem[]
  readonly files: Files
}

async function findRepositories(folder: string, found: Findings, depth = 0): Promise<void> {
  const inside = await entriesOf(folder, found.files)
  const isRepository = ['HEAD', 'objects'].every((name) => inside.some((entry) => entry.name === name))
  if (isRepository) found.repositories.push(await measure(folder, found.files))
  else if (depth < MAX_DEPTH) {
    for (const { name, type } of inside) {
      const path = joinPath(folder, name)
      if (UNFINISHED.test(name)) found.leftovers.push(await measure(path, found.files))
      else if (type === 'directory') await findRepositories(path, found, depth + 1)
    }
  }
}

/** A file or a folder as a whole: all its bytes, its newest change. */
async function measure(path: string, files: Files): Promise<CachedItem> {
  const stat = await files.stat(path)
  let bytes = stat === undefined || stat.type === 'directory' ? 0 : stat.size
  let used = stat?.modified ?? 0
  for (const { name } of stat?.type === 'directory' ? await entriesOf(path, files) : []) {
    const inner = await measure(joinPath(path, name), files)
    bytes += inner.bytes
    used = Math.max(used, inner.used)
  }
  return { path, bytes, used }
}
