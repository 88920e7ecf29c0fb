import { StackmasonError } from '../../model/diagnostic.ts'
import type { LockedDependency } from '../../model/lock.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { findVersion } from './choose-version.ts'
import { placeOf, type DependencyContext, type DependencyRequest } from './dependency-context.ts'
import { fetchEntry } from './fetch-entry.ts'
import { fetchFromWeb } from './fetch-from-web.ts'
import { readRepositoryIndex } from './helm-repository.ts'
import { openChartRegistry } from './oci-chart.ts'
import { originOf } from './resolve-url.ts'

/**
 * Gives the archive that the lock pins: from the cache, else from where the lock says (through the mirror, if the fleet
 * names one). When a Helm repository does not have it there any more, its index is asked for the version; the digest
 * decides in any case.
 * @throws StackmasonError FETCH_OFFLINE, FETCH_DIGEST_MISMATCH, FETCH_*, CACHE_FAILED
 */
export async function fetchDependency(locked: LockedDependency, context: DependencyContext): Promise<Uint8Array> {
  const cached = await context.cache.get(locked.digest)
  if (cached !== undefined) return cached
  if (context.offline) throw offline(locked)
  const bytes = /^oci:/i.test(locked.url)
    ? await fetchFromRegistry(locked, context)
    : await fetchFromRepository(locked, context)
  await context.cache.put(bytes)
  return bytes
}

async function fetchFromRegistry(locked: LockedDependency, context: DependencyContext): Promise<Uint8Array> {
  const { url, digest, name, version, repository } = locked
  const opened = await openChartRegistry(url, { repository, ...placeOf(locked) }, context)
  // By digest, so that it does not matter what became of the tag.
  if (opened !== undefined) return opened.registry.getBlob(digest, { purpose: `chart ${name} ${version}` })
  throw new StackmasonError({
    code: 'LOCK_INVALID',
    severity: 'error',
    message: `the url of dependency ${name} is not a place in a registry: ${shownUrl(url)}`,
    ...placeOf(locked),
  })
}

async function fetchFromRepository(locked: LockedDependency, context: DependencyContext): Promise<Uint8Array> {
  const { name, version, repository, digest } = locked
  const purpose = `chart ${name} ${version}`
  const url = locked.url + queryFor(locked)
  try {
    return await fetchFromWeb({ url, repository, purpose, digest, ...placeOf(locked) }, context)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    const again = isGone(error) ? await findAgain(locked, context) : undefined
    if (again === undefined) throw withWayOut(error)
    return again
  }
}

/**
 * The query of the repository, which may hold a token: the lock leaves it out, so callers give the repository as the
 * chart that asks writes it. Helm adds it to what an index names relatively, and that is on the repository's own server.
 */
function queryFor({ url, repository }: LockedDependency): string {
  const origin = originOf(url)
  const isOwn = origin !== undefined && origin === originOf(repository)
  return isOwn ? (/\?[^#]*/.exec(repository)?.[0] ?? '') : ''
}

/** An exact version stays locked, so a plain update would end with the same error. */
function withWayOut(error: StackmasonError): StackmasonError {
  const hint =
    'Do not use it before you know who replaced it and why; to accept it, remove its entry from stackmason.lock and run `stackmason update`.'
  return new StackmasonError(
    error.diagnostics.map((diagnostic) =>
      diagnostic.code === 'FETCH_DIGEST_MISMATCH' ? { ...diagnostic, hint } : diagnostic,
    ),
  )
}

function isGone(error: StackmasonError): boolean {
  return error.diagnostics.some(({ code }) => code === 'FETCH_NOT_FOUND' || code === 'FETCH_UNAUTHORIZED')
}

/** Fetches the version through today's index, if that leads to the same bytes. */
async function findAgain(locked: LockedDependency, context: DependencyContext): Promise<Uint8Array | undefined> {
  const dependency: DependencyRequest = { ...locked, version: locked.version }
  try {
    const entries = (await readRepositoryIndex(dependency, context)).get(locked.name) ?? []
    const entry = findVersion(entries, locked.version)
    if (entry === undefined) return undefined
    return (await fetchEntry(dependency, { ...entry, digest: locked.digest }, context)).bytes
  } catch (error) {
    // The first answer tells more about what is wrong.
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

function offline({ name, version, repository, at }: LockedDependency): StackmasonError {
  return new StackmasonError({
    code: 'FETCH_OFFLINE',
    severity: 'error',
    message: `chart ${name} ${version} of ${shownUrl(repository)} is not in the cache`,
    at,
    hint: 'Run `stackmason fetch` without --offline.',
  })
}
