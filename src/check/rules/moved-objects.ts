import { textAt } from '../../model/field.ts'
import { isMarkedToStay } from '../../model/keep-marks.ts'
import { formatTreeFolder } from '../../model/tree-path.ts'
import type { TreeChange, TreeObject } from '../../model/tree-change.ts'
import { nameOf, subjectOf } from '../changed-object.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** The mark by which each tool leaves an object behind. */
const STAYS = {
  flux: '`kustomize.toolkit.fluxcd.io/prune: disabled`',
  argocd: '`argocd.argoproj.io/sync-options: Prune=false`',
} as const

/** Objects that one unit of the GitOps tool hands to another in one commit. */
export const movedObjects: Rule = {
  code: 'OBJECT_CHANGES_UNIT',
  severity: 'error',
  explanation: [
    'A unit of the GitOps tool deletes what leaves it, whether or not another unit is about to apply it: where the one is slower than the other, what has just been applied is deleted, with its pods or its data.',
    'Safe are two commits: the first marks the object to stay (`kustomize.toolkit.fluxcd.io/prune: disabled`, `Prune=false` of Argo CD) in the unit that it leaves, the second moves it. `render` makes these steps for addons, for what stands beside a Cluster they are yours; both in one commit, or one merge, are none. A unit that goes as a whole and leaves behind what it applied (`deletionPolicy: Orphan`, an Application without a finalizer) is safe, too.',
    'Only fleets with a GitOps tool are judged.',
  ],
  begin: ({ tool }) => ({
    change: (change) => {
      if (tool === undefined) return []
      const orphaning = unitsThatOrphan(change)
      // clusters that come or go have a part in it, too
      return change.changes.flatMap(({ units, before, after }): readonly RuleFinding[] => {
        if (units === undefined || before === undefined || after === undefined) return []
        if (isMarkedToStay(before.object) || orphaning(units.before)) return []
        return [
          {
            about: subjectOf(after),
            file: after.path,
            folders: [before, after].map(({ folder }) => formatTreeFolder(folder)),
            changed: { object: after, path: [], isShared: false },
            message: `${nameOf(after)} moves from the unit ${units.before} to ${units.after} at once: the first may delete what the second has applied`,
            hint:
              before.folder.kind === 'addons'
                ? 'Commit each step that `render` writes for itself: first the object is marked to stay, then it moves.'
                : `Annotate it where it is: ${STAYS[tool]}. Commit that and let it be applied, then move it.`,
          },
        ]
      })
    },
  }),
}

/** True for the folder of a unit that this change takes out, and that leaves behind what it applied. */
function unitsThatOrphan({ changes }: TreeChange): (folder: string) => boolean {
  const folders = new Set<string>()
  for (const { before, after, isBeforeGone } of changes) {
    const isGone = after === undefined || isBeforeGone === true
    const path = before === undefined || !isGone ? '' : (orphanedPath(before) ?? '')
    // the output folder comes before that in the tree
    const steps = path.split('/')
    for (const [index] of steps.entries()) folders.add(steps.slice(index).join('/'))
  }
  return (folder) => folders.has(folder)
}

/** The path that a GitOps tool's object applied, if it leaves the objects behind. */
function orphanedPath({ apiVersion, kind, object }: TreeObject): string | undefined {
  switch (`${groupOf(apiVersion)}/${kind}`) {
    case 'kustomize.toolkit.fluxcd.io/Kustomization':
      return textAt(object, 'spec', 'deletionPolicy') === 'Orphan' ? textAt(object, 'spec', 'path') : undefined
    case 'argoproj.io/Application':
      return textAt(object, 'metadata', 'finalizers', 0) === '' ? textAt(object, 'spec', 'source', 'path') : undefined
    case 'argoproj.io/ApplicationSet':
      return textAt(object, 'spec', 'template', 'spec', 'source', 'path')
    default:
      return undefined
  }
}
