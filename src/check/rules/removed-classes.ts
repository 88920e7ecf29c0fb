import { isCapiCluster, readClassReference } from '../../model/class-reference.ts'
import { objectPath } from '../../model/object-name.ts'
import { shownName } from '../../model/shown-name.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'

/** Classes that go in the commit in which their last Clusters move away. */
export const removedClasses: Rule = changeRule(
  {
    code: 'CLASS_REMOVED_EARLY',
    severity: 'error',
    explanation: [
      'A class may go when no Cluster uses it any more, in a commit after that. Cluster API refuses to delete a class that a Cluster still names, and the GitOps tool applies classes and Clusters in units of their own, in any order: the templates, which nothing protects, may be gone while machines are still made of them.',
      'Compared are the classes that leave the tree with the classes that Clusters had before. A class that Clusters still name is CLUSTER_PART_MISSING. Where units leave behind what they applied (Argo CD deletes no stack with its Application), a class that goes with its unit is no finding.',
    ],
  },
  (change) => {
    const users = formerUsers(change)
    return change.changes.flatMap((one): readonly RuleFinding[] => {
      const { before } = one
      const isGone =
        one.change === 'removed'
          ? !one.risks.includes('leaves-behind')
          : one.change === 'renamed' && one.isBeforeKept !== true && one.isBeforeLeft !== true
      if (!isGone || before?.kind !== 'ClusterClass') return []
      const clusters = users.get(`${before.namespace ?? ''}/${before.name}`) ?? []
      const [first] = clusters
      if (first === undefined) return []
      const others = clusters.length === 1 ? '' : ` and ${String(clusters.length - 1)} more`
      return [
        {
          message: `class ${shownName(before.name)} leaves the tree with the commit in which Cluster ${first}${others} moves away from it`,
          file: before.path,
          about: before.folder.kind === 'stack' ? { release: before.folder.tag } : undefined,
          hint: 'Keep its release for one more commit: name it in `versions` of the ClusterStack, and remove it when the clusters have moved.',
        },
      ]
    })
  },
)

/** The Clusters that stay and change their class, by the class that they had. */
function formerUsers({ changes }: TreeChange): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>()
  for (const { before, after } of changes) {
    if (before === undefined || after === undefined || !isCapiCluster(before)) continue
    const [old, now] = [before, after].map(({ namespace = '', object }) => {
      const reference = readClassReference(object)
      return `${reference.namespace || namespace}/${reference.name}`
    })
    if (old === undefined || old === now) continue
    const cluster = objectPath({ namespace: before.namespace ?? '', name: before.name })
    const known = users.get(old)
    if (known === undefined) users.set(old, [cluster])
    else known.push(cluster)
  }
  return users
}
