import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, isRecord, listField, textField } from '../../kube/json-field.ts'
import { type KubeObject, readKubeObject } from '../../kube/kube-object.ts'
import { objectPath, type Resource } from '../../kube/resource.ts'

/** An object as it is now, with who set which field. */
export interface FieldClaim {
  readonly resource: Resource
  readonly object: KubeObject
  readonly manager: string
  /**
   * The fields that we have set, where they are known: a field that the server has set by itself, such as the type of a
   * Secret, is not claimed.
   */
  readonly only?: unknown
}

/**
 * Makes the fields that we set by creating an object those of our applies, and gives the object as it is then.
 * Otherwise the server would not take them out when an apply says them no longer. It is the way of client-go's
 * csaupgrade.
 * @throws ApiError 409 where the object has changed meanwhile
 */
export async function claimFields(
  api: ApiServer,
  { resource, object, manager, only }: FieldClaim,
  signal: AbortSignal,
): Promise<KubeObject> {
  const entries = listField(object.content, 'metadata', 'managedFields')
  const ours = entries.filter(
    (entry) => textField(entry, 'manager') === manager && textField(entry, 'subresource') === undefined,
  )
  if (ours.every((entry) => textField(entry, 'operation') === 'Apply')) return object
  const fieldsV1 = ours.map((entry) => fieldAt(entry, 'fieldsV1')).reduce(bothOf)
  const first = ours.find((entry) => isRecord(entry))
  const claimed = { ...first, operation: 'Apply', fieldsV1: only === undefined ? fieldsV1 : within(fieldsV1, only) }
  const changed = await api.send(
    {
      method: 'PATCH',
      path: objectPath(resource, object),
      query: { fieldManager: manager },
      contentType: 'application/json-patch+json',
      body: [
        {
          op: 'replace',
          path: '/metadata/managedFields',
          value: [...entries.filter((entry) => !ours.includes(entry)), claimed],
        },
        { op: 'replace', path: '/metadata/resourceVersion', value: object.resourceVersion },
      ],
    },
    signal,
  )
  return readKubeObject(changed) ?? object
}

/** Those fields of a set that a value says. */
function within(fields: unknown, said: unknown): unknown {
  if (!isRecord(fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, inner]) => {
      if (!name.startsWith('f:')) return [[name, inner]]
      const found = fieldAt(said, name.slice(2))
      return found === undefined ? [] : [[name, within(inner, found)]]
    }),
  )
}

/** The fields of two sets. */
function bothOf(a: unknown, b: unknown): unknown {
  if (!isRecord(a) || !isRecord(b)) return a ?? b
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, bothOf(fieldAt(a, name), fieldAt(b, name))]))
}
