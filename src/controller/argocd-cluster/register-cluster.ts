import { ApiError, isAbsence, isRefusal, isRejection } from '../../kube/api-error.ts'
import { formatKey, type KubeObject, type ObjectKey, readKubeObject } from '../../kube/kube-object.ts'
import { listItems, listObjects } from '../../kube/list-objects.ts'
import { readObject, readObjectIfAllowed } from '../../kube/read-object.ts'
import { textField } from '../../kube/json-field.ts'
import { secrets } from '../../kube/resource.ts'
import { reachableCluster } from '../generated-secrets/provide-parts.ts'
import type { SecretReason } from '../generated-secrets/secret-reasons.ts'
import { messageOf } from '../log.ts'
import { applyObject } from '../objects/apply-object.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { clusterOf, isOfCluster, MANAGED_BY, MANAGER } from '../objects/ownership.ts'
import { pauses } from '../objects/pauses.ts'
import { quietly } from '../objects/quiet-refusal.ts'
import type { ReconcilerTools } from '../reconciler.ts'
import { WorkloadClusterError, type WorkloadClusters } from '../workload-cluster/workload-clusters.ts'
import {
  clusterSecret,
  clusterSecretKey,
  haveRoom,
  isClusterSecret,
  isOfOther,
  selectorsOf,
  serverOf,
  valuesOf,
} from './cluster-secret.ts'
import { comparedServer, refuseServer } from './server-address.ts'

/** The request for a registration, and the known values. */
export interface RegistrationRequest {
  /** Of the Cluster, which need not be there. */
  readonly key: ObjectKey
  readonly cluster: KubeObject | undefined
  /** Argo CD is to know the cluster; otherwise what we have told it is taken back. */
  readonly isAsked: boolean
  /** All values; undefined while some are not known. */
  readonly values: ReadonlyMap<string, string> | undefined
  /** Where Argo CD runs; undefined: the controller was not told. */
  readonly argoNamespace: string | undefined
}

/** Where that is done. */
export interface RegistrationContext {
  readonly tools: Pick<ReconcilerTools, 'api' | 'managementHost' | 'crypto' | 'onWrite' | 'tell'> & {
    readonly workloadClusters: Pick<WorkloadClusters, 'accessOf'>
  }
  readonly signal: AbortSignal
  readonly manager: string
}

/** The outcome; without a reason Argo CD knows the cluster, with all values. */
export interface Registration {
  readonly problem?: {
    readonly reason: SecretReason | 'NotSupported' | 'ServerRefused' | 'ServerTaken'
    readonly message: string
    readonly again?: number
  }
}

/**
 * Tells Argo CD of a workload cluster by a Secret in its namespace: how to reach it, by the kubeconfig of Cluster API,
 * and the values that its addons wait for, all or none. The Secret goes with the Cluster. Undefined: nothing is asked
 * for, and nothing is there.
 * @throws ApiError 409 where it has changed meanwhile
 */
export async function registerCluster(
  request: RegistrationRequest,
  context: RegistrationContext,
): Promise<Registration | undefined> {
  const { argoNamespace, isAsked } = request
  if (argoNamespace === undefined) {
    if (!isAsked) return undefined
    const message = 'the controller does not know where Argo CD is: start it with --argocd-namespace'
    return { problem: { reason: 'NotSupported', message } }
  }
  try {
    return await register(request, clusterSecretKey(request.key, argoNamespace), context)
  } catch (error) {
    if (error instanceof WorkloadClusterError) {
      const { reason, message, again } = error
      return { problem: { reason, message, ...(again > 0 && { again }) } }
    }
    if (isRejection(error)) return { problem: { reason: 'Rejected', message: messageOf(error) } }
    const isLeaving = error instanceof ApiError && error.isNamespaceLeaving
    if (isLeaving || isRefusal(error, 404)) {
      const message = `namespace ${argoNamespace} of Argo CD ${isLeaving ? 'is being deleted' : 'is not there'}`
      return { problem: { reason: 'NamespaceNotFound', message, again: pauses.person } }
    }
    if (isRefusal(error, 403)) return { problem: { reason: 'Forbidden', message: messageOf(error) } }
    throw error
  }
}

