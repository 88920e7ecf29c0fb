import { isRefusal } from './api-error.ts'
import type { ApiServer } from './api-server.ts'
import { type KubeObject, type ObjectKey, readKubeObject } from './kube-object.ts'
import { objectPath, type Resource } from './resource.ts'

/** Asks the server for an object as it is now; undefined when it is not there. @throws ApiError, HttpError */
export async function readObject(
  api: ApiServer,
  { resource, key }: { readonly resource: Resource; readonly key: ObjectKey },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return readKubeObject(await api.send({ method: 'GET', path: objectPath(resource, key) }, signal))
  } catch (error) {
    if (isRefusal(error, 404)) return undefined
    throw error
  }
}

/** The same; undefined also where we may not read it. @throws ApiError, HttpError */
export async function readObjectIfAllowed(...asked: Parameters<typeof readObject>): Promise<KubeObject | undefined> {
  try {
    return await readObject(...asked)
  } catch (error) {
    if (isRefusal(error, 403)) return undefined
    throw error
  }
}
