import type { ListenAddress, Listener, TlsFiles } from '../model/listener.ts'
import type { Metrics } from '../model/metrics.ts'
import type { KubeConnector } from '../model/kube-access.ts'
import type { Clock, Crypto, Keys, Random } from '../model/ports.ts'
import type { ServerConnection } from '../model/server-connection.ts'
import type { LeaseTimes } from './lease/lease-election.ts'
import type { Log } from './log.ts'
import type { BackoffTimes } from './queue/backoff.ts'
import type { MigrationOptions } from './storage-migration/migrate-definition.ts'
import type { WorkedKind } from './worked-kinds.ts'

/** How the controller runs. */
export interface ControllerOptions {
  /** Names this process among others, and among its own runs. */
  readonly identity: string
  /** The kinds that it works on; it ignores others. */
  readonly kinds: readonly WorkedKind[]
  /** None: all. */
  readonly namespaces: readonly string[]
  /** Value of the label `cluster.x-k8s.io/watch-filter` that objects must have; empty: all. */
  readonly watchFilter: string
  /** Value of the label `stackmason.dev/shard` that objects must have; empty: only those without. */
  readonly shard: string
  /** Objects of each kind that are worked on at the same time. */
  readonly concurrency: Readonly<Record<WorkedKind, number>>
  /** Requests for each second, and how many more at once after a pause. */
  readonly rate: { readonly perSecond: number; readonly burst: number }
  readonly backoff: BackoffTimes
  /**
   * Of workload clusters: how many are watched at the same time, and milliseconds after which Secrets are looked at in
   * each.
   */
  readonly workload: { readonly watches: number; readonly check: number }
  /** How objects are rewritten in their storage version. */
  readonly storageMigration: MigrationOptions
  /** Where Argo CD keeps what it knows of clusters; undefined: it is told of none. */
  readonly argoNamespace: string | undefined
  /** Undefined: no other instance runs. */
  readonly lease: { readonly namespace: string; readonly times: LeaseTimes } | undefined
  readonly version: string
  readonly userAgent: string
  /** Where probes are answered; undefined: nowhere. */
  readonly healthAddress: ListenAddress | undefined
  /** Where metrics are told, and by which certificate; undefined: nowhere. */
  readonly metrics: MetricsAddress | undefined
}

/** Where metrics are told. */
export interface MetricsAddress {
  readonly address: ListenAddress
  /** Undefined: over plain HTTP. */
  readonly tls: Pick<TlsFiles, 'certificate' | 'key'> | undefined
}

/** The ports of the controller. */
export interface ControllerPorts {
  /** To the management cluster. */
  readonly connection: ServerConnection
  /** Ways to workload clusters. */
  readonly kube: Pick<KubeConnector, 'connect'>
  readonly listener: Listener
  readonly metrics: Metrics
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Crypto
  /** Makes private keys. */
  readonly keys: Keys
  readonly log: Log
}
