import { objectPath } from '../../model/object-name.ts'
import { clusterFolder, clusterObjectFile } from '../../model/tree-path.ts'
import { changeRule, type Rule } from '../rule.ts'

/** A cluster must not go because a file went. */
export const deletedClusters: Rule = changeRule(
  {
    code: 'CLUSTER_DELETED',
    severity: 'error',
    explanation: [
      'Without its Cluster object Cluster API deletes the machines of a cluster, and with them what ran there. A revert of the commit makes an empty cluster of the same name.',
      'A cluster that a decommission takes out is no finding: its steps were commits of their own. A renamed cluster is one that goes and another that comes.',
      'A Cluster is not deleted where it is marked to stay (`kustomize.toolkit.fluxcd.io/prune: disabled`, `Prune=false` of Argo CD), where its unit does not prune, or where that goes, too, and leaves behind what it applied: the Cluster runs on without a file, which is CLUSTER_ORPHANED. The units that `render` writes are like that.',
      'To delete it all the same, decommission it, or acknowledge this finding for that cluster until a day.',
    ],
  },
  ({ facts }) => {
    const renamed = new Map(
      facts.clusters.added.flatMap(({ cluster, renamedFrom }) =>
        renamedFrom === undefined ? [] : [[objectPath(renamedFrom), objectPath(cluster)] as const],
      ),
    )
    return facts.clusters.removed
      .filter(({ isDecommissioned, isKept }) => !isDecommissioned && !isKept)
      .map(({ cluster, objects }) => {
        const path = objectPath(cluster)
        const to = renamed.get(path)
        const others = objects - 1
        const more = others === 0 ? '' : ` with ${String(others)} more object${others === 1 ? '' : 's'}`
        const what = to === undefined ? '' : `; ${to} looks like its new name, but nothing of it moves there`
        return {
          message: `Cluster ${path} leaves the tree${more}: its machines and what they hold are deleted${what}`,
          about: { cluster: path },
          file: `${clusterFolder(cluster)}/${clusterObjectFile(cluster.name)}`,
          hint: 'Restore its folder and decommission it in steps (docs/19), or acknowledge this finding.',
        }
      })
  },
)
