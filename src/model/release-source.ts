import type { Diagnostic } from './diagnostic.ts'
import type { ReleaseName } from './release.ts'

/** A release that a source offers, and what the source tells about it for nothing. */
export interface OfferedRelease {
  readonly name: ReleaseName
  /** With `v`, e.g. `v1.34.7`. */
  readonly kubernetesVersion?: string | undefined
  /** RFC 3339, as the source says it. */
  readonly published?: string | undefined
  /** The identifier of the content at the source: an OCI manifest digest, a git commit. */
  readonly revision?: string
}

/** Everything a source offers. */
export interface OfferedReleases {
  readonly releases: readonly OfferedRelease[]
  /** Warnings: odd tags in one finding, for one. */
  readonly findings: readonly Diagnostic[]
}

/** A file of a published release. */
export interface ReleaseAsset {
  readonly name: string
  /** `sha256:<hex>`, when the source or the lock knows it. */
  readonly digest?: string | undefined
  readonly size?: number
}

/** A release found at a source, its files not fetched yet. */
export interface LocatedRelease {
  readonly name: ReleaseName
  /** Where exactly, without credentials, e.g. `oci://registry.example/kaas/stacks:openstack-scs2-1-34-v2`. */
  readonly from: string
  readonly revision?: string
  /** The full name of a tag of git that leads there, which must not move. */
  readonly ref?: string
  /** Sorted by name. */
  readonly assets: readonly ReleaseAsset[]
}

/** A source of releases, opened. Every kind of source is a folder `sources/<kind>/` that makes one of these. */
export interface ReleaseSource {
  /** Lists the releases on offer; fetches no asset. @throws StackmasonError FETCH_*, GIT_FAILED */
  readonly list: () => Promise<OfferedReleases>
  /**
   * The same release with all that the source can tell, at the cost of a request or two. @throws StackmasonError
   * FETCH_*, GIT_FAILED
   */
  readonly describe: (release: OfferedRelease) => Promise<OfferedRelease>
  /**
   * Finds a release, with `revision` exactly that one; undefined when the source does not have it. @throws
   * StackmasonError FETCH_*, GIT_FAILED, SIGNATURE_*
   */
  readonly locate: (name: ReleaseName, revision?: string) => Promise<LocatedRelease | undefined>
  /**
   * The bytes of an asset. The digest, where one is known, has been checked. @throws StackmasonError FETCH_*,
   * GIT_FAILED
   */
  readonly fetch: (release: LocatedRelease, asset: ReleaseAsset) => Promise<Uint8Array>
}

/** The asset that stands for a whole provider directory: a plain tar of its files, byte-equal for equal content. */
export const PROVIDER_ARCHIVE = 'provider-directory.tar'
