/**
 * How the tree itself says which step of a cluster's life it holds: annotations of the Cluster object, there only while
 * an upgrade or a decommission is under way. A Cluster without them has the addons of its own class's release.
 */
export const annotations = {
  /** Class name of the release that the addons are of, where it is not the Cluster's class. */
  addons: 'stackmason.dev/addons-release',
  /** Class that the upgrade leads to. */
  target: 'stackmason.dev/upgrade-to',
  /** A decommission is prepared; the value says how far it may go. */
  decommission: 'stackmason.dev/decommission',
} as const

/**
 * The object that replaces a Cluster that was taken out: an empty folder is refused by kustomize, and not pruned by
 * Argo CD.
 */
export const marker = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  nameOf: (cluster: string): string => `${cluster}-decommission`,
} as const
