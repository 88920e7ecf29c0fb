import type { Manifest } from '../../model/manifest.ts'
import { textAt } from '../../model/field.ts'
import type { ObjectName } from '../../model/object-name.ts'
import { formatTag, parseClassName } from '../../model/release-name.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import { clusterFolder, clusterTree } from '../../model/tree-path.ts'
import { isSuspendedInTree, takesAlongInTree, unitPathOf } from '../committed-units.ts'

/** True if the Cluster in the tree, or what is in its place, is between two steps of an upgrade or a decommission. */
export function isBetweenSteps({ target, className, addons, decommission }: CommittedCluster): boolean {
  return target !== undefined || className !== addons || decommission !== undefined
}

/**
 * Why the units in the tree cannot have applied the step that its Cluster says it holds, one clause each: `objects`
 * are those of the GitOps tool for the cluster, `display` shows their files. The Cluster alone is no proof: somebody
 * may have restored the units of an earlier commit, or lost them.
 */
export function findUnapplied(
  cluster: ObjectName,
  committed: CommittedCluster,
  { objects, display }: { readonly objects: readonly Manifest[]; readonly display: (path: string) => string },
): readonly string[] {
  const base = clusterTree(cluster)
  const units = objects.flatMap((object) => {
    const path = unitPathOf(object)
    const at = path.lastIndexOf(`${base}/`)
    return at === -1 ? [] : [{ object, folder: path.slice(at), file: display(object.origin.from) }]
  })
  const own = units.filter(({ folder }) => folder === clusterFolder(cluster))
  if (own.length === 0) return [`nothing applies ${display(clusterFolder(cluster))}`]
  const { decommission, addons } = committed
  if (decommission?.step === 'release')
    return own.flatMap(({ object, file }) =>
      takesAlongInTree(object) ? [] : [`${file} does not take along what it applied`],
    )
  if (decommission !== undefined)
    return units.flatMap(({ object, folder, file }) =>
      folder === clusterFolder(cluster) || isSuspendedInTree([object]) ? [] : [`${file} does not suspend its unit`],
    )
  if (addons === undefined) return []
  const wanted = formatTag(parseClassName(addons))
  return units.flatMap(({ object, file }) => {
    const release = textAt(object.object, 'metadata', 'labels', 'stackmason.dev/release')
    return release === '' || release === wanted ? [] : [`${file} is of ${release}, not of ${wanted}`]
  })
}
