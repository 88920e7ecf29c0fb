import type { FindingSubject } from '../model/diagnostic.ts'
import { objectPath } from '../model/object-name.ts'
import { shownObject } from '../model/shown-name.ts'
import type { ObjectChange, TreeChange, TreeObject } from '../model/tree-change.ts'
import type { RuleFinding } from './rule.ts'

/** A change of an object that stays, comes or goes in a cluster that stays. */
export interface ChangedObject {
  readonly change: ObjectChange
  readonly object: TreeObject
  /** What findings about it say of it, and where they stand. */
  readonly finding: Pick<RuleFinding, 'about' | 'file'>
}

/** The changes of objects, without those of clusters that come or go as a whole. */
export function changedObjects({ groups, changes }: TreeChange): readonly ChangedObject[] {
  return groups.flatMap(({ part, objects, clusters }) =>
    objects.flatMap(({ members }) =>
      members.flatMap((index): readonly ChangedObject[] => {
        const change = changes[index]
        const object = change?.after ?? change?.before
        if (change === undefined || object === undefined) return []
        const about = { ...subjectOf(object), ...(part.kind === 'addon' && { addon: part.addon }) }
        // findings of many clusters are one, and have no file in common
        return [{ change, object, finding: { about, ...(clusters.length <= 1 && { file: object.path }) } }]
      }),
    ),
  )
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
