import type { ApiServer } from './api-server.ts'
import { listField, textField } from './json-field.ts'
import { type KubeObject, readKubeObject } from './kube-object.ts'
import { collectionPath, type Resource } from './resource.ts'

const PAGE = '500'

/** Asks the server for all objects of a kind in a namespace as they are now. @throws ApiError, HttpError */
export async function listObjects(
  api: ApiServer,
  { resource, namespace }: { readonly resource: Resource; readonly namespace: string },
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = []
  let next = ''
  do {
    const query = { limit: PAGE, ...(next !== '' && { continue: next }) }
    const page = await api.send({ method: 'GET', path: collectionPath(resource, namespace), query }, signal)
    found.push(...listField(page, 'items').flatMap((item) => readKubeObject(item) ?? []))
    next = textField(page, 'metadata', 'continue') ?? ''
  } while (next !== '')
  return found
}
