import { HttpError } from '../model/http.ts'
import { isAbsence, isRefusal } from './api-error.ts'
import type { ApiRequest, ApiServer } from './api-server.ts'
import type { Discovery } from './discovery.ts'
import { type KubeObject, type ObjectKey, readKubeObject } from './kube-object.ts'
import { objectPath, type Resource } from './resource.ts'

/** An object to ask for. */
interface AskedObject {
  readonly resource: Resource
  readonly key: ObjectKey
  /** Only this of it; all without. */
  readonly content?: ApiRequest['content']
}

/** Asks the server for an object as it is now; undefined when it is not there. @throws ApiError, HttpError */
export async function readObject(
  api: ApiServer,
  asked: AskedObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return readUnless((error) => isRefusal(error, 404), { api, asked, signal })
}

/** The same where it matters whether it is there. @throws ApiError, any other 404 too; HttpError */
export async function readSurely(
  api: ApiServer,
  asked: AskedObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { resource, key } = asked
  return readUnless((error) => isAbsence(error, { plural: resource.plural, name: key.name }), { api, asked, signal })
}

async function readUnless(
  isAbsent: (error: unknown) => boolean,
  { api, asked, signal }: { readonly api: ApiServer; readonly asked: AskedObject; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  try {
    const { resource, key, content } = asked
    const path = objectPath(resource, key)
    const object = readKubeObject(await api.send({ method: 'GET', path, ...(content && { content }) }, signal))
    // whatever stands before a server may answer for it, and would have us make what is there
    if (object?.name !== key.name || object.namespace !== key.namespace)
      throw new HttpError('protocol', 'the server answers with something that is not the object')
    return object
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** The same for a kind that `discovery` has found, and finds anew where that version of it is gone. */
export async function readFound(
  { api, discovery }: { readonly api: ApiServer; readonly discovery: Pick<Discovery, 'forget'> },
  asked: AskedObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await readSurely(api, asked, signal)
  } catch (error) {
    if (isRefusal(error, 404)) discovery.forget(asked.resource.group)
    throw error
  }
}

/** The same as {@link readObject}; undefined also where we may not read it. @throws ApiError, HttpError */
export async function readObjectIfAllowed(...asked: Parameters<typeof readObject>): Promise<KubeObject | undefined> {
  try {
    return await readObject(...asked)
  } catch (error) {
    if (isRefusal(error, 403)) return undefined
    throw error
  }
}
