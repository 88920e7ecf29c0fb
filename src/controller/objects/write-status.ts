import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, isRecord } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { objectPath, type Resource } from '../../kube/resource.ts'
import { isSameJson } from './same-json.ts'

/** A status to be written: all of it. */
export interface StatusWrite {
  readonly resource: Resource
  /** As it was when the status was computed: where it has changed since, nothing is written. */
  readonly object: KubeObject
  readonly status: Readonly<Record<string, unknown>>
  readonly manager: string
}

/**
 * Makes an object's status this one, and says whether that took a write.
 * @throws ApiError 409 where the object has changed meanwhile, 404 where it has gone
 */
export async function writeStatus(
  api: ApiServer,
  { resource, object, status, manager }: StatusWrite,
  signal: AbortSignal,
): Promise<'written' | 'unchanged'> {
  const stored = fieldAt(object.content, 'status')
  if (isSameJson(stored ?? {}, status)) return 'unchanged'
  const dropped = isRecord(stored) ? Object.keys(stored).filter((key) => !Object.hasOwn(status, key)) : []
  await api.send(
    {
      method: 'PATCH',
      path: `${objectPath(resource, object)}/status`,
      query: { fieldManager: manager },
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion: object.resourceVersion, uid: object.uid },
        status: { ...status, ...Object.fromEntries(dropped.map((key) => [key, null])) },
      },
    },
    signal,
  )
  return 'written'
}
