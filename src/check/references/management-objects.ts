import { objectKey } from '../../model/manifest.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { type NotedObject, noteObject } from '../unit-origin.ts'
import type { Target } from './object-index.ts'

const known = new WeakMap<CheckedUnit, readonly NotedObject[]>()

/** The objects of a unit that go to the management cluster; listed once, for all rules. */
export function managementObjectsOf(unit: CheckedUnit): readonly NotedObject[] {
  const listed =
    known.get(unit) ??
    unit.folders.flatMap(({ path, destination, manifests }) =>
      destination === 'management' ? manifests.map((manifest) => noteObject(manifest, path)) : [],
    )
  known.set(unit, listed)
  return listed
}

/** The objects that a fleet has in the management cluster. */
export class ManagementObjects {
  readonly #keys = new Set<string>()
  /** Names by group, kind and namespace. */
  readonly #names = new Map<string, string[]>()

  constructor(objects: Iterable<NotedObject>) {
    for (const object of objects) {
      const key = objectKey(object)
      if (this.#keys.has(key)) continue
      this.#keys.add(key)
      const kind = key.slice(0, key.lastIndexOf('/'))
      const names = this.#names.get(kind)
      if (names === undefined) this.#names.set(kind, [object.name])
      else names.push(object.name)
    }
  }

  has({ group, kind, namespace = '', name }: Target): boolean {
    return this.#keys.has(`${group}/${kind}/${namespace}/${name}`)
  }

  /** The names of that kind in a namespace. */
  namesOf({ group, kind, namespace = '' }: Omit<Target, 'name'>): readonly string[] {
    return this.#names.get(`${group}/${kind}/${namespace}`) ?? []
  }
}
