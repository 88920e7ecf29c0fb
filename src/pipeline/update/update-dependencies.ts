import { compareBytes } from '../../codec/text/text-order.ts'
import { parseSemver, SemverError } from '../../codec/semver/semver-version.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import type { ChartRepository, RemoteChart } from '../../model/fleet.ts'
import type { Lock, LockedDependency } from '../../model/lock.ts'
import { readChartArchive } from '../../sources/chart/build-chart.ts'
import { missingDependencies } from '../../sources/dependency/missing-dependencies.ts'
import { createDependencyContext, type DependencyRequest } from '../../sources/dependency/dependency-context.ts'
import { fetchDependency } from '../../sources/dependency/fetch-dependency.ts'
import { isDigest } from '../../sources/dependency/resolve-dependency.ts'
import { signerOf } from '../../sources/dependency/repository-access.ts'
import { verifyLockedDependency } from '../../sources/dependency/verify-locked.ts'
import { findLockedDependency } from '../../sources/lock/find-locked.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { dependencyRequests } from '../resolve/dependency-requests.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import { isEdited, resolveOrKeep } from './resolve-or-keep.ts'

/** A chart, or one that addons.yaml takes from a repository, and whether what it resolves to may move. */
export type DependentChart = { readonly isMoving: boolean } & (
  { readonly chart: Chart; readonly remote?: never } | { readonly remote: RemoteChart }
)

/**
 * Locks and fetches what charts declare and do not vendor. An exact version that is locked stays as it is; a range is
 * resolved anew for charts that move. A version whose archive was replaced keeps its locked digest, with a warning.
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
  for (const given of charts) {
    const { isMoving } = given
    const { requests, findings: stale } = requestsOf(given, access.context.ports.crypto)
    findings.push(...stale)
    for (const { name, repository, request, ...place } of requests) {
      const wanted = { name, repository, request }
      const key = JSON.stringify(wanted)
      if (locked.has(key)) continue
      const known = findLockedDependency(lock, wanted)
      try {
        // keys that are new to the fleet: the version stays, its manifest gets into the lock
        const isUnproven =
          known !== undefined && known.revision === undefined && signerOf(known, access.repositories) !== undefined
        const isKept = known !== undefined && accept === 'kept-content' && (!isMoving || isExact(wanted.request))
        if (isKept && !isUnproven) {
          const bytes = await fetchDependency({ ...known, repository }, context)
          await verifyLockedDependency({ ...known, repository }, context)
          if (!(await isEdited(known, context))) {
            if (given.remote !== undefined) refuseIncomplete(given.remote, bytes, context)
            locked.set(key, known)
            continue
          }
        }
        const { resolved: gotten, findings: kept } = await resolveOrKeep(
          { ...wanted, ...place, ...(isKept && isUnproven && { version: known.version }) },
          { known, accept },
          context,
        )
        findings.push(...kept)
        const { bytes, ...resolved } = gotten
        if (given.remote !== undefined) refuseIncomplete(given.remote, bytes, context)
        const found = { ...wanted, repository: shownUrl(wanted.repository), ...resolved, url: shownUrl(resolved.url) }
        const isReplaced = known !== undefined && known.version === found.version && known.digest !== found.digest
        if (isReplaced && accept === 'kept-content' && !(await isEdited(known, context))) {
          findings.push(replaced(known, found.digest))
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

function requestsOf(
  given: DependentChart,
  crypto: Crypto,
): { readonly requests: readonly DependencyRequest[]; readonly findings: readonly Diagnostic[] } {
  if (given.remote !== undefined) return { requests: [given.remote], findings: [] }
  const { wanted, findings } = dependencyRequests(given.chart, crypto)
  const requests = wanted.map(({ name, repository, request, file }) => ({ name, repository, request, file }))
  return { requests, findings }
}

/** A packed chart carries what it depends on, or `helm install` could not use it either. */
function refuseIncomplete({ name, repository, at }: RemoteChart, bytes: Uint8Array, { ports }: SourceContext): void {
  const missing = missingDependencies(readChartArchive(bytes, `${name}.tgz`, ports))
  if (missing.length === 0) return
  throw new StackmasonError({
    code: 'CHART_DEPENDENCY_MISSING',
    severity: 'error',
    message: `chart ${name} of ${shownUrl(repository)} was packed without charts that it depends on: ${missing.map((dependency) => dependency.name).join(', ')}`,
    at,
    hint: 'Take a version that was packed after `helm dependency update`, or commit a copy of the chart and name its path.',
  })
}

/** A digest or a full version names one archive for ever; anything else is a range. */
function isExact(request: string): boolean {
  if (isDigest(request)) return true
  try {
    parseSemver(request)
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
  return /^v?\d+\.\d+\.\d+/.test(request)
}

function replaced({ name, version, repository, at, digest }: LockedDependency, found: string): Diagnostic {
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message: `the archive of chart ${name} ${version} in ${repository} was replaced; the locked one was kept: it has ${found}, the lock says ${digest}`,
    at,
    hint: 'Find out who replaced it and why; to accept it, remove its entry from stackmason.lock and run `stackmason update`.',
  }
}
