import { objectKey } from '../../model/manifest.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { Target } from './object-index.ts'

/** Remembers which objects a fleet has in the management cluster: their keys alone. */
export class ManagementObjects {
  readonly #keys = new Set<string>()
  /** Names by group, kind and namespace. */
  readonly #names = new Map<string, string[]>()

  /** Takes those of one more unit. */
  add({ folders }: CheckedUnit): void {
    for (const { destination, manifests } of folders) {
      if (destination !== 'management') continue
      for (const manifest of manifests) {
        const key = objectKey(manifest)
        if (this.#keys.has(key)) continue
        this.#keys.add(key)
        const kind = key.slice(0, key.lastIndexOf('/'))
        const names = this.#names.get(kind)
        if (names === undefined) this.#names.set(kind, [manifest.name])
        else names.push(manifest.name)
      }
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
