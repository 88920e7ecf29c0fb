import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, isRecord, listField, textField } from '../../kube/json-field.ts'
import { type KubeObject, type ObjectKey, readKubeObject } from '../../kube/kube-object.ts'
import { apiVersionOf, collectionPath, objectPath, type Resource } from '../../kube/resource.ts'
import { claimFields } from './claim-fields.ts'
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
 * Creates an object, or applies one that is ours, server-side, and says whether that took a write. What others have
 * added to it stays.
 * @throws ApiError 409 where it has changed meanwhile, or where somebody has made one
 */
export async function applyObject(
  api: ApiServer,
  { resource, key, wanted, live, manager }: ApplyRequest,
  signal: AbortSignal,
): Promise<'written' | 'unchanged'> {
  const claim = { resource, manager }
  const said = { ...wanted, apiVersion: apiVersionOf(resource), kind: resource.kind }
  const metadata = { ...wanted.metadata, ...key }
  if (live === undefined) {
    // not by an apply: that would be merged with what somebody else has made meanwhile
    const path = collectionPath(resource, key.namespace)
    const query = { fieldManager: manager }
    const made = await api.send({ method: 'POST', path, query, body: { ...said, metadata } }, signal)
    const object = readKubeObject(made)
    if (object !== undefined) await claimFields(api, { ...claim, object, only: said }, signal)
    return 'written'
  }
  const object = await claimFields(api, { ...claim, object: live }, signal)
  if (holds(object.content, wanted) && saysNoMore(object, wanted, manager)) {
    return object === live ? 'unchanged' : 'written'
  }
  const { resourceVersion, uid } = object
  await api.send(
    {
      method: 'PATCH',
      path: objectPath(resource, key),
      query: { fieldManager: manager, force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: { ...said, metadata: { ...metadata, resourceVersion, uid } },
    },
    signal,
  )
  return 'written'
}

/**
 * True if a value has all that is wanted; other owners may be there too, and the server drops a map without entries.
 */
function holds(live: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return isSameJson(live, wanted)
  return (
    isRecord(live) &&
    Object.entries(wanted).every(([key, value]) => {
      if (!Object.hasOwn(live, key)) return isRecord(value) && Object.keys(value).length === 0
      const found = live[key]
      if (key !== 'ownerReferences' || !Array.isArray(value)) return holds(found, value)
      return value.every((owner) => Array.isArray(found) && found.some((other) => isSameJson(other, owner)))
    })
  )
}

/** True if all fields that we have set of the object are still wanted. */
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
