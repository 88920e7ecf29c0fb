import { dirName } from '../../codec/path.ts'
import { textAt } from '../../model/field.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** The rights that applying a folder needs. */
export interface NeededRights {
  readonly group: string
  readonly kind: string
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string
  readonly name: string
}

/** The rights that applying each folder of a tree needs: kinds and namespaces, once each. */
export class FolderRights {
  readonly #byFolder = new Map<string, Map<string, NeededRights>>()

  add({ folders }: CheckedUnit, isWanted: (folder: CheckedUnit['folders'][number]) => boolean): void {
    for (const folder of folders) {
      if (!isWanted(folder)) continue
      const known = this.#byFolder.get(folder.path) ?? new Map<string, NeededRights>()
      this.#byFolder.set(folder.path, known)
      for (const { apiVersion, kind, namespace, name, object } of folder.manifests) {
        // kustomize drops it
        if (textAt(object, 'metadata', 'annotations', 'config.kubernetes.io/local-config') === 'true') continue
        const group = groupOf(apiVersion)
        const key = `${group}/${kind}/${namespace ?? ''}`
        if (!known.has(key)) known.set(key, { group, kind, name, ...(namespace !== undefined && { namespace }) })
      }
    }
  }

  /** The rights that each unit needs, by its folder: folders below it that are no units included. */
  byUnit(units: ReadonlySet<string>): ReadonlyMap<string, readonly NeededRights[]> {
    const found = new Map<string, NeededRights[]>()
    for (const [path, rights] of this.#byFolder) {
      const unit = [path, dirName(path)].find((folder) => units.has(folder))
      if (unit === undefined) continue
      const known = found.get(unit)
      if (known === undefined) found.set(unit, [...rights.values()])
      else known.push(...rights.values())
    }
    return found
  }
}

/** The folder of the tree that a path in a repository names; undefined for any other. */
export function treeFolderIn(path: string): string | undefined {
  const steps = path.split('/')
  const suffixes = steps.map((_, index) => steps.slice(index).join('/'))
  return suffixes.find((suffix) => parseTreeFolder(suffix) !== undefined)
}
