import { formatKey, type ObjectKey } from '../server/kube-object.ts'
import { apiVersionOf, type Resource } from '../server/resource.ts'
import type { ObjectChange, Reflector, WatchTarget } from './reflector.ts'

/** How {@link SourceWatches} watch. */
export interface SourceWatchesOptions {
  /** Those of all namespaces, or some. */
  readonly namespaces: readonly string[]
  /** Makes a reflector and runs it. */
  readonly start: (target: WatchTarget, onChange: (change: ObjectChange) => void) => Reflector
  /** Is told of keys whose sources have changed. */
  readonly onChange: (key: string) => void
}

/**
 * Watches what keys depend on, one watch for each kind, and metadata alone: whoever needs an object reads it. A watch begins when the first key depends on
 * an object of the kind.
 */
export class SourceWatches {
  readonly #options: SourceWatchesOptions
  readonly #watched = new Set<string>()
  /** Keys by what they depend on. */
  readonly #dependents = new Map<string, Set<string>>()
  /** What keys depend on. */
  readonly #sources = new Map<string, Set<string>>()

  constructor(options: SourceWatchesOptions) {
    this.#options = options
  }

  /** From now on the key depends on the object. */
  follow(key: ObjectKey, resource: Resource, source: ObjectKey): void {
    const dependent = formatKey(key)
    const id = idOf(resource, source)
    entry(this.#dependents, id).add(dependent)
    entry(this.#sources, dependent).add(id)
    this.#watch(resource)
  }

  /** The key depends on nothing any more. */
  forget(key: ObjectKey): void {
    const dependent = formatKey(key)
    for (const id of this.#sources.get(dependent) ?? []) {
      const dependents = this.#dependents.get(id)
      dependents?.delete(dependent)
      if (dependents?.size === 0) this.#dependents.delete(id)
    }
    this.#sources.delete(dependent)
  }

  #watch(resource: Resource): void {
    const { namespaces, start, onChange } = this.#options
    const name = `${apiVersionOf(resource)}/${resource.plural}`
    if (this.#watched.has(name)) return
    this.#watched.add(name)
    for (const namespace of namespaces) {
      start({ resource, namespace, labelSelector: '', content: 'metadata' }, ({ object }) => {
        for (const key of this.#dependents.get(idOf(resource, object)) ?? []) onChange(key)
      })
    }
  }
}

function idOf({ group, kind }: Resource, key: ObjectKey): string {
  return `${group}/${kind}/${formatKey(key)}`
}

function entry(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>()
  map.set(key, found)
  return found
}
