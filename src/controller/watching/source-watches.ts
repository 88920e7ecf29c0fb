import { formatKey, type ObjectKey } from '../../kube/kube-object.ts'
import { apiVersionOf, type Resource } from '../../kube/resource.ts'
import type { WorkedKind } from '../worked-kinds.ts'
import type { ObjectChange, Reflector, WatchTarget } from './reflector.ts'

/** An object that depends on others. */
export interface Dependent {
  readonly kind: WorkedKind
  /** Formatted. */
  readonly key: string
}

/** An object that others depend on. */
export interface WatchedSource extends ObjectKey {
  /** Labels that it has, where not all objects of its kind are to be watched. */
  readonly labelSelector?: string
}

/** How {@link SourceWatches} watch. */
export interface SourceWatchesOptions {
  /** Those of all namespaces, or some. */
  readonly namespaces: readonly string[]
  /** Makes a reflector and runs it. */
  readonly start: (target: WatchTarget, onChange: (change: ObjectChange) => void) => Reflector
  /** Is told of dependents whose sources have changed. */
  readonly onChange: (dependent: Dependent) => void
}

/**
 * Watches what objects depend on, one watch for each kind of sources, and metadata alone: whoever needs a source reads it. A watch begins when the first
 * object depends on a source of the kind.
 */
export class SourceWatches {
  readonly #options: SourceWatchesOptions
  readonly #watched = new Set<string>()
  /** Dependents by their names, by what they depend on. */
  readonly #dependents = new Map<string, Map<string, Dependent>>()
  /** What dependents depend on. */
  readonly #sources = new Map<string, Set<string>>()

  constructor(options: SourceWatchesOptions) {
    this.#options = options
  }

  /** From now on the object depends on the source; without a namespace, on one that lies in none. */
  follow(dependent: Dependent, resource: Resource, source: WatchedSource): void {
    this.#note(dependent, resource, source)
  }

  /** From now on the object depends on all objects of the kind in a namespace. */
  followAll(dependent: Dependent, resource: Resource, namespace: string): void {
    this.#note(dependent, resource, allOf(namespace))
  }

  #note(dependent: Dependent, resource: Resource, source: WatchedSource): void {
    const id = idOf(resource, source)
    const name = nameOf(dependent)
    const dependents = this.#dependents.get(id) ?? new Map<string, Dependent>()
    this.#dependents.set(id, dependents.set(name, dependent))
    const sources = this.#sources.get(name) ?? new Set<string>()
    this.#sources.set(name, sources.add(id))
    this.#watch(resource, source)
  }

  /** The object depends on nothing any more. */
  forget(dependent: Dependent): void {
    const name = nameOf(dependent)
    for (const id of this.#sources.get(name) ?? []) {
      const dependents = this.#dependents.get(id)
      dependents?.delete(name)
      if (dependents?.size === 0) this.#dependents.delete(id)
    }
    this.#sources.delete(name)
  }

  #watch(resource: Resource, { namespace: of, labelSelector = '' }: WatchedSource): void {
    const { start, onChange } = this.#options
    const { namespaces: all } = this.#options
    const namespaces = all.includes('') || all.includes(of) ? all : [of]
    const name = `${apiVersionOf(resource)}/${resource.plural} ${namespaces.join(',')} ${labelSelector}`
    if (this.#watched.has(name)) return
    this.#watched.add(name)
    for (const namespace of namespaces) {
      start({ resource, namespace: of === '' ? '' : namespace, labelSelector, content: 'metadata' }, ({ object }) => {
        for (const source of [object, allOf(object.namespace)]) {
          for (const dependent of this.#dependents.get(idOf(resource, source))?.values() ?? []) onChange(dependent)
        }
      })
    }
  }
}

function idOf({ group, kind }: Resource, key: ObjectKey): string {
  return `${group}/${kind}/${formatKey(key)}`
}

/** No object is without a name. */
function allOf(namespace: string): ObjectKey {
  return { namespace, name: '' }
}

function nameOf({ kind, key }: Dependent): string {
  return `${kind} ${key}`
}
