import { itemsAt, textAt } from '../../model/field.ts'
import { placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import { workerLists } from '../../model/topology-variables.ts'
import { classOf } from '../class-of.ts'
import { type Rule, unitRule } from '../rule.ts'

/** Groups of workers of a class that the ClusterClass does not have. */
export const unknownWorkerClasses: Rule = unitRule(
  {
    code: 'WORKER_CLASS_UNKNOWN',
    severity: 'error',
    explanation: [
      'Each machine deployment and machine pool of a Cluster names a class of workers: Cluster API refuses the Cluster where its ClusterClass has none of that name.',
    ],
  },
  (unit) => {
    const found = classOf(unit)
    if (found === undefined) return []
    const { manifest, clusterClass, className } = found
    return workerLists.flatMap((list) => {
      const known = itemsAt(clusterClass, 'spec', 'workers', list).map((entry) => textAt(entry, 'class'))
      const path = ['spec', 'topology', 'workers', list] as const
      return itemsAt(manifest.object, ...path).flatMap((group, index) => {
        const name = textAt(group, 'class')
        if (known.includes(name)) return []
        return [
          {
            message: `class ${className} has no worker class ${shownKey(name)} for ${list}`,
            ...placeIn(manifest, ...path, index, 'class'),
            hint: hintFor(name, known, list),
          },
        ]
      })
    })
  },
)

function hintFor(name: string, known: readonly string[], list: (typeof workerLists)[number]): string {
  if (known.length === 0) return `The class offers no ${list}: remove the group, or use another list of workers.`
  const near = nearestName(name, known)
  return near === undefined ? `It has: ${known.join(', ')}.` : `Did you mean ${near}?`
}
