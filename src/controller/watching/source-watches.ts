import { formatKey, type ObjectKey } from '../../kube/kube-object.ts'
import { apiVersionOf, type Resource } from '../../kube/resource.ts'
import type { WorkedKind } from '../worked-kinds.ts'
import type { ObjectChange, WatchTarget } from './reflector.ts'

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
  /** Watches something until what it gives is called. */
  readonly start: (target: WatchTarget, onChange: (change: ObjectChange) => void) => () => void
  /** Is told of dependents whose sources have changed. */
  readonly onChange: (dependent: Dependent) => void
}

/** A watch that is there for what objects depend on. */
interface Watched {
  readonly stops: readonly (() => void)[]
  /** The dependencies that it is there for. */
  readonly users: Set<string>
}

/** That an object depends on a source. */
interface Dependency {
  readonly id: string
  /** Of the watch that tells of the source. */
  readonly watch: string
}

/**
 * Watches what objects depend on, one watch for each kind of sources, and metadata alone: who needs a source reads it. A
 * watch begins when the first object depends on a source of the kind, and ends when the last one no longer does.
 */
export class SourceWatches {
  readonly #options: SourceWatchesOptions
  readonly #watched = new Map<string, Watched>()
  /** Dependents by their names, by what they depend on. */
  readonly #dependents = new Map<string, Map<string, Dependent>>()
  /** The sources of dependents. */
  readonly #dependencies = new Map<string, Map<string, Dependency>>()
  /** What dependents were said to depend on in the pass that is under way. */
  readonly #fresh = new Map<string, Set<string>>()

  constructor(options: SourceWatchesOptions) {
    this.#options = options
  }

  /**
   * From now on the object depends on the source; without a namespace, on one that lies in none. Without a pass that is
   * under way it does nothing.
   */
  follow(dependent: Dependent, resource: Resource, source: WatchedSource): void {
    this.#note(dependent, resource, source)
  }

  /** From now on the object depends on all objects of the kind in a namespace; as {@link follow}. */
  followAll(dependent: Dependent, resource: Resource, namespace: string): void {
    this.#note(dependent, resource, allOf(namespace))
  }

  /** A pass over the object begins. Calling what it gives ends it: the object depends on what it named, and no more. */
  pass(dependent: Dependent): () => void {
    const name = nameOf(dependent)
    const fresh = new Set<string>()
    this.#fresh.set(name, fresh)
    return () => {
      this.#fresh.delete(name)
      for (const [key, dependency] of this.#dependencies.get(name) ?? []) {
        if (!fresh.has(key)) this.#drop(name, key, dependency)
      }
    }
  }

  /** The object depends on nothing any more. */
  forget(dependent: Dependent): void {
    const name = nameOf(dependent)
    this.#fresh.delete(name)
    for (const [key, dependency] of this.#dependencies.get(name) ?? []) this.#drop(name, key, dependency)
  }

  #note(dependent: Dependent, resource: Resource, source: WatchedSource): void {
    const name = nameOf(dependent)
    const fresh = this.#fresh.get(name)
    // of a pass that has failed a reading may still come to its end: nobody would ever drop what it names
    if (fresh === undefined) return
    const id = idOf(resource, source)
    const watch = this.#watch(resource, source)
    const key = `${watch.name} ${id}`
    fresh.add(key)
    const dependents = this.#dependents.get(id) ?? new Map<string, Dependent>()
    this.#dependents.set(id, dependents.set(name, dependent))
    const dependencies = this.#dependencies.get(name) ?? new Map<string, Dependency>()
    this.#dependencies.set(name, dependencies.set(key, { id, watch: watch.name }))
    watch.users.add(`${name} ${key}`)
  }

  #drop(name: string, key: string, { id, watch }: Dependency): void {
    const dependencies = this.#dependencies.get(name)
    dependencies?.delete(key)
    if (dependencies?.size === 0) this.#dependencies.delete(name)
    // in another version of its kind the same source may be watched still
    if (![...(dependencies?.values() ?? [])].some((other) => other.id === id)) {
      const dependents = this.#dependents.get(id)
      dependents?.delete(name)
      if (dependents?.size === 0) this.#dependents.delete(id)
    }
    const watched = this.#watched.get(watch)
    watched?.users.delete(`${name} ${key}`)
    if (watched?.users.size !== 0) return
    this.#watched.delete(watch)
    for (const stop of watched.stops) stop()
  }

  #watch(
    resource: Resource,
    { namespace: of, labelSelector = '' }: WatchedSource,
  ): Watched & { readonly name: string } {
    const { start, onChange } = this.#options
    const { namespaces: all } = this.#options
    const namespaces = all.includes('') || all.includes(of) ? all : [of]
    const name = `${apiVersionOf(resource)}/${resource.plural} ${namespaces.join(',')} ${labelSelector}`
    const known = this.#watched.get(name)
    if (known !== undefined) return { ...known, name }
    const tell = ({ object }: ObjectChange): void => {
      for (const source of [object, allOf(object.namespace)]) {
        for (const dependent of this.#dependents.get(idOf(resource, source))?.values() ?? []) onChange(dependent)
      }
    }
    const stops = namespaces.map((namespace) =>
      start({ resource, namespace: of === '' ? '' : namespace, labelSelector, content: 'metadata' }, tell),
    )
    const watched: Watched = { stops, users: new Set() }
    this.#watched.set(name, watched)
    return { ...watched, name }
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
