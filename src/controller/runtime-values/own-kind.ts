import { isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import type { ObjectKey } from '../../kube/kube-object.ts'
import { readSurely } from '../../kube/read-object.ts'
import type { Resource } from '../../kube/resource.ts'

/** The kind that this folder works on. */
export const runtimeValuesResource: Resource = {
  group: 'stackmason.dev',
  version: 'v1alpha1',
  kind: 'RuntimeValues',
  plural: 'runtimevalues',
}

/**
 * True if there is an object of ours, also where we may not look: somebody else's controller may work there.
 * @throws ApiError, HttpError
 */
export async function mayBeThere(key: ObjectKey, api: ApiServer, signal: AbortSignal): Promise<boolean> {
  try {
    return (await readSurely(api, { resource: runtimeValuesResource, key }, signal)) !== undefined
  } catch (error) {
    if (isRefusal(error, 403)) return true
    throw error
  }
}
