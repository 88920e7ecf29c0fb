import type { Span } from './source.ts'

/** A lock, or an entry of one. */
interface OfLock {
  /** Set where the lock was asked for in place of the fleet's own: the path to it from the fleet. */
  readonly standIn?: string | undefined
}

/** A release in stackmason.lock. */
export interface LockedRelease extends OfLock {
  /** The tag, e.g. `openstack-scs2-1-34-v2`. */
  readonly name: string
  /** Name of the source in stackmason.yaml. */
  readonly source: string
  /** Where it was found, as `LocatedRelease.from`; local sources: the path relative to the fleet. */
  readonly from: string
  readonly revision?: string
  /** The full name of the tag of git that has led there: what takes its name must not move either. */
  readonly ref?: string
  /** `sha256:<hex>` over all content, as `Release.digest`. */
  readonly digest: string
  readonly kubernetesVersion: string
  /** The ClusterStacks that offer it, `namespace/name`, sorted. */
  readonly stacks: readonly string[]
  /** Version of each addon's chart, or of its only dependency, by addon name, sorted; for people and Renovate. */
  readonly addons: ReadonlyMap<string, string>
  /** `sha256:<hex>` by asset name, sorted; empty for a local provider directory. */
  readonly assets: ReadonlyMap<string, string>
  /** Set when it was read from a file. */
  readonly at?: Span
}

/** A chart dependency that is not vendored, in stackmason.lock. Identified by name, repository and request. */
export interface LockedDependency extends OfLock {
  readonly name: string
  /** As written in Chart.yaml. */
  readonly repository: string
  /** The version or range as written in Chart.yaml. */
  readonly request: string
  /** The version that the request resolved to. */
  readonly version: string
  /** Where the archive was fetched from, without credentials. */
  readonly url: string
  /** `sha256:<hex>` of the manifest that was signed; only where the fleet asks for signatures. */
  readonly revision?: string
  /** `sha256:<hex>` of the archive. */
  readonly digest: string
  readonly at?: Span
}

/** stackmason.lock: what every input resolved to. Entries are sorted by name. */
export interface Lock extends OfLock {
  readonly releases: readonly LockedRelease[]
  readonly dependencies: readonly LockedDependency[]
}

/** The lock, or that of an entry, as messages call it. */
export function lockName({ standIn = 'stackmason.lock' }: OfLock): string {
  return standIn
}

/** What to do where a lock is wrong: `ofFleet`, unless another command than `update` has written it. */
export function wayToLock({ standIn }: OfLock, ofFleet: string): string {
  return standIn === undefined
    ? ofFleet
    : `Bring ${standIn} up to date where it comes from, or leave --lock out: \`stackmason update\` changes stackmason.lock alone.`
}
