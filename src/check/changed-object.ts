import type { FindingSubject } from '../model/diagnostic.ts'
import { objectPath } from '../model/object-name.ts'
import { shownObject } from '../model/shown-name.ts'
import type {
  ChangeStep,
  DefinitionChange,
  Destination,
  ObjectChange,
  TreeChange,
  TreeObject,
} from '../model/tree-change.ts'
import { acknowledgedName } from './acknowledged-name.ts'
import type { RuleFinding } from './rule.ts'

/** A change of an object that stays, comes or goes in a cluster that stays. */
export interface ChangedObject {
  readonly change: ObjectChange
  readonly object: TreeObject
  /** The subject and place of findings about it. */
  readonly finding: Pick<RuleFinding, 'about' | 'file' | 'changed' | 'object'>
}

/** The changes of objects, without those of clusters that come or go as a whole. */
export function changedObjects({ groups, changes }: TreeChange): readonly ChangedObject[] {
  return groups.flatMap(({ part, objects, clusters }) =>
    objects.flatMap(({ members }) => {
      const [first, ...others] = members.flatMap((index) => changes[index]?.after ?? [])
      // findings about objects of one name are one
      const isShared = clusters.length > 1 && others.every((other) => first && nameOf(other) === nameOf(first))
      return members.flatMap((index): readonly ChangedObject[] => {
        const change = changes[index]
        const object = change?.after ?? change?.before
        if (change === undefined || object === undefined) return []
        const about = { ...subjectOf(object), ...(part.kind === 'addon' && { addon: part.addon }) }
        const after = isShared ? first : change.after
        const changed = after && { object: after, path: [], isShared }
        // which has no file of the tree in common
        const file = isShared ? undefined : object.path
        const named = acknowledgedName(change.before ?? object)
        return [{ change, object, finding: { about, object: named, file, changed } }]
      })
    }),
  )
}

/** The finding about a field of the object. */
export function inField(finding: ChangedObject['finding'], path: readonly ChangeStep[]): ChangedObject['finding'] {
  const { changed } = finding
  return changed === undefined ? finding : { ...finding, changed: { ...changed, path } }
}

/** The subject of findings about an object. */
export function subjectOf({ folder }: TreeObject): FindingSubject {
  switch (folder.kind) {
    case 'stack':
      return { release: folder.tag }
    case 'cluster':
    case 'addons':
      return { cluster: objectPath(folder) }
    case 'handoff':
      return {}
  }
}

/** An object as messages name it. */
export function nameOf({ kind, namespace, name }: TreeObject): string {
  return shownObject({ kind, namespace, name })
}

/** Where findings about a field of an object stand, of which the new tree has this one. */
export function placeInTree(
  object: TreeObject | undefined,
  path: readonly ChangeStep[],
): Pick<RuleFinding, 'file' | 'changed'> {
  return object === undefined ? {} : { file: object.path, changed: { object, path, isShared: false } }
}

/** The clusters that a definition is of, and where a finding about it stands: none for the management cluster. */
export type FindDefinition = (
  definition: Pick<DefinitionChange, 'name' | 'clusters'>,
) => readonly Pick<RuleFinding, 'about' | 'file' | 'changed' | 'object'>[]

/** Finds the definitions that a change is about. */
export function createDefinitionFinder({ changes }: TreeChange): FindDefinition {
  const keyOf = (destination: Destination, name: string): string =>
    `${destination === 'management' ? '' : objectPath(destination)} ${name}`
  const objects = new Map(
    changes.flatMap(({ after }) =>
      after?.kind === 'CustomResourceDefinition' ? [[keyOf(after.destination, after.name), after] as const] : [],
    ),
  )
  return ({ name, clusters }) => {
    const [first] = clusters
    const object = objects.get(keyOf(first ?? 'management', name))
    const named = acknowledgedName({ kind: 'CustomResourceDefinition', name })
    if (clusters.length <= 1)
      return [{ about: first && { cluster: objectPath(first) }, object: named, ...placeInTree(object, ['spec']) }]
    // one finding of all, which stands where all have it from
    const changed = object && { object, path: ['spec'], isShared: true }
    return clusters.map((cluster) => ({
      about: { cluster: objectPath(cluster) },
      object: named,
      changed,
    }))
  }
}
