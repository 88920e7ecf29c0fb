import type { ApiServer } from '../../kube/api-server.ts'
import { type KubeObject, readKubeObject } from '../../kube/kube-object.ts'
import { objectPath, type Resource } from '../../kube/resource.ts'

/**
 * Deletes an object in the very state in which it was seen, and none that somebody makes in its place. `leaving`: it
 * is still there, for its finalizers hold it back.
 * @throws ApiError 409 where it has changed meanwhile, 404 where it has gone
 */
export async function deleteObject(
  api: ApiServer,
  { resource, object }: { readonly resource: Resource; readonly object: KubeObject },
  signal: AbortSignal,
): Promise<'gone' | 'leaving'> {
  const preconditions = { uid: object.uid, resourceVersion: object.resourceVersion }
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions }
  const left = await api.send({ method: 'DELETE', path: objectPath(resource, object), body }, signal)
  // what stays is answered as it is
  return readKubeObject(left)?.isBeingDeleted === true ? 'leaving' : 'gone'
}
