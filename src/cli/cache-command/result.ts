import type { CommandResult } from '../command.ts'
import type { CachePruning, describeCache } from '../../pipeline/cache.ts'

/** What the cache holds, or what a prune did to it. */
export type CacheResult = CommandResult &
  (
    | { readonly action: 'info'; readonly info: Awaited<ReturnType<typeof describeCache>> }
    | { readonly action: 'prune'; readonly pruning: CachePruning }
  )

/** What lies in a cache, by kind. */
export type CacheContent = CachePruning['left']
