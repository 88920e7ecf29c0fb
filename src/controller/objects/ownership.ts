import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'

/** On every object that the controller owns. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
/** Its value. */
export const MANAGER = 'stackmason'
/** On a Cluster or an object of ours: leave it as it is. */
export const PAUSED = 'cluster.x-k8s.io/paused'
/** On what belongs to a RuntimeValues object: its name. */
export const OWNER_LABEL = 'stackmason.dev/runtime-values'
/** On what belongs to a Cluster: its name. Cluster API has it on all that it makes. */
export const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name'
/** On what belongs to a Cluster and lies elsewhere: its namespace and name. */
const CLUSTER_OF = { namespace: 'stackmason.dev/cluster-namespace', name: 'stackmason.dev/cluster-name' } as const

/** Labels of what we have made for a Cluster outside of its namespace. */
export function clusterLabels({ namespace, name }: ObjectKey): Readonly<Record<string, string>> {
  return { [MANAGED_BY]: MANAGER, [CLUSTER_OF.namespace]: namespace, [CLUSTER_OF.name]: name }
}

/** True if we have made an object for the Cluster. */
export function isOfCluster({ labels }: Pick<KubeObject, 'labels'>, cluster: ObjectKey): boolean {
  return Object.entries(clusterLabels(cluster)).every(([name, value]) => labels.get(name) === value)
}

/** The Cluster for which we have made an object outside of its namespace; undefined where it does not say so. */
export function clusterOf({ labels }: Pick<KubeObject, 'labels'>): ObjectKey | undefined {
  if (labels.get(MANAGED_BY) !== MANAGER) return undefined
  const [namespace = '', name = ''] = [labels.get(CLUSTER_OF.namespace), labels.get(CLUSTER_OF.name)]
  return namespace === '' || name === '' ? undefined : { namespace, name }
}
