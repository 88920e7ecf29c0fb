import type { FindingSubject } from '../model/diagnostic.ts'
import { objectPath } from '../model/object-name.ts'
import { shownObject } from '../model/shown-name.ts'
import type { ChangeStep, ObjectChange, TreeChange, TreeObject } from '../model/tree-change.ts'
import type { RuleFinding } from './rule.ts'

/** A change of an object that stays, comes or goes in a cluster that stays. */
export interface ChangedObject {
  readonly change: ObjectChange
  readonly object: TreeObject
  /** What findings about it say of it, and where they stand. */
  readonly finding: Pick<RuleFinding, 'about' | 'file' | 'changed'>
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
        return [{ change, object, finding: { about, ...(file && { file }), ...(changed && { changed }) } }]
      })
    }),
  )
}

/** The finding about a field of the object. */
export function inField(finding: ChangedObject['finding'], path: readonly ChangeStep[]): ChangedObject['finding'] {
  const { changed } = finding
  return changed === undefined ? finding : { ...finding, changed: { ...changed, path } }
}

/** What findings about an object say of it. */
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
