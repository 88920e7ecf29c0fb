import type { Cluster } from '../../model/fleet.ts'
import type { UnitStack } from '../../model/handoff.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'

/** A cluster that uses a class, or has not left it yet. */
export interface ImageUser {
  /** Its `object` is the Cluster as the tree has it with this release. */
  readonly cluster: Cluster
  readonly release: Pick<Release, 'name'>
  /** Namespace of the class. */
  readonly stackNamespace: string
  /** The Cluster is as it is committed, so there is nothing to say about what it chooses. */
  readonly isCommitted?: boolean
}

/**
 * A cluster that uses a release: one of the fleet, or one that the tree has and the fleet has no longer, which still
 * runs with what its Cluster chooses.
 */
export interface ReleaseUser {
  readonly cluster: Pick<Cluster, 'object'>
  readonly release: Pick<Release, 'name'>
  /** Namespace of the class. */
  readonly stackNamespace: string
}

/** The clusters that use a stack's release from its namespace. */
export function releaseUsers<User extends ReleaseUser>(
  { namespace, release }: Pick<UnitStack, 'namespace' | 'release'>,
  users: readonly User[],
): readonly User[] {
  const tag = formatTag(release.name)
  return users.filter((user) => user.stackNamespace === namespace && formatTag(user.release.name) === tag)
}
