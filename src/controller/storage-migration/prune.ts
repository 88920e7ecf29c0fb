import { ApiError, isConflict, isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { readSurely } from '../../kube/read-object.ts'
import { objectPath } from '../../kube/resource.ts'
import { describeFailure, type Failure, isNotAllowed } from './describe-failure.ts'
import { type Definition, definitions, isPruned, readDefinition } from './definition.ts'
import { FIELD_MANAGER } from './rewrite-object.ts'

/** The outcome of removing the other versions from a definition's storedVersions; a failure where that is refused. */
export type PruneOutcome = 'pruned' | 'changed' | 'gone' | Failure

/** How often the definition may change in other ways meanwhile. */
const TRIES = 10

/**
 * Leaves only the storage version in a definition's `status.storedVersions`, if it still is the one whose objects
 * were swept: of the same uid and generation, in the very state in which it is read now.
 * @throws ApiError, HttpError, LeaseLostError
 */
export async function pruneStoredVersions(
  swept: Definition,
  api: ApiServer,
  signal: AbortSignal,
): Promise<PruneOutcome> {
  const key = { namespace: '', name: swept.name }
  for (let tries = 1; tries <= TRIES; tries++) {
    const object = await readSurely(api, { resource: definitions, key }, signal)
    if (object === undefined) return 'gone'
    const now = readDefinition(object)
    if (now.uid !== swept.uid || now.generation !== swept.generation) return 'changed'
    if (now.storageVersion !== swept.storageVersion || now.obstacle !== undefined) return 'changed'
    if (isPruned(now)) return 'pruned'
    const names = new Set(now.versions.map(({ name }) => name))
    if (!now.storedVersions.every((version) => names.has(version))) return 'changed'
    try {
      await api.send(
        {
          method: 'PATCH',
          path: `${objectPath(definitions, key)}/status`,
          query: { fieldManager: FIELD_MANAGER },
          contentType: 'application/merge-patch+json',
          // its conditions move it, too: then all is looked at again
          body: {
            metadata: { uid: now.uid, resourceVersion: now.resourceVersion },
            status: { storedVersions: [now.storageVersion] },
          },
        },
        signal,
      )
      return 'pruned'
    } catch (error) {
      if (isConflict(error)) continue
      const isLasting = error instanceof ApiError && error.status < 500 && error.status !== 429
      if (!isLasting || isNotAllowed(error)) throw error
      const isAbsent =
        isRefusal(error, 404) && (await readSurely(api, { resource: definitions, key }, signal)) === undefined
      return isAbsent ? 'gone' : describeFailure(error)
    }
  }
  return 'changed'
}
