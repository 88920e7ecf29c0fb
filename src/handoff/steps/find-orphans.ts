import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { CommittedCluster } from '../../model/steps.ts'

/** A cluster of the committed tree. */
export interface TreeCluster {
  readonly name: string
  readonly namespace: string
  readonly committed: CommittedCluster
}

/**
 * Clusters that the committed tree still holds but whose folder is gone: a warning each, because they leave the tree and go on running unmanaged. Those
 * whose decommission has let go of everything are no loss.
 */
export function findOrphans(
  tree: readonly TreeCluster[],
  clusters: readonly Pick<Cluster, 'name' | 'namespace'>[],
): readonly Diagnostic[] {
  const known = new Set(clusters.map(({ namespace, name }) => `${namespace}/${name}`))
  return tree.flatMap(({ name, namespace, committed }): readonly Diagnostic[] => {
    if (known.has(`${namespace}/${name}`) || committed.decommission?.step === 'release') return []
    const folder = `clusters/${namespace}/${name}`
    const isDeleting = committed.decommission?.step === 'delete'
    return [
      {
        code: 'CLUSTER_ORPHANED',
        severity: 'warning',
        message: isDeleting
          ? `${folder} is gone before the decommission of the cluster has ended: objects that lay beside its Cluster stay in the management cluster, with nothing to manage them`
          : `${folder} is gone, but the cluster was never decommissioned: the Cluster, its machines and its addons stay as they are, with nothing to manage them`,
        file: folder,
        hint: isDeleting
          ? 'Restore the folder and go on with `step: finish`, or delete those objects by hand.'
          : 'Restore the folder to keep the cluster, or to delete it with `decommission: {}` in options.yaml.',
      },
    ]
  })
}
