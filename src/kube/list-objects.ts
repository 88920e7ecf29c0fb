import { isRefusal } from './api-error.ts'
import type { ApiServer } from './api-server.ts'
import { listField, textField } from './json-field.ts'
import { type KubeObject, readKubeObject } from './kube-object.ts'
import { apiVersionOf, collectionPath, type Resource } from './resource.ts'

const PAGE = '500'

/** The objects to list: of all namespaces where that is empty. */
export interface ListedCollection {
  readonly resource: Resource
  readonly namespace: string
  /** Only those with such labels. */
  readonly labelSelector?: string
}

/** Asks the server for all objects of a kind in a namespace as they are now. @throws ApiError, HttpError */
export async function listObjects(
  api: ApiServer,
  { resource, namespace, labelSelector = '' }: ListedCollection,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  // items of a list do not say what they are
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind }
  const read = (item: unknown): readonly KubeObject[] => {
    const object = readKubeObject(item)
    return object === undefined ? [] : [{ ...object, ...type }]
  }
  return listItems(api, { resource, namespace, labelSelector, content: undefined, read }, signal)
}

/** The objects to list, and the part of each item to keep. */
export interface ListRequest<Item> extends ListedCollection {
  /** `metadataList`: the server leaves all else out. */
  readonly content: 'metadataList' | undefined
  readonly read: (item: unknown) => readonly Item[]
}

/** Lists page by page, and keeps what is read of each item. @throws ApiError, HttpError */
export async function listItems<Item>(
  api: ApiServer,
  { resource, namespace, labelSelector = '', content, read }: ListRequest<Item>,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  let found: Item[] = []
  let next: string | undefined = ''
  while (next !== undefined) {
    const query = {
      limit: PAGE,
      ...(labelSelector !== '' && { labelSelector }),
      ...(next !== '' && { continue: next }),
    }
    const path = collectionPath(resource, namespace)
    try {
      const page = await api.send({ method: 'GET', path, query, ...(content && { content }) }, signal)
      found.push(...listField(page, 'items').flatMap(read))
      next = textField(page, 'metadata', 'continue') || undefined
    } catch (error) {
      // the list is too old to be continued: begin again
      if (!isRefusal(error, 410) || next === '') throw error
      found = []
      next = ''
    }
  }
  return found
}
