import { dirName } from '../../codec/path.ts'
import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** The rights that applying a folder needs. */
export interface NeededRights {
  readonly group: string
  readonly kind: string
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string
  readonly name: string
}

/** The rights that applying objects needs: kinds and namespaces, once each. */
export function rightsFor(manifests: readonly Manifest[]): readonly NeededRights[] {
  const known = new Map<string, NeededRights>()
  for (const { apiVersion, kind, namespace, name, object } of manifests) {
    // kustomize drops it
    if (textAt(object, 'metadata', 'annotations', 'config.kubernetes.io/local-config') === 'true') continue
    const group = groupOf(apiVersion)
    const key = `${group}/${kind}/${namespace ?? ''}`
    if (!known.has(key)) known.set(key, { group, kind, name, ...(namespace !== undefined && { namespace }) })
  }
  return [...known.values()]
}

/** The rights that each unit needs, by its folder: folders below it that are no units included. */
export function rightsByUnit(
  byFolder: Iterable<readonly [string, readonly NeededRights[]]>,
  units: ReadonlySet<string>,
): ReadonlyMap<string, readonly NeededRights[]> {
  const found = new Map<string, NeededRights[]>()
  for (const [path, rights] of byFolder) {
    const unit = [path, dirName(path)].find((folder) => units.has(folder))
    if (unit === undefined) continue
    const known = found.get(unit)
    if (known === undefined) found.set(unit, [...rights])
    else known.push(...rights)
  }
  return found
}

/** The folder of the tree that a path in a repository names; undefined for any other. */
export function treeFolderIn(path: string): string | undefined {
  const steps = path.split('/')
  const suffixes = steps.map((_, index) => steps.slice(index).join('/'))
  return suffixes.find((suffix) => parseTreeFolder(suffix) !== undefined)
}
