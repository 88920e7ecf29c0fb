import { StackmasonError } from '../../model/diagnostic.ts'
import type { Chart, ChartDependency } from '../../model/chart.ts'
import type { ChartRepository, RemoteChart } from '../../model/fleet.ts'
import { lockName, type Lock, type LockedDependency, wayToLock } from '../../model/lock.ts'
import type { Release } from '../../model/release.ts'
import type { Span } from '../../model/source.ts'
import { readChartArchive } from '../../sources/chart/build-chart.ts'
import { attachDependencies } from '../../sources/dependency/attach-dependencies.ts'
import { isLockedChart } from '../../sources/dependency/choose-version.ts'
import { createDependencyContext, type DependencyContext } from '../../sources/dependency/dependency-context.ts'
import { verifyLockedDependency } from '../../sources/dependency/verify-locked.ts'
import { findLockedDependency } from '../../sources/lock/find-locked.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { dependencyRequests } from './dependency-requests.ts'

/** Adds to a chart what it declares and does not vendor. */
export interface CompleteChart {
  (chart: Chart): Promise<Chart>
  /** Gives a chart that addons.yaml takes from a repository. @throws StackmasonError LOCK_MISSING, and as above */
  readonly remote: (wanted: RemoteChart) => Promise<Chart>
}

/**
 * Makes a function that attaches dependencies as the lock pins them, from the cache alone: rendering fetches none. What
 * the lock does not have stays missing, which rendering reports. Signatures are verified where the fleet asks for them.
 * @throws StackmasonError CHART_DEPENDENCY_MISSING for a locked one that is not in the cache; SIGNATURE_*,
 * LOCK_MISMATCH, ARCHIVE_*, CHART_INVALID
 */
export function createCompleteChart(
  lock: Lock | undefined,
  context: SourceContext,
  repositories: readonly ChartRepository[],
): CompleteChart {
  const dependencies = createDependencyContext(context, repositories)
  const read = new Map<LockedDependency, Promise<Chart>>()
  const readOnce = (locked: LockedDependency, at?: Span): Promise<Chart> => {
    const reading = read.get(locked) ?? readCached(locked, dependencies, at)
    read.set(locked, reading)
    return reading
  }
  const remote = async (wanted: RemoteChart): Promise<Chart> => {
    const locked = lock === undefined ? undefined : findLockedDependency(lock, wanted)
    if (locked === undefined) throw notLocked(wanted, lock?.standIn)
    return readOnce(locked, wanted.at)
  }
  const complete = async (chart: Chart): Promise<Chart> => {
    if (lock === undefined) return chart
    const found = new Map<ChartDependency, Chart>()
    for (const wanted of dependencyRequests(chart, context.ports.crypto).wanted) {
      const locked = findLockedDependency(lock, wanted)
      if (locked === undefined) continue
      found.set(wanted.dependency, await readOnce(locked))
    }
    return found.size === 0 ? chart : attachDependencies(chart, found)
  }
  return Object.assign(complete, { remote })
}

function notLocked({ name, repository, request, at }: RemoteChart, standIn: string | undefined): StackmasonError {
  return new StackmasonError({
    code: 'LOCK_MISSING',
    severity: 'error',
    message: `chart ${name} ${request} of ${shownUrl(repository)} is not in ${lockName({ standIn })}`,
    at,
    hint: wayToLock({ standIn }, 'Run `stackmason update`, review its output, and commit stackmason.lock.'),
  })
}

/** The release with every chart of it complete. */
export async function completeRelease(release: Release, complete: CompleteChart): Promise<Release> {
  const addons = []
  for (const addon of release.addons) addons.push({ ...addon, chart: await complete(addon.chart) })
  return { ...release, clusterClass: await complete(release.clusterClass), addons }
}

/** The digest pins the content; people review the name and the version beside it, so these may not differ from it. */
function otherChart(locked: LockedDependency, { metadata }: Chart): StackmasonError {
  return new StackmasonError({
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message: `${lockName(locked)} says chart ${locked.name} ${locked.version}, but its digest is that of ${metadata.name} ${metadata.version}`,
    at: locked.at,
    hint: wayToLock(locked, 'Find out who edited the lock; `stackmason update` corrects it.'),
  })
}

async function readCached(
  locked: LockedDependency,
  context: DependencyContext,
  asked: Span | undefined,
): Promise<Chart> {
  const at = asked ?? locked.at
  const bytes = await context.cache.get(locked.digest)
  if (bytes !== undefined) {
    await verifyLockedDependency(locked, context)
    const chart = readChartArchive(bytes, `${locked.name}-${locked.version}.tgz`, context.ports)
    if (!isLockedChart(locked, chart)) throw otherChart(locked, chart)
    return chart
  }
  throw new StackmasonError({
    code: 'CHART_DEPENDENCY_MISSING',
    severity: 'error',
    message: `chart ${locked.name} ${locked.version} of ${locked.repository} is locked, but not in the cache`,
    at,
    hint: 'Run `stackmason fetch`: rendering fetches no charts.',
  })
}
