import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository, LocalSourceConfig, SourceConfig } from '../../model/fleet.ts'
import type { Lock, LockedRelease } from '../../model/lock.ts'
import type { Ports } from '../../model/ports.ts'
import { parseReleaseTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { createDependencyContext } from '../../sources/dependency/dependency-context.ts'
import { fetchDependency } from '../../sources/dependency/fetch-dependency.ts'
import { verifyLockedDependency } from '../../sources/dependency/verify-locked.ts'
import { readLock } from '../../sources/lock/read-lock.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { createCatalogue } from '../resolve/catalogue.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import {
  fetchLocked,
  fetchLockedRelease,
  isLocal,
  isSigned,
  verifyLocked,
  type LockedAccess,
} from '../resolve/fetch-release.ts'
import { lockFileOf } from '../resolve/open-inputs.ts'
import { sourcesOf } from '../resolve/stack-sources.ts'
import { createSourceContext, type Network } from '../resolve/open-source.ts'
import { writtenRepositories } from '../resolve/written-repositories.ts'
import { withFleet } from '../fleet/with-fleet.ts'

/** The options of `stackmason fetch`. */
export interface FetchOptions {
  readonly start: string
  readonly fleet?: string
  /** Offline it only says what is missing. Default: online. */
  readonly network?: Network
}

/** The result of a fetch. */
export interface FetchResult {
  readonly fleet: string
  readonly cache: string
  /** Releases of the lock that are not of this machine. */
  readonly releases: number
  readonly dependencies: number
  /** Files that were not in the cache, and their bytes. */
  readonly fetched: { readonly files: number; readonly bytes: number }
  readonly findings: readonly Diagnostic[]
}

/**
 * Brings everything that stackmason.lock names into the cache, so that rendering needs no network, and compares what
 * lies on this machine with it.
 * A fleet without a lock has nothing to bring where it needs none: all of its sources are of this machine.
 * @throws StackmasonError LOCK_MISSING, LOCK_MISMATCH, FETCH_*, GIT_FAILED, CACHE_FAILED: of every entry; what could be
 * fetched is in the cache
 */
export function fetchLock(options: FetchOptions, ports: Ports, onProgress: OnProgress): Promise<FetchResult> {
  return withFleet(options, ports, (repository) => fetchAll(repository, options, { ports, onProgress }))
}

async function fetchAll(
  repository: FleetRepository,
  options: FetchOptions,
  { ports, onProgress }: { readonly ports: Ports; readonly onProgress: OnProgress },
): Promise<FetchResult> {
  const { fleet } = repository
  const lock = (await readLock(lockFileOf(fleet), ports)) ?? nothingLocked(repository)
  const context = createSourceContext(ports, options.network ?? 'online')
  const catalogue = createCatalogue(fleet, context)
  const dependencyContext = createDependencyContext(context, fleet.chartRepositories)
  const problems: Diagnostic[] = []
  const fetched = { files: 0, bytes: 0 }
  let releases = 0
  const total = lock.releases.length + lock.dependencies.length
  let done = 0
  onProgress({ done, total, label: '' })
  const attempt = async (label: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
    onProgress({ done: ++done, total, label })
  }
  const configOf = ({ source }: LockedRelease): SourceConfig | undefined =>
    fleet.sources.find(({ name }) => name === source)
  const accessOf = (locked: LockedRelease): LockedAccess => ({
    name: parseReleaseTag(locked.name),
    context,
    open: async () => (await catalogue.open(configOf(locked) ?? noSource(locked))).source,
  })
  for (const locked of lock.releases) {
    await attempt(locked.name, async () => {
      const config = configOf(locked)
      const access = accessOf(locked)
      if (config !== undefined && isLocal(config)) return compareLocal(locked, config, access)
      releases++
      if (config !== undefined && isSigned(config)) await verifyLocked(locked, access)
      const brought = await fetchLocked(locked, access)
      fetched.files += brought.files
      fetched.bytes += brought.bytes
    })
  }
  const readRelease = async (locked: LockedRelease): Promise<Release> =>
    (await fetchLockedRelease(locked, configOf(locked) ?? noSource(locked), accessOf(locked))).release
  const written = (await lacksCharts(lock, context))
    ? await writtenRepositories({ lock, repository, readRelease }, ports)
    : undefined
  for (const locked of lock.dependencies) {
    await attempt(`${locked.name} ${locked.version}`, async () => {
      await verifyLockedDependency(locked, dependencyContext)
      if (await context.cache.has(locked.digest)) return
      const bytes = await fetchDependency(
        { ...locked, repository: written?.get(locked) ?? locked.repository },
        dependencyContext,
      )
      fetched.files += 1
      fetched.bytes += bytes.length
    })
  }
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  return {
    fleet: fleet.name,
    cache: context.cacheFolder(),
    releases,
    dependencies: lock.dependencies.length,
    fetched,
    findings: [],
  }
}

/**
 * Nothing of this machine is fetched, but it must be what the lock says. That it has gone is not told: what no cluster
 * needs any more may go before its entry does, and rendering says of what is needed.
 * @throws StackmasonError LOCK_MISMATCH, and as reading the release
 */
async function compareLocal(locked: LockedRelease, config: LocalSourceConfig, access: LockedAccess): Promise<void> {
  try {
    await fetchLockedRelease(locked, config, access)
  } catch (error) {
    if (!diagnosticsOf(error).every(({ code }) => code === 'RELEASE_NOT_FOUND')) throw error
  }
}

/**
 * The lock of a fleet that has none and renders without.
 * @throws StackmasonError LOCK_MISSING where it needs one
 */
function nothingLocked({ fleet, clusterStacks, clusters }: FleetRepository): Lock {
  const isRemote =
    clusterStacks.some((clusterStack) => !sourcesOf(fleet, clusterStack).every(isLocal)) ||
    clusters.some(({ addons }) => addons.some(({ remote, enabled }) => enabled && remote !== undefined))
  if (isRemote) throw noLock(lockFileOf(fleet))
  return { releases: [], dependencies: [] }
}

function noLock(file: string): StackmasonError {
  return new StackmasonError({
    code: 'LOCK_MISSING',
    severity: 'error',
    message: 'there is no stackmason.lock that says what to fetch',
    file,
    hint: 'Run `stackmason update`, review its output, and commit stackmason.lock.',
  })
}

/** True if a chart of a Helm repository must be fetched. */
async function lacksCharts({ dependencies }: Lock, { cache, offline }: SourceContext): Promise<boolean> {
  if (offline) return false
  for (const { url, digest } of dependencies) if (!/^oci:/i.test(url) && !(await cache.has(digest))) return true
  return false
}

function noSource({ name, source }: LockedRelease): never {
  throw new StackmasonError({
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message: `stackmason.lock takes release ${name} from source "${source}", which the fleet does not have`,
    hint: 'Put the source back, or run `stackmason update`.',
  })
}
