import { formatHex } from '../../codec/bytes/hex.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import { dirName, joinPath } from '../../codec/path.ts'
import { FileError, type FileStat, type Ports } from '../../model/ports.ts'
import { MAX_ASSET_BYTES } from '../release/published-asset.ts'
import { boundCache } from './bound-cache.ts'
import { asCacheFailure, ifPossible } from './cache-failure.ts'
import { blobPath, cachePaths } from './cache-paths.ts'
import { removeTree } from './remove-tree.ts'

/** Content-addressed bytes, shared by processes. */
export interface BlobCache {
  /**
   * The bytes of a digest (`sha256:<hex>`), checked; a damaged entry is thrown away and counts as missing. @throws
   * StackmasonError CACHE_FAILED
   */
  readonly get: (digest: string) => Promise<Uint8Array | undefined>
  /** Keeps bytes, at most {@link MAX_ASSET_BYTES}, and gives their digest. @throws StackmasonError CACHE_FAILED */
  readonly put: (bytes: Uint8Array) => Promise<string>
  /** True if there is an entry, checked as by `get`. @throws StackmasonError CACHE_FAILED */
  readonly has: (digest: string) => Promise<boolean>
}

/** The ports that a cache needs. */
export type CachePorts = Pick<Ports, 'files' | 'crypto' | 'random' | 'process' | 'clock'>

const DAY = 24 * 60 * 60 * 1000

/**
 * The cache in `folder` (absolute; made when something is put). An entry appears whole or not at all, whoever is killed
 * when, and its time of modification is its last use, exact to a day. A folder that may not be written serves for
 * reading. The first `put` may drop what was not used for long, see {@link boundCache}.
 */
export function openBlobCache(folder: string, ports: CachePorts): BlobCache {
  let isBound = false
  const find = async (digest: string): Promise<Uint8Array | undefined> => {
    const path = blobPath(folder, digest)
    return path === undefined ? undefined : readEntry(path, { digest, folder, ports })
  }
  return {
    get: (digest) => asCacheFailure('read', () => find(digest)),
    put: (bytes) =>
      asCacheFailure('written', async () => {
        if (!isBound) {
          isBound = true
          await removeLink(folder, ports.files)
          await boundCache(folder, ports)
        }
        return putEntry(bytes, folder, ports)
      }),
    has: (digest) => asCacheFailure('read', async () => (await find(digest)) !== undefined),
  }
}

interface Place {
  readonly digest: string
  readonly folder: string
  readonly ports: CachePorts
}

/** The entry at `path`, its use noted; undefined when nothing sound is there. */
async function readEntry(path: string, place: Place): Promise<Uint8Array | undefined> {
  const { digest, ports } = place
  const { files, crypto, clock } = ports
  const stat = await files.stat(path)
  if (stat === undefined || (await isInLink(path, files))) return undefined
  if ((await linkIn(place.folder, files)) !== undefined) return undefined
  const bytes = isPlausible(stat) ? await readIfThere(path, place) : undefined
  if (bytes !== undefined && digestOf(bytes, crypto) === digest) {
    if (clock.now() - stat.modified > DAY) await ifPossible(() => files.touch(path))
    return bytes
  }
  await ifPossible(() => discard(path, place))
  return undefined
}

/** False for what is no file, or larger than anything that is put here: it is not read, at whatever size. */
function isPlausible(stat: FileStat | undefined): boolean {
  return stat?.type === 'file' && stat.size <= MAX_ASSET_BYTES
}

/** True behind a link in the place of a folder of entries: nothing there is the cache's. */
async function isInLink(path: string, files: CachePorts['files']): Promise<boolean> {
  return (await files.stat(dirName(path)))?.type === 'link'
}

/** The first link in the place of a folder above those of entries. Prune follows none: what is behind has no bounds. */
async function linkIn(folder: string, files: CachePorts['files']): Promise<string | undefined> {
  const { blobs } = cachePaths(folder)
  for (const path of [dirName(dirName(blobs)), dirName(blobs), blobs])
    if ((await files.stat(path))?.type === 'link') return path
  return undefined
}

/** Removes that link, and nothing of the folder that it leads to. */
async function removeLink(folder: string, files: CachePorts['files']): Promise<void> {
  const link = await linkIn(folder, files)
  if (link === undefined) return
  try {
    await files.remove(link)
  } catch (error) {
    // another process has made a folder of it
    if (!(error instanceof FileError) || (await files.stat(link))?.type !== 'directory') throw error
  }
  await removeLink(folder, files)
}

async function readIfThere(path: string, { ports }: Place): Promise<Uint8Array | undefined> {
  try {
    return await ports.files.read(path)
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return undefined
    throw error
  }
}

/** Throws an entry away, unless another process has put a sound one there since it was read: that one goes back. */
async function discard(path: string, place: Place): Promise<void> {
  const { digest, folder, ports } = place
  const { files, crypto } = ports
  if ((await files.stat(path)) === undefined) return
  const aside = temporaryPath(folder, ports)
  await files.makeDirectory(cachePaths(folder).temporary)
  await files.rename(path, aside)
  const isRead = isPlausible(await files.stat(aside))
  if (isRead && digestOf(await files.read(aside), crypto) === digest) await files.rename(aside, path)
  else await removeTree(aside, files)
}

/** Not waited for until the disk has it: an entry that a power failure spoils is found out when it is read. */
async function putEntry(bytes: Uint8Array, folder: string, ports: CachePorts): Promise<string> {
  const { files, crypto } = ports
  const digest = digestOf(bytes, crypto)
  const path = blobPath(folder, digest)
  if (path === undefined) throw new Error(`no digest: ${digest}`)
  const place = { digest, folder, ports }
  if ((await readEntry(path, place)) !== undefined) {
    // its age is what protects it from a prune that runs just now
    await ifPossible(() => files.touch(path))
    return digest
  }
  const temporary = temporaryPath(folder, ports)
  try {
    await files.write(temporary, bytes)
    if (await isInLink(path, files)) await files.remove(dirName(path))
    await moveInto(path, temporary, ports)
  } catch (error) {
    await ifPossible(() => files.remove(temporary))
    // another process may have been faster, in a way that makes a system refuse the replacement
    if (error instanceof FileError && (await readEntry(path, place)) !== undefined) return digest
    throw error
  }
  return digest
}

async function moveInto(path: string, temporary: string, { files }: CachePorts): Promise<void> {
  try {
    await files.rename(temporary, path)
  } catch (error) {
    if (!(error instanceof FileError) || error.reason !== 'not-found') throw error
    await files.makeDirectory(dirName(path))
    await files.rename(temporary, path)
  }
}

/** A name that no other process takes, on this machine or on another that shares the folder. */
function temporaryPath(folder: string, { process, random }: CachePorts): string {
  const suffix = formatHex(random.bytes(12))
  return joinPath(cachePaths(folder).temporary, `${String(process.id)}-${suffix}`)
}
