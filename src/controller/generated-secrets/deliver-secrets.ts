import { GenerateError } from '../../generate/generate-error.ts'
import { ApiError, isAbsence, isRefusal, isRejection } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { listField, textField } from '../../kube/json-field.ts'
import { formatKey, type KubeObject, type ObjectKey, readKubeObject } from '../../kube/kube-object.ts'
import { readSurely } from '../../kube/read-object.ts'
import { collectionPath, secrets } from '../../kube/resource.ts'
import type { GeneratedSecret, Generator } from '../../model/binding.ts'
import { messageOf } from '../log.ts'
import { applyObject } from '../objects/apply-object.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { clusterOf, isOfCluster } from '../objects/ownership.ts'
import { quietly } from '../objects/quiet-refusal.ts'
import type { ReconcilerTools } from '../reconciler.ts'
import { WorkloadClusterError } from '../workload-cluster/workload-clusters.ts'
import { isClusterSecret } from '../argocd-cluster/cluster-secret.ts'
import { deliveredSecret, deliveredSelector } from './delivered-secret.ts'
import { type EntrySources, piecesOf, secretData } from './secret-data.ts'
import type { NotMade } from './secret-reasons.ts'
import { generatorsOf } from './take-over-parts.ts'

/** The outcome for a requested Secret; without a reason it is as it should be. */
export interface Delivery extends ObjectKey {
  readonly problem?: NotMade
}

/** The outcome for all that is or was requested. */
export interface Deliveries {
  readonly asked: readonly Delivery[]
  /** Why something is still there that is requested no longer. */
  readonly leftover?: NotMade
}

/** The Secrets to deliver, and their owner. */
export interface DeliveryRequest {
  readonly owner: ObjectKey
  readonly cluster: ObjectKey
  readonly asked: readonly GeneratedSecret[]
  readonly generators: readonly Generator[]
  readonly sources: EntrySources
  /** True for another object of the same kind that is there, and so asks for what was delivered for it. */
  readonly isThere: (other: ObjectKey) => Promise<boolean>
}

/** Where that is done. */
export interface DeliveryContext {
  readonly tools: Pick<ReconcilerTools, 'workloadClusters' | 'workloadWatches' | 'enqueue' | 'onWrite' | 'tell'>
  readonly signal: AbortSignal
  readonly manager: string
}

/** Milliseconds after which a namespace may have been made, or the like. */
const LATER = 15_000

/**
 * Makes the Secrets of a workload cluster what they should be, and removes those that are asked for no longer, but
 * for what says `helm.sh/resource-policy: keep`. A Secret that somebody else has made is taken over where all that is
 * generated in it is the same, and left alone elsewhere.
 * @throws ApiError 409 where one has changed meanwhile
 */
export async function deliverSecrets(request: DeliveryRequest, context: DeliveryContext): Promise<Deliveries> {
  const { asked, cluster, owner } = request
  const { tools, signal } = context
  try {
    return await tools.workloadClusters.within(
      cluster,
      async (api) => {
        const deliveries: Delivery[] = []
        for (const secret of asked) deliveries.push(await deliver(api, secret, request, context))
        const { version, leftover } = await removeOthers(api, { asked, owner }, context)
        if (asked.length > 0) {
          tools.workloadWatches.follow(owner, { cluster, labelSelector: deliveredSelector(owner), version }, () => {
            tools.enqueue(owner)
          })
        }
        return { asked: deliveries, ...(leftover !== undefined && { leftover }) }
      },
      signal,
    )
  } catch (error) {
    const problem = problemOfCluster(error)
    if (problem === undefined) throw error
    return undelivered(asked, problem)
  }
}

/** None of the Secrets is delivered, nor anything removed. */
export function undelivered(asked: readonly ObjectKey[], problem: NotMade): Deliveries {
  return {
    asked: asked.map(({ namespace, name }) => ({ namespace, name, problem })),
    ...(asked.length === 0 && { leftover: problem }),
  }
}

/** The problem that concerns all Secrets of a cluster. */
function problemOfCluster(error: unknown): NotMade | undefined {
  if (isRefusal(error, 403)) return { reason: 'Forbidden', message: messageOf(error) }
  if (!(error instanceof WorkloadClusterError)) return undefined
  const { reason, message, again } = error
  return { reason, message, ...(again > 0 && { again }) }
}

async function deliver(
  api: ApiServer,
  secret: GeneratedSecret,
  { owner, sources, generators, isThere }: DeliveryRequest,
  { tools, signal, manager }: DeliveryContext,
): Promise<Delivery> {
  const { namespace, name } = secret
  const key = { namespace, name }
  const what = `Secret ${namespace}/${name}`
  try {
    const data = secretData(secret, sources)
    const live = await quietly(`reading ${what}`, () => readSurely(api, { resource: secrets, key }, signal))
    if (live !== undefined && !isOfCluster(live, owner) && !holdsTheSame(live, secret, data)) {
      const message = `${what} of the cluster is not the controller's, and holds something else. Delete it, and it is made anew; or name it under existingSecrets`
      return { ...key, problem: { reason: 'NotOurs', message } }
    }
    const other = live === undefined || isOfCluster(live, owner) ? undefined : clusterOf(live)
    // two that take turns would write it for ever
    if (other !== undefined && (await isThere(other))) {
      const message = `${what} was delivered for ${formatKey(other)}, whose Cluster leads to the same API server. Ask for it in one of both only`
      return { ...key, problem: { reason: 'NotOurs', message } }
    }
    const wanted = deliveredSecret(secret, { data, generators: generatorsOf(secret, generators) }, owner)
    const result = await quietly(`writing ${what}`, () =>
      applyObject(api, { resource: secrets, key, wanted, live, manager }, signal),
    )
    tools.onWrite('Secret of a workload cluster', result)
    if (result === 'written') tools.tell(owner, 'delivered a Secret', { secret: formatKey(key) })
    return live?.isBeingDeleted === true ? { ...key, problem: leaving(key) } : key
  } catch (error) {
    const problem = problemOf(error, secret)
    if (problem === undefined) throw error
    return { ...key, problem }
  }
}

