import { isRegistered, registeredWith, unregisterCluster } from '../argocd-cluster/register-cluster.ts'
import { isKeptFor, keptKey } from '../generated-secrets/kept-secret.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { pauses } from '../objects/pauses.ts'
import { quietly } from '../objects/quiet-refusal.ts'
import type { WorkResult } from '../queue/key-queue.ts'
import type { ReconcilerTools } from '../reconciler.ts'
import { listField, textField } from '../../kube/json-field.ts'
import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'
import { readFound, readObjectIfAllowed } from '../../kube/read-object.ts'
import { type Resource, secrets } from '../../kube/resource.ts'
import { mayBeThere } from './own-kind.ts'

/** Where that is done. */
export interface CleanUpContext extends ReconcilerTools {
  readonly argoNamespace: string | undefined
}

/** Milliseconds until it is looked again whether a Cluster that is being deleted has gone. */
const LEAVING = 10_000

/**
 * Deletes what is kept of a cluster that has gone for good, and what Argo CD was told of it: its object was seen to go,
 * and there is no Cluster either. Whoever deletes the object alone, or restores a backup in an order of its own, loses
 * nothing. What was delivered stays in the workload cluster: who moves a unit deletes the object, and makes it anew.
 */
export async function cleanUp(object: KubeObject, context: CleanUpContext, signal: AbortSignal): Promise<WorkResult> {
  const { argoNamespace, enqueue, tell } = context
  if (await mayBeThere(object, context.api, signal)) return {}
  const key = { namespace: object.namespace, name: textField(object.content, 'spec', 'clusterName') ?? object.name }
  const clusters = await findClusters(context, signal)
  const cluster = clusters && (await readFound(context, { resource: clusters, key }, signal))
  if (cluster?.isBeingDeleted === true) return { again: LEAVING }
  if (clusters === undefined || cluster !== undefined) {
    const delivered = listField(object.content, 'status', 'secrets').length
    if (delivered > 0) tell(object, 'leaves delivered Secrets in the workload cluster', { secrets: delivered })
    // what Argo CD was told goes with the Cluster
    enqueue(key)
    return {}
  }
  await removeKept(object, context, signal)
  if (argoNamespace !== undefined) await unregisterCluster(key, argoNamespace, { tools: context, signal })
  return {}
}

/** Takes back what Argo CD was told of a Cluster that has no object any more, once the Cluster has gone. */
export async function sweep(key: ObjectKey, context: CleanUpContext, signal: AbortSignal): Promise<WorkResult> {
  const { argoNamespace } = context
  if (argoNamespace === undefined) return {}
  const at = { tools: context, signal }
  if (!(await isRegistered(key, argoNamespace, at))) return {}
  const clusters = await findClusters(context, signal)
  if (clusters === undefined) return { again: pauses.kind }
  context.follow(key, clusters, key)
  const cluster = await readFound(context, { resource: clusters, key }, signal)
  if (cluster !== undefined) return { again: cluster.isBeingDeleted ? LEAVING : pauses.drift }
  await unregisterCluster(key, argoNamespace, at)
  return {}
}

/** The Clusters of which Argo CD was told by us: their objects may have gone while no controller ran. */
export async function registeredClusters(context: CleanUpContext, signal: AbortSignal): Promise<readonly ObjectKey[]> {
  const { argoNamespace } = context
  return argoNamespace === undefined ? [] : registeredWith(argoNamespace, { tools: context, signal })
}

async function findClusters({ discovery }: CleanUpContext, signal: AbortSignal): Promise<Resource | undefined> {
  return discovery.find({ group: 'cluster.x-k8s.io', kind: 'Cluster', version: '' }, signal)
}

async function removeKept(
  object: KubeObject,
  { api, onWrite, tell }: ReconcilerTools,
  signal: AbortSignal,
): Promise<void> {
  // without rights on Secrets we have kept none
  const secret = await readObjectIfAllowed(api, { resource: secrets, key: keptKey(object) }, signal)
  if (secret === undefined || !isKeptFor(secret, object)) return
  await quietly(`removing Secret ${secret.name}`, () =>
    deleteObject(api, { resource: secrets, object: secret }, signal),
  )
  onWrite('Secret', 'written')
  tell(object, 'removed generated Secrets of a cluster that has gone', { secret: secret.name })
}
