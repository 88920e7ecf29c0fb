import type { NetworkContext } from '../network/network-context.ts'
import type { SignatureRecords } from '../network/signature/signature-records.ts'
import type { BlobCache } from './cache/blob-cache.ts'

/** The context for opening a source besides its configuration. */
export interface SourceContext extends NetworkContext {
  readonly cache: BlobCache
  /** Gives an absolute path, for what is no blob, such as git repositories. @throws StackmasonError CACHE_FAILED */
  readonly cacheFolder: () => string
  readonly signatures: SignatureRecords
}
