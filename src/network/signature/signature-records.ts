/**
 * Remembers which signature manifest was good for a manifest, so that a release in the cache can be verified without
 * asking the registry. A record is a pointer and proves nothing: what it points at is verified again, every time, with
 * the keys that count then.
 */
export interface SignatureRecords {
  /** The digest of the signature manifest; undefined when none is known. */
  readonly read: (digest: string) => Promise<string | undefined>
  readonly write: (digest: string, signed: string) => Promise<void>
}