async function register(
  request: RegistrationRequest,
  key: ObjectKey,
  context: RegistrationContext,
): Promise<Registration | undefined> {
  const { key: of, cluster, isAsked, values } = request
  const { tools, signal, manager } = context
  const what = `Secret ${key.namespace}/${key.name}`
  const found = await quietly(`reading ${what}`, () => readObject(tools.api, { resource: secrets, key }, signal))
  const isForeign = found !== undefined && !isOfCluster(found, of)
  if (!isAsked) {
    if (found !== undefined && !isForeign) await unregister(found, request, context)
    return undefined
  }
  if (isForeign) {
    const message =
      `${what} is not the controller's, and stays as it is. Delete it, or hand it over with the label ` +
      'app.kubernetes.io/managed-by=stackmason, and stackmason.dev/cluster-namespace and stackmason.dev/cluster-name'
    return { problem: { reason: 'NotOurs', message } }
  }
  const isStale =
    found !== undefined &&
    (cluster === undefined ||
      isOfOther(found, cluster.uid) ||
      (await objectionTo(serverOf(found), { key, found }, context)) !== undefined)
  const isLeaving = isStale && (await unregister(found, request, context)) === 'leaving'
  if (isLeaving) return { problem: leaving(key) }
  const live = isStale ? undefined : found
  const reachable = reachableCluster(cluster)
  if ('reason' in reachable) return { problem: reachable }
  if (values !== undefined && !haveRoom(values)) {
    return {
      problem: { reason: 'Rejected', message: 'the values are longer than the annotations of one object may be' },
    }
  }
  const known = values ?? (live === undefined ? undefined : valuesOf(live))
  const waiting: Registration = { problem: { reason: 'WaitingForSource', message: 'not all values are known' } }
  if (known === undefined) return waiting
  const access = await tools.workloadClusters.accessOf(reachable, signal)
  const isSame = live !== undefined && comparedServer(serverOf(live)) === comparedServer(access.url)
  const problem = isSame ? undefined : await objectionTo(access.url, { key, found: live }, context)
  if (problem !== undefined) return { problem }
  const wanted = clusterSecret({ cluster: reachable, access, values: known }, tools.crypto)
  const result = await quietly(`writing ${what}`, () =>
    applyObject(tools.api, { resource: secrets, key, wanted, live, manager }, signal),
  )
  tools.onWrite('Secret', result)
  if (result === 'written') tools.tell(of, 'told Argo CD of the cluster', { secret: formatKey(key) })
  if (live?.isBeingDeleted === true) return { problem: leaving(key) }
  return values === undefined ? waiting : {}
}

/** Of a Secret that is still there although somebody has deleted it: it is made anew once it has gone. */
function leaving({ namespace, name }: ObjectKey): NonNullable<Registration['problem']> {
  const message = `Secret ${namespace}/${name} is being deleted, and its finalizers hold it back`
  return { reason: 'BeingDeleted', message, again: pauses.kind }
}

/** The Secret of a Cluster, where it is or is to be. */
interface OwnSecret {
  readonly key: ObjectKey
  readonly found: KubeObject | undefined
}

/**
 * The problem with a server, if there is one. Whoever writes Secrets in a namespace chooses it, and Argo CD reaches the
 * cluster with that server by any Secret that names it: none may name the management cluster, or the server of another
 * Secret that was there first.
 */
