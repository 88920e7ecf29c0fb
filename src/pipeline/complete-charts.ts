import { StackmasonError } from '../model/diagnostic.ts'
import type { Chart, ChartDependency } from '../model/chart.ts'
import type { Lock, LockedDependency } from '../model/lock.ts'
import type { Release } from '../model/release.ts'
import { readChartArchive } from '../sources/chart/build-chart.ts'
import { attachDependencies } from '../sources/dependency/attach-dependencies.ts'
import { findLockedDependency } from '../sources/lock/find-locked.ts'
import type { SourceContext } from '../sources/source-context.ts'
import { dependencyRequests } from './dependency-requests.ts'

/** Adds to a chart what it declares and does not vendor. */
export type CompleteChart = (chart: Chart) => Promise<Chart>

/**
 * Makes a function that attaches dependencies as the lock pins them, from the cache alone: rendering fetches none. What the lock does not have stays
 * missing, which rendering reports.
 * @throws StackmasonError CHART_DEPENDENCY_MISSING for a locked one that is not in the cache; ARCHIVE_*, CHART_INVALID
 */
export function createCompleteChart(lock: Lock | undefined, context: SourceContext): CompleteChart {
  const read = new Map<LockedDependency, Promise<Chart>>()
  return async (chart) => {
    if (lock === undefined) return chart
    const found = new Map<ChartDependency, Chart>()
    for (const wanted of dependencyRequests(chart, context.ports.crypto).wanted) {
      const locked = findLockedDependency(lock, wanted)
      if (locked === undefined) continue
      const reading = read.get(locked) ?? readCached(locked, context)
      read.set(locked, reading)
      found.set(wanted.dependency, await reading)
    }
    return found.size === 0 ? chart : attachDependencies(chart, found)
  }
}

/** The release with every chart of it complete. */
export async function completeRelease(release: Release, complete: CompleteChart): Promise<Release> {
  const addons = []
  for (const addon of release.addons) addons.push({ ...addon, chart: await complete(addon.chart) })
  return { ...release, clusterClass: await complete(release.clusterClass), addons }
}

async function readCached(locked: LockedDependency, { cache, ports }: SourceContext): Promise<Chart> {
  const bytes = await cache.get(locked.digest)
  if (bytes !== undefined) return readChartArchive(bytes, `${locked.name}-${locked.version}.tgz`, ports)
  throw new StackmasonError({
    code: 'CHART_DEPENDENCY_MISSING',
    severity: 'error',
    message: `chart ${locked.name} ${locked.version} of ${locked.repository} is locked, but not in the cache`,
    ...(locked.at === undefined ? {} : { at: locked.at }),
    hint: 'Run `stackmason fetch`: rendering fetches no charts.',
  })
}
