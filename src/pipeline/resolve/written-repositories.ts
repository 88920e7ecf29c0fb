import { StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Lock, LockedDependency, LockedRelease } from '../../model/lock.ts'
import type { Ports } from '../../model/ports.ts'
import type { Release } from '../../model/release.ts'
import { readChart } from '../../sources/chart/read-chart.ts'
import { findLockedDependency } from '../../sources/lock/find-locked.ts'
import { dependencyRequests } from './dependency-requests.ts'
import { ownChartPaths } from './own-addons.ts'

/** Those that ask for the charts of a lock. */
export interface AskingCharts {
  readonly lock: Lock
  readonly repository: FleetRepository
  readonly readRelease: (locked: LockedRelease) => Promise<Release>
}

/**
 * The repositories of locked charts as those that ask for them write them: the lock leaves out the query, which a
 * server may need to let anybody in. What cannot be read names none.
 */
export async function writtenRepositories(
  { lock, repository, readRelease }: AskingCharts,
  ports: Ports,
): Promise<ReadonlyMap<LockedDependency, string>> {
  const written = new Map<LockedDependency, string>()
  const note = (wanted: Pick<LockedDependency, 'name' | 'repository' | 'request'>): void => {
    const locked = findLockedDependency(lock, wanted)
    if (locked !== undefined && !written.has(locked)) written.set(locked, wanted.repository)
  }
  for (const release of lock.releases) {
    await ifReadable(async () => {
      const { clusterClass, addons } = await readRelease(release)
      for (const chart of [clusterClass, ...addons.map((addon) => addon.chart)])
        dependencyRequests(chart, ports.crypto).wanted.forEach(note)
    })
  }
  for (const [path, remote] of ownChartPaths(repository.clusters)) {
    if (remote !== undefined) note(remote)
    else
      await ifReadable(async () => {
        dependencyRequests(await readChart(path, ports), ports.crypto).wanted.forEach(note)
      })
  }
  return written
}

/** A fault of a release or a chart is not told here: it is where that is fetched or rendered. */
async function ifReadable(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
  }
}
