import { dirName, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { cacheFolder } from '../../sources/cache/cache-folder.ts'
import { cacheInfo, type CacheInfo, pruneCache, type PruneResult } from '../../sources/cache/prune-cache.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readLock } from '../../sources/lock/read-lock.ts'
import { signatureBlobs } from '../../sources/cache/signature-records.ts'
import { createSourceContext } from '../resolve/open-source.ts'

/** The options of `stackmason cache prune`. */
export interface PruneOptions {
  /** Where to look for a fleet whose lock says what stays. */
  readonly start: string
  /** The fleet, which must be there then. */
  readonly fleet?: string
  readonly maxBytes: number
  /** Milliseconds since the last use. */
  readonly maxAge?: number | undefined
}

/** The files that a prune removed and left. */
export interface CachePruning extends PruneResult {
  /** The lock whose files stayed. */
  readonly lock: string | undefined
}

/** Tells what the cache of this machine holds. @throws StackmasonError CACHE_FAILED */
export async function describeCache(ports: Pick<Ports, 'files' | 'environment'>): Promise<CacheInfo> {
  return cacheInfo(cacheFolder(ports.environment), ports)
}

/**
 * Brings the cache of this machine within bounds; inside of a fleet, what its lock names stays.
 * @throws StackmasonError CACHE_FAILED, LOCK_INVALID, CONFIG_NOT_FOUND for a named fleet that is not there
 */
export async function cleanCache(options: PruneOptions, ports: Ports): Promise<CachePruning> {
  const folder = cacheFolder(ports.environment)
  const file = await findLock(options, ports)
  const lock = file === undefined ? undefined : await readLock(file, ports)
  const keep = new Set([
    ...(lock?.releases ?? []).flatMap(({ digest, revision = digest, assets }) => [
      digest,
      revision,
      ...assets.values(),
    ]),
    ...(lock?.dependencies ?? []).flatMap(({ digest, revision = digest }) => [digest, revision]),
  ])
  // releases whose source asks for signatures are verified again whenever they are read
  const context = createSourceContext(ports, 'offline')
  for (const { revision } of [...(lock?.releases ?? []), ...(lock?.dependencies ?? [])]) {
    for (const digest of revision === undefined ? [] : await signatureBlobs(revision, context)) keep.add(digest)
  }
  const { maxBytes, maxAge } = options
  const result = await pruneCache(folder, { maxBytes, maxAge, keep }, ports)
  return { ...result, lock: lock === undefined ? undefined : file }
}

async function findLock({ start, fleet }: PruneOptions, ports: Pick<Ports, 'files'>): Promise<string | undefined> {
  try {
    return joinPath(dirName(await findFleet(fleet ?? start, ports)), 'stackmason.lock')
  } catch (error) {
    const isOutside =
      error instanceof StackmasonError && error.diagnostics.every(({ code }) => code === 'CONFIG_NOT_FOUND')
    if (isOutside && fleet === undefined) return undefined
    throw error
  }
}
