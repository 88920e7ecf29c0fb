/** Content-addressed bytes, shared by processes. */
export interface BlobCache {
  /** The bytes of a digest (`sha256:<hex>`), checked; a damaged entry is thrown away and counts as missing. @throws StackmasonError CACHE_FAILED */
  readonly get: (digest: string) => Promise<Uint8Array | undefined>
  /** Keeps bytes and gives their digest. @throws StackmasonError CACHE_FAILED */
  readonly put: (bytes: Uint8Array) => Promise<string>
  readonly has: (digest: string) => Promise<boolean>
}