async function objectionTo(
  server: string,
  { key, found }: OwnSecret,
  { tools, signal }: Omit<RegistrationContext, 'manager'>,
): Promise<Registration['problem']> {
  const refusal = refuseServer(server, tools.managementHost)
  if (refusal !== undefined) {
    return { reason: 'ServerRefused', message: `Argo CD is not told of the server in the kubeconfig: ${refusal}` }
  }
  const compared = comparedServer(server)
  const since = found !== undefined && comparedServer(serverOf(found)) === compared ? ageOf(found) : undefined
  for (const labelSelector of selectorsOf(server, tools.crypto)) {
    const others = await quietly(`listing Secrets of ${key.namespace}`, () =>
      listObjects(tools.api, { resource: secrets, namespace: key.namespace, labelSelector }, signal),
    )
    const isTaken = others.some(
      (other) =>
        other.name !== key.name &&
        comparedServer(serverOf(other)) === compared &&
        (since === undefined || ageOf(other) < since),
    )
    // not which one: a tenant need not know the clusters of others
    if (isTaken) {
      const message = 'another cluster Secret of Argo CD, which was there first, has the server in the kubeconfig'
      return { reason: 'ServerTaken', message, again: pauses.person }
    }
  }
  return undefined
}

/** Texts that are compared by age: the names decide between two of the same second. */
function ageOf({ content, name }: KubeObject): string {
  return `${textField(content, 'metadata', 'creationTimestamp') ?? ''} ${name}`
}

/** Takes back what Argo CD was told of a Cluster that has gone, if that was told by us. @throws ApiError, HttpError */
export async function unregisterCluster(
  cluster: ObjectKey,
  argoNamespace: string,
  context: Omit<RegistrationContext, 'manager'>,
): Promise<void> {
  const found = await readRegistered(cluster, argoNamespace, context)
  if (found !== undefined) await unregister(found, { key: cluster }, context)
}

/** True if Argo CD was told of a Cluster by us. @throws ApiError, HttpError */
export async function isRegistered(...asked: Parameters<typeof unregisterCluster>): Promise<boolean> {
  return (await readRegistered(...asked)) !== undefined
}

async function readRegistered(
  cluster: ObjectKey,
  argoNamespace: string,
  { tools, signal }: Omit<RegistrationContext, 'manager'>,
): Promise<KubeObject | undefined> {
  const key = clusterSecretKey(cluster, argoNamespace)
  // without rights on Secrets we have written none
  const found = await readObjectIfAllowed(tools.api, { resource: secrets, key }, signal)
  return found === undefined || !isOfCluster(found, cluster) ? undefined : found
}

/** All Clusters of which Argo CD was told by us. @throws ApiError, HttpError */
export async function registeredWith(
  argoNamespace: string,
  { tools, signal }: Omit<RegistrationContext, 'manager'>,
): Promise<readonly ObjectKey[]> {
  const read = (item: unknown): readonly ObjectKey[] => {
    const secret = readKubeObject(item)
    const cluster = secret && clusterOf(secret)
    return secret === undefined || cluster === undefined || !isClusterSecret(secret) ? [] : [cluster]
  }
  const listed = { resource: secrets, namespace: argoNamespace, labelSelector: `${MANAGED_BY}=${MANAGER}` }
  return quietly(`listing Secrets of ${argoNamespace}`, () =>
    listItems(tools.api, { ...listed, content: 'metadataList', read }, signal),
  )
}

/** Deletes a Secret of ours in the very state in which it was seen, and says whether it has gone. */
async function unregister(
  secret: KubeObject,
  { key: of }: Pick<RegistrationRequest, 'key'>,
  { tools, signal }: Omit<RegistrationContext, 'manager'>,
): Promise<'gone' | 'leaving'> {
  if (secret.isBeingDeleted) return 'leaving'
  const left = await quietly(`removing Secret ${secret.namespace}/${secret.name}`, () =>
    deleteObject(tools.api, { resource: secrets, object: secret }, signal).catch((error: unknown) => {
      // another instance may have been faster
      if (isAbsence(error, { plural: secrets.plural, name: secret.name })) return 'gone' as const
      throw error
    }),
  )
  tools.onWrite('Secret', 'written')
  if (left === 'gone') tools.tell(of, 'told Argo CD of the cluster no longer', { secret: formatKey(secret) })
  return left
}
