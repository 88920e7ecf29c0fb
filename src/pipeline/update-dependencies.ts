import { compareBytes } from '../codec/text-order.ts'
import { parseSemver, SemverError } from '../codec/semver-version.ts'
import type { Chart } from '../model/chart.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { ChartRepository } from '../model/fleet.ts'
import type { Lock, LockedDependency } from '../model/lock.ts'
import { createDependencyContext } from '../sources/dependency/dependency-context.ts'
import { fetchDependency } from '../sources/dependency/fetch-dependency.ts'
import { resolveDependency } from '../sources/dependency/resolve-dependency.ts'
import { findLockedDependency } from '../sources/lock/find-locked.ts'
import { shownUrl } from '../sources/transport/shown-url.ts'
import type { SourceContext } from '../sources/source-context.ts'
import { dependencyRequests } from './dependency-requests.ts'
import { diagnosticsOf } from './diagnostics.ts'

/** A chart, and whether what it depends on may move. */
export interface DependentChart {
  readonly chart: Chart
  readonly isMoving: boolean
}

/**
 * Locks and fetches what charts declare and do not vendor. An exact version that is locked stays as it is; a range is resolved anew for charts that move.
 * A version whose archive was replaced keeps its locked digest, with a warning.
 * @throws StackmasonError with all problems: DEPENDENCY_*, FETCH_*, CACHE_FAILED
 */
export async function updateDependencies(
  charts: readonly DependentChart[],
  { lock, accept }: { readonly lock: Lock; readonly accept: 'kept-content' | 'new-content' },
  access: { readonly context: SourceContext; readonly repositories: readonly ChartRepository[] },
): Promise<{
  readonly dependencies: readonly LockedDependency[]
  readonly findings: readonly Diagnostic[]
  readonly problems: readonly Diagnostic[]
}> {
  const context = createDependencyContext(access.context, access.repositories)
  const locked = new Map<string, LockedDependency>()
  const findings: Diagnostic[] = []
  const problems: Diagnostic[] = []
  for (const { chart, isMoving } of charts) {
    const { wanted: requests, findings: stale } = dependencyRequests(chart, access.context.ports.crypto)
    findings.push(...stale)
    for (const { name, repository, request, file } of requests) {
      const wanted = { name, repository, request }
      const key = JSON.stringify(wanted)
      if (locked.has(key)) continue
      const known = findLockedDependency(lock, wanted)
      try {
        if (known !== undefined && accept === 'kept-content' && (!isMoving || isExact(wanted.request))) {
          await fetchDependency({ ...known, repository }, context)
          locked.set(key, known)
          continue
        }
        const { bytes: _, ...resolved } = await resolveDependency({ ...wanted, file }, context)
        const found = { ...wanted, repository: shownUrl(wanted.repository), ...resolved, url: shownUrl(resolved.url) }
        const isReplaced = known !== undefined && known.version === found.version && known.digest !== found.digest
        if (isReplaced && accept === 'kept-content') {
          findings.push(replaced(known))
          locked.set(key, known)
        } else locked.set(key, found)
      } catch (error) {
        problems.push(...diagnosticsOf(error))
      }
    }
  }
  const dependencies = [...locked.values()].sort(
    (a, b) =>
      compareBytes(a.name, b.name) || compareBytes(a.repository, b.repository) || compareBytes(a.request, b.request),
  )
  return { dependencies, findings, problems }
}

/** A full version names one archive for ever; anything else is a range. */
function isExact(request: string): boolean {
  try {
    parseSemver(request)
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
  return /^v?\d+\.\d+\.\d+/.test(request)
}

function replaced({ name, version, repository, at }: LockedDependency): Diagnostic {
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message: `the archive of chart ${name} ${version} in ${repository} was replaced; the locked one was kept`,
    ...(at === undefined ? {} : { at }),
    hint: 'Find out who replaced it and why; `stackmason update --release <tag>` of a release that uses it accepts it.',
  }
}
