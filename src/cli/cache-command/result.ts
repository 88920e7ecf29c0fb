import type { CommandResult } from '../command.ts'
import type { CachePruning, describeCache } from '../../pipeline/commands/cache.ts'

/** The content of the cache, or the result of a prune. */
export type CacheResult = CommandResult &
  (
    | { readonly action: 'info'; readonly info: Awaited<ReturnType<typeof describeCache>> }
    | { readonly action: 'prune'; readonly pruning: CachePruning }
  )

/** The content of a cache, by kind. */
export type CacheContent = CachePruning['left']
