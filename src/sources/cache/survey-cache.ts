import { joinPath } from '../../codec/path.ts'
import { FileError, type Files } from '../../model/ports.ts'
import { cachePaths } from './cache-paths.ts'
import { entriesOf } from './remove-tree.ts'

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
 * Lists a cache folder, which others may change meanwhile; nothing for a folder that is not there. @throws FileError
 */
export async function surveyCache(folder: string, files: Files): Promise<CacheSurvey> {
  const found = await files.stat(folder)
  if (found !== undefined && found.type !== 'directory')
    throw new FileError('wrong-type', folder, { found: found.type })
  const paths = cachePaths(folder)
  const entries: CachedItem[] = []
  const leftovers: CachedItem[] = []
  for (const group of await entriesOf(paths.blobs, files)) {
    for (const { name } of await entriesOf(joinPath(paths.blobs, group.name), files)) {
      const path = joinPath(paths.blobs, group.name, name)
      const stat = await files.stat(path)
      if (stat === undefined) continue
      const isEntry = stat.type === 'file' && /^[0-9a-f]{64}$/.test(name) && name.startsWith(group.name)
      const item = { path, bytes: stat.size, used: stat.modified }
      if (isEntry) entries.push({ ...item, digest: `sha256:${name}` })
      else leftovers.push(item)
    }
  }
  for (const { name } of await entriesOf(paths.temporary, files)) {
    leftovers.push(await measure(joinPath(paths.temporary, name), files))
  }
  const repositories: CachedItem[] = []
  await findRepositories(paths.repositories, { repositories, leftovers, files })
  return { entries, repositories, leftovers }
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
