import type { Ports } from '../model/ports.ts'

/** The context that clients need besides their configuration. */
export interface NetworkContext {
  readonly ports: Ports
  /** Nothing may be asked of the network: what is not in the cache is an error (FETCH_OFFLINE). */
  readonly offline: boolean
  readonly cache: BlobStore
}

/** Keeps bytes by their digest (`sha256:<hex>`). */
export interface BlobStore {
  /** The bytes of a digest, checked; undefined when they are not there. */
  readonly get: (digest: string) => Promise<Uint8Array | undefined>
  /** Keeps bytes and gives their digest. */
  readonly put: (bytes: Uint8Array) => Promise<string>
}
