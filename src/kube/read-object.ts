import { ApiError, isRefusal } from './api-error.ts'
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

/**
 * True if the server says that this very object is not there. Any other 404 says nothing about it: the server may not
 * serve this version of its kind, or its namespace has gone before it; and an admission webhook may miss something
 * else, even of the same name.
 */
export function isGone(error: unknown, { resource: { plural }, key: { name } }: AskedObject): boolean {
  if (!(error instanceof ApiError) || error.status !== 404 || error.isDenied) return false
  return error.subject === name && (error.subjectKind === plural || error.subjectKind === '')
}

/** Asks the server for an object as it is now; undefined when it is not there. @throws ApiError, HttpError */
export async function readObject(
  api: ApiServer,
  asked: AskedObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return readUnless((error) => isRefusal(error, 404), { api, asked, signal })
}

/** The same where it matters whether it {@link isGone}. @throws ApiError, any other 404 too; HttpError */
export async function readSurely(
  api: ApiServer,
  asked: AskedObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return readUnless((error) => isGone(error, asked), { api, asked, signal })
}

async function readUnless(
  isAbsent: (error: unknown) => boolean,
  { api, asked, signal }: { readonly api: ApiServer; readonly asked: AskedObject; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  try {
    const { resource, key, content } = asked
    const path = objectPath(resource, key)
    return readKubeObject(await api.send({ method: 'GET', path, ...(content && { content }) }, signal))
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
