import { joinPath } from '../../codec/path.ts'
import type { Files } from '../../model/ports.ts'
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
  /** What killed processes left, and what has no place in the cache. */
  readonly leftovers: readonly CachedItem[]
}

/** Deeper than repositories lie. */
const MAX_DEPTH = 6

/** Lists a cache folder, which others may change meanwhile; nothing for a folder that is not there. @throws FileError */
export async function surveyCache(folder: string, files: Files): Promise<CacheSurvey> {
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
  return { entries, repositories: await findRepositories(paths.repositories, files), leftovers }
}

async function findRepositories(folder: string, files: Files, depth = 0): Promise<readonly CachedItem[]> {
  const inside = await entriesOf(folder, files)
  const isRepository = ['HEAD', 'objects'].every((name) => inside.some((entry) => entry.name === name))
  if (isRepository) return [await measure(folder, files)]
  const found: CachedItem[] = []
  for (const { name, type } of inside) {
    if (type !== 'directory' || depth === MAX_DEPTH) continue
    found.push(...(await findRepositories(joinPath(folder, name), files, depth + 1)))
  }
  return found
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
