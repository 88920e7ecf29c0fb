import type { Ports } from '../model/ports.ts'
import type { BlobCache } from './cache/blob-cache.ts'

/** What opening a source takes besides its configuration. */
export interface SourceContext {
  readonly ports: Ports
  /** Nothing may be asked of the network: what is not in the cache is an error (FETCH_OFFLINE). */
  readonly offline: boolean
  readonly cache: BlobCache
  /** Absolute; for what is no blob, such as git repositories. */
  readonly cacheFolder: string
}
