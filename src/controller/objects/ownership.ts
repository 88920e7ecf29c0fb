/** On every object that the controller owns. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
/** Its value. */
export const MANAGER = 'stackmason'
/** On a Cluster or an object of ours: leave it as it is. */
export const PAUSED = 'cluster.x-k8s.io/paused'
