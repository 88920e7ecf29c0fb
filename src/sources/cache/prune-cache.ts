import { dirName, joinPath, relativePath } from '../../codec/path.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { asCacheFailure } from './cache-failure.ts'
import { cachePaths } from './cache-paths.ts'
import { isFolderBelow, removeTree } from './remove-tree.ts'
import { type CachedItem, type CacheSurvey, surveyCache } from './survey-cache.ts'

/** How much there is of something. */
export interface CacheAmount {
  readonly count: number
  readonly bytes: number
}

/** Parts of a cache. */
export interface CacheContent {
  readonly entries: CacheAmount
  readonly repositories: CacheAmount
  /** The files that killed processes left. */
  readonly leftovers: CacheAmount
}

/** The content of a cache folder. */
export interface CacheInfo extends CacheContent {
  readonly folder: string
  /** When the entry was last used whose last use is longest ago, milliseconds since 1970; exact to a day. */
  readonly oldestUse: number | undefined
  readonly newestUse: number | undefined
}

/** The bounds of a cache after pruning. */
export interface PruneBounds {
  readonly maxBytes?: number
  /** Milliseconds since the last use. */
  readonly maxAge?: number | undefined
  /** Digests of entries that stay whatever the bounds. */
  readonly keep?: ReadonlySet<string>
  /**
   * Milliseconds since the last use within which an entry always stays, as another run may be about to use it; 10
   * minutes by default.
   */
  readonly minAge?: number
}

/** The result of pruning a cache. */
export interface PruneResult {
  readonly folder: string
  readonly removed: CacheContent
  readonly left: CacheContent
}

type PrunePorts = Pick<Ports, 'files' | 'clock'>

const MINUTE = 60 * 1000
const DAY = 24 * 60 * MINUTE

/** The default size of a cache after pruning, bytes. */
export const DEFAULT_MAX_BYTES: number = 2 * 1024 ** 3

/** Tells what the cache holds; a folder that is not there is an empty cache. @throws StackmasonError CACHE_FAILED */
export async function cacheInfo(folder: string, { files }: Pick<Ports, 'files'>): Promise<CacheInfo> {
  const survey = await asCacheFailure('read', () => surveyCache(folder, files))
  const uses = survey.entries.map(({ used }) => used).sort((a, b) => a - b)
  const [oldestUse] = uses
  const newestUse = uses.at(-1)
  return {
    folder,
    ...contentOf(survey, () => true),
    oldestUse,
    newestUse,
  }
}

/**
 * Removes what is beyond the bounds, longest unused first, and what killed processes left more than a day ago. Safe
 * while other processes read and write: what they used lately stays, and so does a repository that changed within a
 * day.
 * @throws StackmasonError CACHE_FAILED
 */
export async function pruneCache(folder: string, bounds: PruneBounds, ports: PrunePorts): Promise<PruneResult> {
  return asCacheFailure('written', async () => {
    const { files, clock } = ports
    const survey = await surveyCache(folder, files)
    const now = clock.now()
    if (survey.entries.length + survey.repositories.length > 0) await putStamp(survey.folder, files)
    const chosen = choose([...survey.entries, ...survey.repositories], bounds, now)
    const removed = new Set<CachedItem>()
    // a link in the place of a folder that removing needs goes first
    for (const item of new Set([...survey.leftovers.filter(({ used }) => now - used > DAY), ...chosen])) {
      if (await remove(item, survey.folder, files)) removed.add(item)
    }
    const gone = (item: CachedItem): boolean => removed.has(item)
    return { folder, removed: contentOf(survey, gone), left: contentOf(survey, (item) => !gone(item)) }
  })
}

/** Made anew: what else lies there, such as a pipe or a link to a file of somebody, is not written to. */
async function putStamp(folder: string, files: PrunePorts['files']): Promise<void> {
  const { stamp } = cachePaths(folder)
  if ((await files.stat(stamp))?.type === 'directory') return
  await files.remove(stamp)
  await ifThere(async () => {
    await files.createExclusive(stamp, new Uint8Array())
  })
}

/** Chooses the items to remove, least recently used first. */
function choose(items: readonly CachedItem[], bounds: PruneBounds, now: number): readonly CachedItem[] {
  const { maxBytes, maxAge, keep, minAge = 10 * MINUTE } = bounds
  let bytes = amountOf(items).bytes
  const chosen: CachedItem[] = []
  for (const item of items.toSorted((a, b) => a.used - b.used || (a.path < b.path ? -1 : 1))) {
    const age = now - item.used
    const mayGo = item.digest === undefined ? age > Math.max(minAge, DAY) : age > minAge && !keep?.has(item.digest)
    const isBeyond = (maxAge !== undefined && age > maxAge) || (maxBytes !== undefined && bytes > maxBytes)
    if (!mayGo || !isBeyond) continue
    chosen.push(item)
    bytes -= item.bytes
  }
  return chosen
}

/** Says whether it is gone: an entry that was used since it was looked at stays. */
async function remove(item: CachedItem, folder: string, files: PrunePorts['files']): Promise<boolean> {
  if (!(await isFolderBelow(folder, dirName(item.path), files))) return false
  if (item.digest !== undefined) {
    if ((await files.stat(item.path))?.modified !== item.used) return false
    await files.remove(item.path)
    return true
  }
  const { temporary, repositories } = cachePaths(folder)
  if (!item.path.startsWith(`${repositories}/`)) {
    await removeTree(item.path, files)
    return true
  }
  if ((await files.stat(temporary)) === undefined) await files.makeDirectory(temporary)
  if (!(await isFolderBelow(folder, temporary, files))) return false
  // moved first: nobody may take a repository for whole of which half is gone
  const aside = joinPath(temporary, `removed-${relativePath(repositories, item.path).replaceAll('/', '-')}`)
  await removeTree(aside, files)
  if (!(await ifThere(() => files.rename(item.path, aside)))) return false
  await removeTree(aside, files)
  return true
}

/** Another prune may have been faster. */
async function ifThere(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return false
    throw error
  }
}

function contentOf(survey: CacheSurvey, isMeant: (item: CachedItem) => boolean): CacheContent {
  return {
    entries: amountOf(survey.entries.filter(isMeant)),
    repositories: amountOf(survey.repositories.filter(isMeant)),
    leftovers: amountOf(survey.leftovers.filter(isMeant)),
  }
}

function amountOf(items: readonly CachedItem[]): CacheAmount {
  return { count: items.length, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) }
}