/** True if a foreign Secret has all keys, with the values that we have taken over from it. */
function holdsTheSame(
  live: KubeObject,
  { data: entries }: GeneratedSecret,
  data: Readonly<Record<string, string>>,
): boolean {
  return entries.every((entry) => {
    const text = textField(live.content, 'data', entry.key)
    const isMade = piecesOf(entry).some((piece) => 'part' in piece)
    return text !== undefined && (!isMade || text === data[entry.key])
  })
}

/** The problem that concerns one Secret alone. */
function problemOf(error: unknown, { namespace, name }: ObjectKey): NotMade | undefined {
  if (error instanceof GenerateError) {
    return { reason: 'GeneratorFailed', message: `Secret ${namespace}/${name}: ${error.message}` }
  }
  if (!(error instanceof ApiError)) return undefined
  const { message, isNamespaceLeaving } = error
  if (isRejection(error)) return { reason: 'Rejected', message }
  if (isNamespaceLeaving || isAbsence(error, { plural: 'namespaces', name: namespace })) {
    const how = isNamespaceLeaving ? 'is being deleted' : 'is not there yet'
    return { reason: 'NamespaceNotFound', message: `namespace ${namespace} ${how}`, again: LATER }
  }
  // neither of the namespace nor of the Secret: what answers is no API server
  if (error.status === 404) return { reason: 'ClusterUnreachable', message, again: LATER }
  if (error.status !== 403) return undefined
  return {
    reason: 'Forbidden',
    message: `the kubeconfig of the Cluster does not allow to write Secret ${namespace}/${name} there`,
  }
}

async function removeOthers(
  api: ApiServer,
  { asked, owner }: Pick<DeliveryRequest, 'asked' | 'owner'>,
  { tools, signal }: DeliveryContext,
): Promise<Pick<DeliveredList, 'version'> & Pick<Deliveries, 'leftover'>> {
  const wanted = new Set(asked.map(formatKey))
  const { items, version, problem: unknown } = await listDelivered(api, owner, signal)
  // something was delivered: otherwise nobody would look for it with nothing asked for
  let leftover = asked.length === 0 ? unknown : undefined
  for (const secret of items) {
    if (wanted.has(formatKey(secret)) || secret.annotations.get('helm.sh/resource-policy') === 'keep') continue
    const problem = await remove(api, secret, signal)
    leftover ??= problem
    if (problem !== undefined) continue
    tools.onWrite('Secret of a workload cluster', 'written')
    tools.tell(owner, 'removed a Secret that is no longer asked for', { secret: formatKey(secret) })
  }
  return { version, ...(leftover !== undefined && { leftover }) }
}

/** Of a Secret that is still there although somebody has deleted it. */
function leaving({ namespace, name }: ObjectKey): NotMade {
  const message = `Secret ${namespace}/${name} of the cluster is being deleted, and its finalizers hold it back`
  return { reason: 'BeingDeleted', message, again: LATER }
}

/** Removes a Secret in the very state in which it was seen, and says why it is still there. */
async function remove(api: ApiServer, secret: KubeObject, signal: AbortSignal): Promise<NotMade | undefined> {
  if (secret.isBeingDeleted) return leaving(secret)
  try {
    const left = await quietly(`removing Secret ${formatKey(secret)}`, () =>
      deleteObject(api, { resource: secrets, object: secret }, signal),
    )
    return left === 'leaving' ? leaving(secret) : undefined
  } catch (error) {
    if (isAbsence(error, { plural: secrets.plural, name: secret.name })) return undefined
    // what is in the way of one holds up no other
    if (isRejection(error)) return { reason: 'Rejected', message: messageOf(error) }
    if (isRefusal(error, 403)) return { reason: 'Forbidden', message: messageOf(error) }
    if (isRefusal(error, 404)) return { reason: 'ClusterUnreachable', message: messageOf(error), again: LATER }
    throw error
  }
}

/** More than one object may ask for. */
const MOST_LISTED = '500'

interface DeliveredList {
  readonly items: readonly KubeObject[]
  /** The server's version of the list; empty where it does not say, or may not be asked. */
  readonly version: string
  /** Why nobody knows what is there. */
  readonly problem?: NotMade
}

/** The metadata of all that was delivered; nothing where that may not be listed. */
async function listDelivered(api: ApiServer, owner: ObjectKey, signal: AbortSignal): Promise<DeliveredList> {
  try {
    const query = { labelSelector: deliveredSelector(owner), limit: MOST_LISTED }
    const path = collectionPath(secrets, '')
    const listed = await quietly('listing Secrets', () =>
      api.send({ method: 'GET', path, query, content: 'metadataList' }, signal),
    )
    const items = listField(listed, 'items').flatMap((item) => {
      const secret = readKubeObject(item)
      // what a server lists is not to be trusted: only what says itself that it is ours; a cluster that manages itself
      // has what Argo CD is told, too
      return secret === undefined || !isOfCluster(secret, owner) || isClusterSecret(secret) ? [] : [secret]
    })
    return { items, version: textField(listed, 'metadata', 'resourceVersion') ?? '' }
  } catch (error) {
    if (!isRefusal(error, 403)) throw error
    return { items: [], version: '', problem: { reason: 'Forbidden', message: messageOf(error) } }
  }
}
