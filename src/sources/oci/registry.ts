import type { ServerAccess } from '../../model/fleet.ts'
import type { Span } from '../../model/source.ts'
import type { SourceContext } from '../source-context.ts'
import type { OciIndex, OciManifest } from './manifest.ts'

/** Which repository of which registry, and how it is reached. */
export interface RegistryConfig extends ServerAccess {
  /** `host[:port]`; `docker.io` is understood. */
  readonly host: string
  /** Path without host, tag and digest: `kaas/cluster-stacks`. */
  readonly repository: string
  /** What errors point at. */
  readonly at?: Span
}

/** A manifest as the registry has it; the digest is that of `bytes`. */
export interface RegistryManifest {
  readonly digest: string
  readonly mediaType: string
  readonly manifest: OciManifest
  readonly bytes: Uint8Array
}

/** A manifest or index as the registry has it; exactly one of the two is set. */
export interface RegistryDocument {
  readonly digest: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly manifest?: OciManifest
  readonly index?: OciIndex
}

/** How much of a blob may come. */
export interface BlobOptions {
  /** What it is for, in messages: `the chart cilium`. */
  readonly purpose?: string
  /** As its descriptor says; another size is an error. */
  readonly size?: number
  /** A longer one is an error; 128 MiB when absent. */
  readonly maxBytes?: number
}

/** What became of a manifest that was pushed. */
export interface PushedManifest {
  /** Of what the registry has under the reference now. */
  readonly digest: string
  /** `exists`: with `ifAbsent`, something (equal or not: compare the digest) was there already and nothing was written. */
  readonly result: 'pushed' | 'exists'
}

/**
 * One repository of a registry (OCI distribution spec 1.1, Docker registry v2). What has a digest is taken from the cache first and
 * kept there. Everything throws StackmasonError FETCH_* and CACHE_FAILED.
 */
export interface Registry {
  readonly host: string
  readonly repository: string
  /** Every tag, as the registry orders them; undefined when it has no such repository. */
  readonly listTags: () => Promise<readonly string[] | undefined>
  /**
   * The image manifest of a tag or digest, undefined when there is none; an index is followed when it has one entry (digest and bytes are then those of
   * the index, so that they fit the reference) and refused otherwise.
   */
  readonly getManifest: (reference: string) => Promise<RegistryManifest | undefined>
  /** Like `getManifest`, for those who can use an index as well. */
  readonly getDocument: (reference: string) => Promise<RegistryDocument | undefined>
  /** The bytes of a blob, checked. */
  readonly getBlob: (digest: string, options?: BlobOptions) => Promise<Uint8Array>
  /** Sends a blob unless the registry has it; gives its digest. */
  readonly pushBlob: (bytes: Uint8Array) => Promise<string>
  /**
   * Puts a manifest under a tag or digest. With `ifAbsent` an existing tag stays as it is; registries cannot do that atomically, so of two that push the
   * same new tag in the same moment the later one wins.
   */
  readonly pushManifest: (
    reference: string,
    bytes: Uint8Array,
    mediaType: string,
    options?: { readonly ifAbsent?: boolean },
  ) => Promise<PushedManifest>
}

/**
 * Opens a repository; nothing is asked of the registry yet. Credentials are looked up when it asks for them.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS for the file of certificate authorities
 */
export async function openRegistry(config: RegistryConfig, context: SourceContext): Promise<Registry> {
  throw new Error(`not there yet: ${config.host} ${context.cacheFolder}`)
}
