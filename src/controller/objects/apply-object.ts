import type { ApiServer } from '../server/api-server.ts'
import { fieldAt, isRecord, listField, textField } from '../server/json-field.ts'
import type { KubeObject, ObjectKey } from '../server/kube-object.ts'
import { apiVersionOf, objectPath, type Resource } from '../server/resource.ts'
import { isSameJson } from './same-json.ts'

/** An object to be applied. */
export interface ApplyRequest {
  readonly resource: Resource
  readonly key: ObjectKey
  /** All that we say of it, without apiVersion, kind, name and namespace. */
  readonly wanted: { readonly metadata: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>
  /** As it is now, with who set which field; undefined: it is not there. */
  readonly live: KubeObject | undefined
  /** Constant for each concern: what it says no longer is taken out by the server. */
  readonly manager: string
}

/**
 * Applies an object that is ours, server-side, and says whether that took a write. What others have added to it stays.
 * @throws ApiError 409 where it has changed meanwhile, or where somebody has made one that says otherwise
 */
export async function applyObject(
  api: ApiServer,
  { resource, key, wanted, live, manager }: ApplyRequest,
  signal: AbortSignal,
): Promise<'written' | 'unchanged'> {
  if (live !== undefined && holds(live.content, wanted) && saysNoMore(live, wanted, manager)) return 'unchanged'
  const precondition = live === undefined ? {} : { resourceVersion: live.resourceVersion, uid: live.uid }
  await api.send(
    {
      method: 'PATCH',
      path: objectPath(resource, key),
      // where there was none, somebody may have made one meanwhile: then its fields are not ours to take
      query: { fieldManager: manager, force: String(live !== undefined) },
      contentType: 'application/apply-patch+yaml',
      body: {
        ...wanted,
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: { ...wanted.metadata, ...key, ...precondition },
      },
    },
    signal,
  )
  return 'written'
}

/** Whether a value says all that is wanted; of owners, others may be there too. */
function holds(live: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return isSameJson(live, wanted)
  return (
    isRecord(live) &&
    Object.entries(wanted).every(([key, value]) => {
      if (!Object.hasOwn(live, key)) return false
      const found = live[key]
      if (key !== 'ownerReferences' || !Array.isArray(value)) return holds(found, value)
      return value.every((owner) => Array.isArray(found) && found.some((other) => isSameJson(other, owner)))
    })
  )
}

/** Whether all that we have said of the object is still wanted. */
function saysNoMore(live: KubeObject, wanted: unknown, manager: string): boolean {
  return listField(live.content, 'metadata', 'managedFields')
    .filter((entry) => textField(entry, 'manager') === manager && textField(entry, 'operation') === 'Apply')
    .every((entry) => isWithin(fieldAt(entry, 'fieldsV1'), wanted))
}

/** `f:<name>` is a field, `k:<keys>` an item of a list, `.` the value itself. */
function isWithin(fields: unknown, wanted: unknown): boolean {
  if (!isRecord(fields)) return true
  return Object.entries(fields).every(([name, inner]) => {
    if (!name.startsWith('f:')) return true
    const found = fieldAt(wanted, name.slice(2))
    return found !== undefined && isWithin(inner, found)
  })
}
