import { joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Lock, LockedRelease } from '../../model/lock.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatClassName, formatTag, parseReleaseTag } from '../../model/release-name.ts'
import { stackFolder } from '../../model/tree-path.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { type ClassUser, readClassUsers } from '../../sources/committed/class-users.ts'
import { stackKey } from '../resolve/stack-sources.ts'

/** A release that the lock gives to ClusterStacks which do not need it any more. */
export interface UnusedRelease {
  readonly name: string
  /** `namespace/name`; empty when its ClusterStacks are gone. */
  readonly stacks: readonly string[]
  /** Folders of the output tree that go with it, relative to the output. */
  readonly folders: readonly string[]
  /** Set when something committed or rendered still uses it; then it cannot be pruned yet. */
  readonly usedBy?: string
}

/** The entries of the lock that nothing needs now, and whether what is committed or rendered still does. */
export async function findUnused(
  lock: Lock,
  needed: readonly NeededRelease[],
  { repository, ports }: { readonly repository: FleetRepository; readonly ports: Ports },
): Promise<readonly UnusedRelease[]> {
  const wanted = new Set(needed.map(({ clusterStack, name }) => `${stackKey(clusterStack)} ${formatTag(name)}`))
  const { root, output } = repository.fleet
  let users: readonly ClassUser[] | undefined
  const result: UnusedRelease[] = []
  for (const locked of lock.releases) {
    const stacks = locked.stacks.filter((stack) => !wanted.has(`${stack} ${locked.name}`))
    if (stacks.length === 0 && locked.stacks.length > 0) continue
    const namespaces = new Set(stacks.map((stack) => stack.slice(0, stack.indexOf('/'))))
    users ??= await readClassUsers(root, joinPath(root, output), ports)
    const usedBy = committedUser(locked, namespaces, users)
    result.push({
      name: locked.name,
      stacks,
      folders: [...namespaces].map((namespace) => stackFolder(namespace, locked.name)),
      ...(usedBy === undefined ? {} : { usedBy }),
    })
  }
  return result
}

/** The lock without the unused releases that can go. */
export function pruneLock(
  releases: readonly LockedRelease[],
  unused: readonly UnusedRelease[],
): readonly LockedRelease[] {
  return releases.flatMap((locked) => {
    const gone = unused.find(({ name, usedBy }) => name === locked.name && usedBy === undefined)
    if (gone === undefined) return [locked]
    const stacks = locked.stacks.filter((stack) => !gone.stacks.includes(stack))
    return stacks.length === 0 ? [] : [{ ...locked, stacks }]
  })
}

/** The warning for releases that have to stay until a commit. */
export function stillInUse({ name, usedBy }: UnusedRelease, lockFile: string): Diagnostic {
  return {
    code: 'RELEASE_IN_USE',
    severity: 'warning',
    message: `release ${name} stays in the lock: ${usedBy ?? 'something'} still uses it`,
    file: lockFile,
    about: { release: name },
  }
}

/**
 * Who uses the release in what lies in the output folder or in the last commit. The last user has moved for good only
 * when both say so: the tool applies what is committed, and a class must outlive its clusters.
 */
function committedUser(
  locked: LockedRelease,
  namespaces: ReadonlySet<string>,
  users: readonly ClassUser[],
): string | undefined {
  const className = formatClassName(parseReleaseTag(locked.name))
  const user = users.find(
    ({ classes, namespace }) =>
      classes.has(className) && (namespaces.size === 0 || namespace === '' || namespaces.has(namespace)),
  )
  if (user === undefined) return undefined
  return `${objectPath(user.cluster)} ${user.in === 'tree' ? 'in the rendered tree (run `stackmason render`)' : 'in the last commit (commit its move first)'}`
}
