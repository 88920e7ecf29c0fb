import { StackmasonError } from '../../model/diagnostic.ts'
import { type LockedDependency, lockName, wayToLock } from '../../model/lock.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { placeOf, type DependencyContext } from './dependency-context.ts'
import { chartLayer, openChartRegistry, verifyChart } from './oci-chart.ts'
import { signerOf } from './repository-access.ts'

/**
 * Verifies a locked chart where the fleet asks for signatures of its repository, with the keys that count now: the
 * manifest that the lock names is signed, and the locked archive is what it holds. What the cache holds does, offline
 * too.
 * @throws StackmasonError SIGNATURE_*, LOCK_MISMATCH when the lock names no manifest or another archive, FETCH_*
 */
export async function verifyLockedDependency(locked: LockedDependency, context: DependencyContext): Promise<void> {
  const { url, repository, revision, digest } = locked
  const signer = signerOf({ url, repository }, context.repositories)
  if (signer === undefined) return
  const opened = await openChartRegistry(url, { repository, ...placeOf(locked) }, context)
  if (revision === undefined || opened === undefined) throw mismatch(locked, 'names no signed manifest of it')
  const { registry, signedAs, tag = revision } = opened
  const found = await registry.getManifest(revision)
  if (found === undefined) throw mismatch(locked, `names the manifest ${revision}, which is gone`)
  await verifyChart({ digest: revision, tag }, { registry, signedAs, signer }, context)
  if (chartLayer(found.manifest.layers)?.digest !== digest)
    throw mismatch(locked, `names the archive ${digest}, which is not that of the signed manifest`)
}

function mismatch(locked: LockedDependency, what: string): StackmasonError {
  return new StackmasonError({
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message: `chart ${locked.name} ${locked.version} of ${shownUrl(locked.repository)} must be signed, and ${lockName(locked)} ${what}`,
    ...placeOf(locked),
    hint: wayToLock(locked, 'Run `stackmason update`, review its output, and commit stackmason.lock.'),
  })
}
