import { StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { cachePaths } from './cache-paths.ts'
import { DEFAULT_MAX_BYTES, pruneCache, type PruneResult } from './prune-cache.ts'

const DAY = 24 * 60 * 60 * 1000

/**
 * Brings a cache back to 2 GiB if nobody did so within a day; what was used within two days stays. Cheap when there is
 * nothing to do. A cache that cannot be cleaned up stays as it is: whoever writes to it next is told.
 */
export async function boundCache(
  folder: string,
  ports: Pick<Ports, 'files' | 'clock'>,
): Promise<PruneResult | undefined> {
  try {
    const stamp = await ports.files.stat(cachePaths(folder).stamp)
    if (stamp?.type === 'file' && Math.abs(ports.clock.now() - stamp.modified) < DAY) return undefined
    return await pruneCache(folder, { maxBytes: DEFAULT_MAX_BYTES, minAge: 2 * DAY }, ports)
  } catch (error) {
    if (error instanceof StackmasonError || error instanceof FileError) return undefined
    throw error
  }
}
