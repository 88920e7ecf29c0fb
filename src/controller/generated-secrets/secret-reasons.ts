import type { WorkloadClusterReason } from '../workload-cluster/workload-clusters.ts'

/** Why what generators make is not there, or a Secret is not delivered. */
export type SecretReason =
  | WorkloadClusterReason
  /** A value that it is made of is not known. */
  | 'WaitingForSource'
  /** The Cluster is not there, or is being deleted. */
  | 'ClusterNotFound'
  | 'ControlPlaneNotInitialized'
  /** Of the workload cluster: one that exists already by what is asked, or its namespace. */
  | 'SecretNotFound'
  | 'NamespaceNotFound'
  /** Finalizers hold it back. */
  | 'BeingDeleted'
  /** Of the workload cluster: one that exists already holds something else than certificates where it should. */
  | 'CertificateRefused'
  /** Something else made it. */
  | 'NotOurs'
  /** It is there, and does not hold what would have to be taken over. */
  | 'NotTakenOver'
  | 'Forbidden'
  /** The API server takes no such object. */
  | 'Rejected'
  | 'GeneratorFailed'

/** Reasons that pass by themselves; the others need a person. */
export const passingSecretReasons: ReadonlySet<string> = new Set<SecretReason>([
  'KubeconfigNotFound',
  'ClusterUnreachable',
  'Unauthorized',
  'WaitingForSource',
  'ClusterNotFound',
  'ControlPlaneNotInitialized',
  'SecretNotFound',
  'NamespaceNotFound',
  'BeingDeleted',
])

/** Why generators have made nothing. */
export interface NotMade {
  readonly reason: SecretReason
  /** For conditions: nothing of a Secret is in it. */
  readonly message: string
  /** Milliseconds after which to look again; undefined: nothing but a change can help. */
  readonly again?: number
}
