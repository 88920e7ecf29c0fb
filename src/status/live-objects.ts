import { isRefusal } from '../kube/api-error.ts'
import type { ApiServer } from '../kube/api-server.ts'
import type { Discovery } from '../kube/discovery.ts'
import { formatKey, type KubeObject, type ObjectKey } from '../kube/kube-object.ts'
import { listObjects } from '../kube/list-objects.ts'
import type { Resource } from '../kube/resource.ts'

/** A kind of objects, whichever version of it the server prefers. */
export interface LiveKind {
  readonly group: string
  readonly kind: string
}

/** The live objects of a kind, by their keys, or why none can be seen. */
export type LiveAnswer =
  | { readonly answer: 'listed'; readonly objects: ReadonlyMap<string, KubeObject> }
  | { readonly answer: 'unknown-kind' }
  | { readonly answer: 'forbidden' }

/** The result of one look at an object. */
export type LiveLook =
  | { readonly answer: 'found'; readonly object: KubeObject }
  | { readonly answer: 'absent' | 'unknown-kind' | 'forbidden' }

/** The objects of some kinds on an API server, as they were when they were listed. */
export class LiveObjects {
  readonly #answers: ReadonlyMap<string, LiveAnswer>

  constructor(answers: ReadonlyMap<string, LiveAnswer>) {
    this.#answers = answers
  }

  /** One object. */
  look({ group, kind }: LiveKind, key: ObjectKey): LiveLook {
    const found = this.#answers.get(kindKey({ group, kind }))
    if (found?.answer !== 'listed') return { answer: found?.answer ?? 'unknown-kind' }
    const object = found.objects.get(formatKey(key))
    return object === undefined ? { answer: 'absent' } : { answer: 'found', object }
  }

  /** All objects of a kind that can be seen. */
  all(kind: LiveKind): readonly KubeObject[] {
    const found = this.#answers.get(kindKey(kind))
    return found?.answer === 'listed' ? [...found.objects.values()] : []
  }

  /** True if the objects of a kind cannot be seen although the server has it. */
  isForbidden(kind: LiveKind): boolean {
    return this.#answers.get(kindKey(kind))?.answer === 'forbidden'
  }
}

/**
 * Lists the objects of kinds, of all namespaces, or where that is forbidden of these ones.
 * @throws ApiError, HttpError
 */
export async function readLiveObjects(
  kinds: readonly LiveKind[],
  namespaces: readonly string[],
  { api, discovery, signal }: { readonly api: ApiServer; readonly discovery: Discovery; readonly signal: AbortSignal },
): Promise<LiveObjects> {
  const answers = await Promise.all(
    kinds.map(async (kind): Promise<readonly [string, LiveAnswer]> => {
      const resource = await discovery.find({ ...kind, version: '' }, signal)
      if (resource === undefined) return [kindKey(kind), { answer: 'unknown-kind' }]
      return [kindKey(kind), await listOf(resource, namespaces, { api, signal })]
    }),
  )
  return new LiveObjects(new Map(answers))
}

async function listOf(
  resource: Resource,
  namespaces: readonly string[],
  at: { readonly api: ApiServer; readonly signal: AbortSignal },
): Promise<LiveAnswer> {
  const everywhere = await listIn(resource, '', at)
  if (everywhere !== undefined) return { answer: 'listed', objects: everywhere }
  const lists = await Promise.all(namespaces.map(async (namespace) => listIn(resource, namespace, at)))
  if (lists.every((list) => list === undefined)) return { answer: 'forbidden' }
  return { answer: 'listed', objects: new Map(lists.flatMap((list) => [...(list ?? [])])) }
}

/** Undefined where it is forbidden. */
async function listIn(
  resource: Resource,
  namespace: string,
  { api, signal }: { readonly api: ApiServer; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, KubeObject> | undefined> {
  try {
    const objects = await listObjects(api, { resource, namespace }, signal)
    return new Map(objects.map((object) => [formatKey(object), object]))
  } catch (error) {
    if (isRefusal(error, 403)) return undefined
    throw error
  }
}

function kindKey({ group, kind }: LiveKind): string {
  return `${group}/${kind}`
}
