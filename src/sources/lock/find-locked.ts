import type { Lock, LockedDependency, LockedRelease } from '../../model/lock.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'

/**
 * The locked form of a dependency as a Chart.yaml declares it; what the repository holds of credentials does not count.
 */
export function findLockedDependency(
  lock: Lock,
  { name, repository, request }: Pick<LockedDependency, 'name' | 'repository' | 'request'>,
): LockedDependency | undefined {
  const address = shownUrl(repository)
  return lock.dependencies.find(
    (locked) => locked.name === name && shownUrl(locked.repository) === address && locked.request === request,
  )
}

/** The locked release of that tag, of that source when one is named. */
export function findLockedRelease(lock: Lock, name: string, source?: string): LockedRelease | undefined {
  return lock.releases.find((locked) => locked.name === name && (source === undefined || locked.source === source))
}
