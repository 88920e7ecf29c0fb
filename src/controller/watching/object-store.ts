import { formatKey, type KubeObject, type ObjectKey } from '../../kube/kube-object.ts'

/**
 * A store's answer about an object. `unwatched`: it cannot know, because nothing has been listed yet, or because the
 * object may be there without being watched.
 */
export type StoreAnswer =
  | { readonly answer: 'found'; readonly object: KubeObject }
  | { readonly answer: 'absent' }
  | { readonly answer: 'unwatched' }

/** Which objects a store holds when it is in step. */
export interface StoreScope {
  /** Of this namespace alone; empty: of all. */
  readonly namespace: string
  /** A selector, so that an object that is not held may be there all the same. */
  readonly isSelective: boolean
}

/** The objects of one watch, as they were when the server told of them last. */
export class ObjectStore {
  readonly #scope: StoreScope
  readonly #objects = new Map<string, KubeObject>()
  #hasSynced = false

  constructor(scope: StoreScope) {
    this.#scope = scope
  }

  /** All that is held. */
  all(): readonly KubeObject[] {
    return [...this.#objects.values()]
  }

  /** Objects that are held. */
  get size(): number {
    return this.#objects.size
  }

  get(key: ObjectKey): StoreAnswer {
    const object = this.#objects.get(formatKey(key))
    if (object !== undefined) return { answer: 'found', object }
    const { namespace, isSelective } = this.#scope
    const isWatched = this.#hasSynced && !isSelective && (namespace === '' || namespace === key.namespace)
    return { answer: isWatched ? 'absent' : 'unwatched' }
  }

  /** Takes an object in, and gives the one whose place it takes. */
  set(object: KubeObject): KubeObject | undefined {
    const key = formatKey(object)
    const before = this.#objects.get(key)
    this.#objects.set(key, object)
    return before
  }

  /** Drops an object, and gives it as it was. */
  remove(key: ObjectKey): KubeObject | undefined {
    const text = formatKey(key)
    const before = this.#objects.get(text)
    this.#objects.delete(text)
    return before
  }

  /** The objects that a whole list does not name. To be called when the list has been taken in. */
  missingFrom(listed: ReadonlySet<string>): readonly KubeObject[] {
    this.#hasSynced = true
    return [...this.#objects].filter(([key]) => !listed.has(key)).map(([, object]) => object)
  }
}
