import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { LockedDependency } from '../../model/lock.ts'
import { SignatureError } from '../../network/signature/signature-error.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { readChartArchive } from '../../sources/chart/build-chart.ts'
import { isLockedChart } from '../../sources/dependency/choose-version.ts'
import type {
  DependencyContext,
  DependencyRequest,
  ResolvedDependency,
} from '../../sources/dependency/dependency-context.ts'
import { fetchDependency } from '../../sources/dependency/fetch-dependency.ts'
import { archiveOf, tagOf } from '../../sources/dependency/oci-chart.ts'
import { resolveDependency } from '../../sources/dependency/resolve-dependency.ts'
import { verifyLockedDependency } from '../../sources/dependency/verify-locked.ts'
import type { SourceContext } from '../../sources/source-context.ts'

/** What the lock has of a chart, and whether content that took its place counts. */
export interface KnownDependency {
  readonly known: LockedDependency | undefined
  readonly accept: 'kept-content' | 'new-content'
}

/** A chart as it was resolved or kept. */
export interface ResolvedOrKept {
  readonly resolved: ResolvedDependency
  /** Tells that it was kept. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Resolves a chart, and keeps it as it is locked where other content took the place of its version that nobody accepted
 * has signed: who only hears of the missing signature would sign what somebody else put there.
 * @throws StackmasonError as `resolveDependency`; where what is locked cannot be kept the error tells both
 */
export async function resolveOrKeep(
  request: DependencyRequest,
  { known, accept }: KnownDependency,
  context: DependencyContext,
): Promise<ResolvedOrKept> {
  try {
    return { resolved: await resolveDependency(request, context), findings: [] }
  } catch (error) {
    const isOfVersion = error instanceof SignatureError && known !== undefined && error.tag === tagOf(known.version)
    if (!isOfVersion || (await isEdited(known, context))) throw error
    const { version, url, revision, digest } = known
    // keys that are new to the fleet: the lock names the archive only
    const found = revision === undefined ? await archiveOf(known, error.digest, context) : error.digest
    const change = { found, said: revision ?? digest, error }
    if (change.found === change.said) throw error
    if (accept === 'new-content' || revision === undefined) throw refusal(known, change)
    const locked = { ...known, repository: request.repository }
    const bytes = await fetchDependency(locked, context)
    await verifyLockedDependency(locked, context)
    return { resolved: { version, url, revision, digest, bytes }, findings: [replacedUnsigned(known, change)] }
  }
}

/**
 * True if the entry names another chart or version than its digest pins, so that nothing of it counts. What the cache
 * does not have is not fetched for it.
 */
export async function isEdited(locked: LockedDependency, { cache, ports }: SourceContext): Promise<boolean> {
  const bytes = await cache.get(locked.digest)
  return bytes !== undefined && !isLockedChart(locked, readChartArchive(bytes, `${locked.name}.tgz`, ports))
}

interface Change {
  readonly found: string | undefined
  readonly said: string
  readonly error: SignatureError
}

function replacedUnsigned(known: LockedDependency, change: Change): Diagnostic {
  const { error } = change
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message: `${subject(known)} was replaced; the locked one was kept: ${difference(change)}; ${error.message}`,
    at: known.at,
    hint: 'Find out who replaced it and why, before anybody signs it; to accept it once it is signed, remove its entry from stackmason.lock and run `stackmason update`.',
  }
}

function refusal(known: LockedDependency, change: Change): StackmasonError {
  const { error } = change
  return new StackmasonError(
    error.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      message: `${subject(known)} was replaced: ${difference(change)}; ${diagnostic.message}`,
      hint: 'Find out who replaced it and why, before anybody signs it.',
    })),
    { cause: error },
  )
}

function subject({ name, version, repository }: LockedDependency): string {
  return `chart ${name} ${version} in ${shownUrl(repository)}`
}

function difference({ found, said }: Change): string {
  return `it has ${found ?? 'no archive'}, the lock says ${said}`
}
