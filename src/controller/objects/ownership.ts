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
