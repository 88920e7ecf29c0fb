import type { Clock, Crypto, Keys, Random } from '../model/ports.ts'
import type { ControllerOptions } from './controller-options.ts'
import type { CountedCertificate } from './metrics/controller-metrics.ts'
import type { LogFields } from './log.ts'
import type { EventRecorder } from './objects/event-recorder.ts'
import type { StateLog } from './objects/state-log.ts'
import type { WorkResult } from './queue/key-queue.ts'
import type { ApiServer } from '../kube/api-server.ts'
import type { Discovery } from '../kube/discovery.ts'
import type { KubeObject, ObjectKey } from '../kube/kube-object.ts'
import type { Resource } from '../kube/resource.ts'
import type { ObjectChange, WatchTarget } from './watching/reflector.ts'
import type { WatchedSource } from './watching/source-watches.ts'
import type { WorkloadClusters } from './workload-cluster/workload-clusters.ts'
import type { WorkloadWatches } from './workload-cluster/workload-watches.ts'

/** Works on the objects of one kind. */
export interface Reconciler {
  readonly resource: Resource
  /**
   * One pass: reads what is, computes what should be, writes the difference, and states it. It may be broken off
   * anywhere: the next pass goes on. What it throws is logged, and the object comes again after a pause.
   * @throws ApiError, HttpError
   */
  readonly reconcile: (object: KubeObject, signal: AbortSignal) => Promise<WorkResult>
  /** The object is gone: what is remembered of it is of no use. */
  readonly forget?: (key: ObjectKey) => void
  /**
   * Removes what an object leaves behind that was seen to go; `object` is as it was last. It may be there again, or be
   * somebody else's work now: look first. Nothing is told of what goes while no controller runs. With `again` it is not
   * done yet. @throws ApiError, HttpError: it is tried again
   */
  readonly cleanUp?: (object: KubeObject, signal: AbortSignal) => Promise<WorkResult>
  /** Looks after a key that was called and has no object, as {@link cleanUp} where nothing is known of the object. */
  readonly sweep?: (key: ObjectKey, signal: AbortSignal) => Promise<WorkResult>
  /** Keys to sweep when work begins: objects may have left something behind while nobody worked. @throws ApiError */
  readonly leftBehind?: (signal: AbortSignal) => Promise<readonly ObjectKey[]>
}

/** The objects of one collection that carry some labels: what a watch was told, and nothing of others. */
export interface WatchedObjects {
  readonly all: () => readonly KubeObject[]
}

/** The tools of a reconciler. */
export interface ReconcilerTools {
  readonly api: ApiServer
  /** Host and port of the management cluster's API server, as we reach it. */
  readonly managementHost: string
  readonly discovery: Discovery
  readonly workloadClusters: WorkloadClusters
  readonly workloadWatches: Pick<WorkloadWatches, 'follow' | 'forget'>
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Crypto
  /** Makes private keys. */
  readonly keys: Keys
  readonly events: EventRecorder
  /** Aborted when the controller ends: what takes long comes to a good place to stop at. */
  readonly ending: AbortSignal
  /**
   * Calls the object again when the source changes; until the object is gone, or a pass has come to its end that does
   * not say so.
   */
  readonly follow: (key: ObjectKey, resource: Resource, source: WatchedSource) => void
  /** Calls the object again when any object of the kind changes in a namespace; as long. */
  readonly followAll: (key: ObjectKey, resource: Resource, namespace: string) => void
  /** Calls the object again. */
  readonly enqueue: (key: ObjectKey) => void
  /** Watches a collection in the namespaces that are worked on; no pass begins before it has been listed. */
  readonly watch: (target: Omit<WatchTarget, 'namespace'>, onChange: (change: ObjectChange) => void) => WatchedObjects
  /** Says in the log what was done for an object, in the past tense; no values. */
  readonly tell: (key: ObjectKey, deed: string, fields?: LogFields) => void
  /** Says in the log how objects are, where that has changed. */
  readonly states: Pick<StateLog, 'state' | 'paused'>
  readonly onWrite: (what: string, result: 'written' | 'unchanged') => void
  /** The certificates that were made for an object are known. */
  readonly onCertificates: (key: ObjectKey, certificates: readonly CountedCertificate[]) => void
}

/** Makes the reconciler of one kind. */
export type MakeReconciler = (tools: ReconcilerTools, options: ControllerOptions) => Reconciler
