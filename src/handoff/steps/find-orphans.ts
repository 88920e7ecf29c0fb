import { clusterSubject, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { objectPath } from '../../model/object-name.ts'
import type { CommittedCluster } from '../../model/steps.ts'

/** A cluster of the committed tree. */
export interface TreeCluster {
  readonly name: string
  readonly namespace: string
  readonly committed: CommittedCluster
}

/**
 * Clusters that the committed tree still holds but whose folder is gone: a warning each, because they leave the tree
 * and go on running unmanaged. Those whose decommission has orphaned everything are no loss.
 */
export function findOrphans(
  tree: readonly TreeCluster[],
  clusters: readonly Pick<Cluster, 'name' | 'namespace' | 'className'>[],
): readonly Diagnostic[] {
  const known = new Set(clusters.map(objectPath))
  const old = new Set(tree.map(objectPath))
  const added = clusters.filter((cluster) => !old.has(objectPath(cluster)))
  return tree.flatMap(({ name, namespace, committed }): readonly Diagnostic[] => {
    if (known.has(objectPath({ namespace, name })) || committed.decommission?.step === 'release') return []
    const folder = inputPath({ namespace, name })
    const about = clusterSubject({ namespace, name })
    const alike = added.filter((one) => one.namespace === namespace && one.className === committed.className)
    const renamed = alike.length === 1 ? alike.map(objectPath).map(adviseOnName).join('') : ''
    return [{ code: 'CLUSTER_ORPHANED', severity: 'warning', file: folder, about, ...tell(folder, committed, renamed) }]
  })
}

/** The advice where a new cluster may be meant as the new name of one that is gone. */
function adviseOnName(name: string): string {
  return `${name} is new and of the same class: if that is meant to be this cluster, rename the folder back. A cluster cannot be renamed: the new one gets machines of its own. `
}

/** On an old branch the tree lacks what another branch has written since. */
const IF_BEHIND =
  'If this branch is behind (behind main, for example), the next steps may be there: merge it or rebase first, and render again.'

/** The state in the management cluster: it depends on how far the decommission had come. */
function tell(
  folder: string,
  { decommission }: CommittedCluster,
  renamed: string,
): Pick<Diagnostic, 'message' | 'hint'> {
  const stay = 'the Cluster, its machines and its addons stay as they are, with nothing to manage them'
  switch (decommission?.step) {
    case 'delete':
      return {
        message: `${folder} is gone before the decommission of the cluster has ended: objects that lay beside its Cluster stay in the management cluster, with nothing to manage them`,
        hint: `Restore the folder and go on with \`step: finish\`, or delete those objects by hand. ${IF_BEHIND}`,
      }
    case 'prepare':
      return {
        message:
          `${folder} is gone, but the decommission of the cluster was only prepared: ${stay}; ` +
          'its addons were suspended before, and the Cluster carries no protection against being pruned any more',
        hint:
          'Restore the folder before you commit this, and go on or take the decommission back. After the commit restore it without `decommission` in ' +
          `options.yaml: the GitOps tool takes the Cluster over and protects it again; then it can be decommissioned. ${IF_BEHIND}`,
      }
    case undefined:
    case 'release':
      return {
        message: `${folder} is gone, but the cluster was never decommissioned: ${stay}`,
        hint: `${renamed}Restore the folder to keep the cluster. To delete it, restore the folder and render, then put \`decommission: {}\` into its options.yaml. ${IF_BEHIND}`,
      }
  }
}
