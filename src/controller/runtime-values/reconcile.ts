import type { RuntimeKind } from '../../model/class-reference.ts'
import { derivedFunctions } from '../../generate/derived-values.ts'
import type { Parts } from '../../generate/make-parts.ts'
import { clusterSecretKey } from '../argocd-cluster/cluster-secret.ts'
import { registerCluster, type Registration } from '../argocd-cluster/register-cluster.ts'
import { type Deliveries, type Delivery, deliverSecrets, undelivered } from '../generated-secrets/deliver-secrets.ts'
import { knownCertificates } from '../generated-secrets/due-certificates.ts'
import { keptKey } from '../generated-secrets/kept-secret.ts'
import { provideParts, reachableCluster } from '../generated-secrets/provide-parts.ts'
import type { NotMade } from '../generated-secrets/secret-reasons.ts'
import { applyObject } from '../objects/apply-object.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { pauses } from '../objects/pauses.ts'
import type { Condition } from '../objects/conditions.ts'
import { CLUSTER_NAME, MANAGED_BY, MANAGER, OWNER_LABEL, PAUSED } from '../objects/ownership.ts'
import { type ReportedObject, reportPaused, reportStatus, stalled, waiting } from '../objects/report-status.ts'
import type { WorkResult } from '../queue/key-queue.ts'
import type { MakeReconciler, ReconcilerTools } from '../reconciler.ts'
import { isRefusal, isRejection } from '../../kube/api-error.ts'
import { fieldAt, listField } from '../../kube/json-field.ts'
import { formatKey, type KubeObject, type ObjectKey } from '../../kube/kube-object.ts'
import { readFound, readObject } from '../../kube/read-object.ts'
import { configMaps, secrets } from '../../kube/resource.ts'
import { kubeconfigKey } from '../workload-cluster/workload-clusters.ts'
import { cleanUp, registeredClusters, sweep } from './clean-up.ts'
import { conclude, type Findings, type PublishOutcome } from './conclude.ts'
import { inventoryEntry, isOfOtherCluster, isOurs, ownerOf, publishedMap } from './published-map.ts'
import { mayBeThere, runtimeValuesResource } from './own-kind.ts'
import { readSpec, type RuntimeValuesSpec } from './read-spec.ts'
import {
  type MadeParts,
  resolveValues,
  type ResolvedValue,
  type SourceObjects,
  textsOfValues,
} from './resolve-values.ts'
import { sourceReference } from './source-references.ts'

/** Who set a field, on the API server: constant, or fields that are no longer wanted would stay. */
const FIELD_MANAGER = 'stackmason-runtime-values'

/** The context of a pass. */
interface RuntimeValuesContext extends ReconcilerTools {
  /** ConfigMaps that the controller has published for the key, as far as it knows. */
  readonly publishedBefore: (key: ObjectKey) => readonly ObjectKey[]
  readonly argoNamespace: string | undefined
  /** Milliseconds after which Secrets of workload clusters are looked at again, also where none are watched. */
  readonly workloadCheck: number
  /** Passes in a row, by the keys of objects, in which somebody else was faster. */
  readonly conflicts: Map<string, number>
}

/** Publishes the values of RuntimeValues objects. */
export const runtimeValuesReconciler: MakeReconciler = (tools, { argoNamespace, workload }) => {
  const published = tools.watch(
    { resource: configMaps, labelSelector: `${MANAGED_BY}=${MANAGER},${OWNER_LABEL}`, content: 'metadata' },
    ({ object }) => {
      tools.enqueue(ownerOf(object))
    },
  )
  const context: RuntimeValuesContext = {
    ...tools,
    argoNamespace,
    workloadCheck: workload.check,
    conflicts: new Map(),
    publishedBefore: (key) => published.all().filter((map) => formatKey(ownerOf(map)) === formatKey(key)),
  }
  return {
    resource: runtimeValuesResource,
    reconcile: async (object, signal) => reconcileRuntimeValues(object, context, signal),
    forget: (object) => {
      context.conflicts.delete(formatKey(object))
      tools.workloadWatches.forget(object)
      tools.workloadClusters.forget(object)
    },
    cleanUp: async (object, signal) => cleanUp(object, context, signal),
    sweep: async (key, signal) => sweep(key, context, signal),
    leftBehind: async (signal) => registeredClusters(context, signal),
  }
}

/** The present Cluster and the objects that it names. */
interface Sources {
  readonly cluster: KubeObject | undefined
  readonly objects: SourceObjects
  /** Some kind is not there at all. */
  readonly lacksKind: boolean
  /** The server has the kind Cluster: an API server that has just started may not have it yet. */
  readonly hasClusters: boolean
}

/**
 * Publishes the values of one object, as far as they are there, and says so in its status. Safe to be broken off
 * anywhere: the next pass goes on.
 */
async function reconcileRuntimeValues(
  object: KubeObject,
  context: RuntimeValuesContext,
  signal: AbortSignal,
): Promise<WorkResult> {
  if (object.isBeingDeleted) return {}
  try {
    const result = await pass(object, context, signal)
    context.conflicts.delete(formatKey(object))
    return result
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    if (isRefusal(error, 409)) return conflicted(object, message, { context, signal })
    if (!isRefusal(error, 403)) throw error
    await state(object, { conditions: stalled('Forbidden', message) }, { context, signal })
    return { again: pauses.person }
  }
}

/** Conflicts in a row that are nothing to tell of. */
const FEW_CONFLICTS = 5

/** Tries again soon; who is refused again and again says so, and tries ever more rarely. */
async function conflicted(object: KubeObject, message: string, { context, signal }: Pass): Promise<WorkResult> {
  const { conflicts } = context
  const key = formatKey(object)
  const more = (conflicts.get(key) ?? 0) + 1 - FEW_CONFLICTS
  conflicts.set(key, more + FEW_CONFLICTS)
  if (more <= 0) return { again: pauses.conflict }
  await state(object, { conditions: waiting('Conflict', message) }, { context, signal })
  return { again: Math.min(pauses.person, pauses.conflict * 2 ** Math.min(more, 30)) }
}

async function pass(object: KubeObject, context: RuntimeValuesContext, signal: AbortSignal): Promise<WorkResult> {
  let spec: RuntimeValuesSpec
  try {
    spec = readSpec(object)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    await state(object, { conditions: stalled('InvalidSpec', error.message) }, { context, signal })
    return {}
  }
  const sources = await readSources(object, spec, { context, signal })
  if (object.annotations.has(PAUSED) || (sources.cluster !== undefined && isPaused(sources.cluster))) {
    await reportPaused(reported(object), 'The Cluster or this object is paused', { tools: context, signal })
    return {}
  }
  const generated = await makeParts(object, { spec, sources }, { context, signal })
  const values = resolveValues(spec, sources.objects, { crypto: context.crypto, made: generated.made })
  const outcome = await publish(object, { spec, values, cluster: sources.cluster }, { context, signal })
  const registration = await register(object, { spec, sources, values }, { context, signal })
  const deliveries = await deliver(object, { spec, sources, generated }, { context, signal })
  const certificates = 'reason' in generated.made ? [] : knownCertificates(spec.generators, generated.made)
  // what cannot be looked at ends all the same
  if (!('reason' in generated.made)) context.onCertificates(object, certificates)
  const now = context.clock.now()
  const findings: Findings = { configMap: spec.configMap, values, outcome, deliveries, registration, certificates, now }
  const conditions = conclude(findings)
  const entries = isThere(outcome) ? [inventoryEntry({ namespace: object.namespace, name: spec.configMap })] : []
  await state(object, { conditions, values, deliveries, entries }, { context, signal })
  const problems = [
    'reason' in generated.made ? generated.made : undefined,
    ...(deliveries?.asked ?? []).map(({ problem }) => problem),
    deliveries?.leftover,
    registration?.problem,
  ]
  return {
    again: Math.min(
      ['foreign', 'rejected', 'outdated'].includes(outcome) ? pauses.person : pauses.drift,
      ...(sources.lacksKind ? [pauses.kind] : []),
      ...(spec.secrets.length > 0 || deliveries?.leftover !== undefined ? [context.workloadCheck] : []),
      ...problems.flatMap((problem) => (problem?.again === undefined ? [] : [problem.again])),
      ...certificates.flatMap(({ renewAt }) => (renewAt > now ? [renewAt - now] : [])),
    ),
  }
}

/** The results of generators, and the texts that they were made of. */
interface Generated {
  readonly made: MadeParts
  readonly texts: ReadonlyMap<string, string>
}

interface Asked {
  readonly spec: RuntimeValuesSpec
  readonly sources: Sources
}

const NO_CLUSTERS = { reason: 'ClusterNotFound', message: 'the server does not have the kind Cluster' } as const

const NOT_YET: NotMade = { reason: 'WaitingForSource', message: 'it is made after the values of fields' }

/** Makes what generators make, where anything is asked for that is not computed from values alone. */
async function makeParts(object: KubeObject, { spec, sources }: Asked, { context, signal }: Pass): Promise<Generated> {
  const isComputed = spec.generators.every((generator) => derivedFunctions.has(generator.function))
  if (isComputed && spec.secrets.length === 0) return { made: new Map(), texts: new Map() }
  // whatever changes there: the kubeconfig, and what we keep
  const secret = { namespace: object.namespace, labelSelector: CLUSTER_NAME }
  for (const { name } of [keptKey(object), kubeconfigKey({ namespace: object.namespace, name: spec.clusterName })]) {
    context.follow(object, secrets, { ...secret, name })
  }
  const texts = textsOfValues(spec, sources.objects, { crypto: context.crypto, made: NOT_YET })
  const request = { owner: object, spec, cluster: sources.cluster, values: texts }
  return { made: await provideParts(request, { tools: context, signal, manager: FIELD_MANAGER }), texts }
}

/** Tells Argo CD of the cluster, where that is asked for. */
async function register(
  object: KubeObject,
  { spec, sources, values }: Asked & { readonly values: readonly ResolvedValue[] },
  { context, signal }: Pass,
): Promise<Registration | undefined> {
  const key = { namespace: object.namespace, name: spec.clusterName }
  const { argoNamespace } = context
  if (spec.argoCluster) {
    context.follow(object, secrets, { ...kubeconfigKey(key), labelSelector: CLUSTER_NAME })
    if (argoNamespace !== undefined) {
      const labelSelector = `${MANAGED_BY}=${MANAGER}`
      context.follow(object, secrets, { ...clusterSecretKey(key, argoNamespace), labelSelector })
    }
  }
  // nobody knows whether the Cluster is there, and what Argo CD was told stays
  if (spec.argoCluster && !sources.hasClusters) return { problem: NO_CLUSTERS }
  const texts = new Map(values.flatMap((value) => ('text' in value ? [[value.name, value.text]] : [])))
  const all = texts.size < values.length ? undefined : texts
  const request = { key, cluster: sources.cluster, isAsked: spec.argoCluster, values: all, argoNamespace }
  return registerCluster(request, { tools: context, signal, manager: FIELD_MANAGER })
}

/** Delivers the Secrets that are asked for, and takes back those that were; undefined: there is nothing to do. */
async function deliver(
  object: KubeObject,
  { spec, sources, generated }: Asked & { readonly generated: Generated },
  { context, signal }: Pass,
): Promise<Deliveries | undefined> {
  const { secrets: asked } = spec
  const isAsked = asked.length > 0
  const wasAsked = listField(object.content, 'status', 'secrets').length > 0
  if (!isAsked && !wasAsked) return undefined
  const { made, texts } = generated
  const cluster = reachableCluster(sources.cluster)
  if (!isAsked || 'reason' in cluster) context.workloadWatches.forget(object)
  if ('reason' in cluster && cluster.reason === 'ClusterNotFound') {
    context.workloadClusters.forget({ namespace: object.namespace, name: spec.clusterName })
  }
  // what is taken back needs nothing that is made
  if (isAsked && 'reason' in made) return undelivered(asked, made)
  // without a control plane there is nothing to take back
  if ('reason' in cluster) return isAsked ? undelivered(asked, cluster) : undefined
  const parts = 'reason' in made ? new Map<string, Parts>() : made
  const isThere = async (other: ObjectKey): Promise<boolean> => mayBeThere(other, context.api, signal)
  const { generators } = spec
  const request = { owner: object, cluster, asked, generators, sources: { parts, values: texts }, isThere }
  return deliverSecrets(request, { tools: context, signal, manager: FIELD_MANAGER })
}

function isThere(outcome: PublishOutcome): boolean {
  return ['published', 'kept', 'outdated', 'leaving'].includes(outcome)
}

interface Pass {
  readonly context: RuntimeValuesContext
  readonly signal: AbortSignal
}

async function readSources(object: KubeObject, spec: RuntimeValuesSpec, at: Pass): Promise<Sources> {
  const key = { namespace: object.namespace, name: spec.clusterName }
  const found = await readFollowed(object, { group: 'cluster.x-k8s.io', kind: 'Cluster', version: '', ...key }, at)
  const cluster = found.object
  const needed = new Set(spec.values.flatMap(({ from }) => ('kind' in from ? [from.kind] : [])))
  const read = async (kind: Exclude<RuntimeKind, 'Cluster'>): ReturnType<typeof readFollowed> => {
    const reference = cluster !== undefined && needed.has(kind) ? sourceReference(cluster, kind) : undefined
    return reference === undefined ? { object: undefined, isKnown: true } : readFollowed(object, reference, at)
  }
  const [controlPlane, infrastructure] = await Promise.all([read('ControlPlane'), read('InfrastructureCluster')])
  return {
    cluster,
    objects: {
      Cluster: cluster?.content,
      ControlPlane: controlPlane.object?.content,
      InfrastructureCluster: infrastructure.object?.content,
    },
    hasClusters: found.isKnown,
    lacksKind: [found, controlPlane, infrastructure].some(({ isKnown }) => !isKnown),
  }
}

/** Reads an object as it is now; its watch begins first, so that no change is missed. */
async function readFollowed(
  object: KubeObject,
  source: ObjectKey & { readonly group: string; readonly kind: string; readonly version: string },
  { context, signal }: Pass,
): Promise<{ readonly object: KubeObject | undefined; readonly isKnown: boolean }> {
  const resource = await context.discovery.find(source, signal)
  if (resource === undefined) return { object: undefined, isKnown: false }
  context.follow(object, resource, source)
  return { object: await readFound(context, { resource, key: source }, signal), isKnown: true }
}

function isPaused(cluster: KubeObject): boolean {
  return cluster.annotations.has(PAUSED) || fieldAt(cluster.content, 'spec', 'paused') === true
}

interface Publication {
  readonly spec: RuntimeValuesSpec
  readonly values: readonly ResolvedValue[]
  readonly cluster: KubeObject | undefined
}

/** All values or none: a map with some of them would pass for complete. */
async function publish(object: KubeObject, { spec, values, cluster }: Publication, at: Pass): Promise<PublishOutcome> {
  const { context, signal } = at
  const { api } = context
  const wanted = { namespace: object.namespace, name: values.length === 0 ? '' : spec.configMap }

  for (const key of context.publishedBefore(object)) if (key.name !== wanted.name) await withdraw(object, key, at)
  if (wanted.name === '') return 'nothing'
  const live = await readObject(api, { resource: configMaps, key: wanted }, signal)
  if (live !== undefined && !isOurs(live, object)) return 'foreign'
  // values of a Cluster that was deleted, where another one has its name now, would be wrong: none is safer than those
  const isOfOther = live !== undefined && cluster !== undefined && isOfOtherCluster(live, cluster.uid)
  const texts = values.flatMap((value): readonly [string, string][] =>
    'text' in value ? [[value.name, value.text]] : [],
  )
  if (texts.length < values.length) {
    if (live === undefined) return 'waiting'
    if (live.isBeingDeleted) return 'leaving'
    return isOfOther ? withdraw(object, wanted, at) : 'kept'
  }
  let result: Awaited<ReturnType<typeof applyObject>>
  try {
    result = await applyObject(
      api,
      {
        resource: configMaps,
        key: wanted,
        wanted: publishedMap(object, { data: Object.fromEntries(texts), clusterUid: cluster?.uid ?? '' }),
        live,
        manager: FIELD_MANAGER,
      },
      signal,
    )
  } catch (error) {
    if (!isRejection(error)) throw error
    if (live?.isBeingDeleted === true) return 'leaving'
    if (live !== undefined && !isOfOther) return 'outdated'
    if (live !== undefined) await withdraw(object, wanted, at)
    return 'rejected'
  }
  context.onWrite('ConfigMap', result)
  if (result === 'written') {
    context.tell(object, 'published values', { configMap: wanted.name, values: texts.length })
  }
  // until it goes it has what is known now; then it is made anew
  return live?.isBeingDeleted === true ? 'leaving' : 'published'
}

/** Deletes a ConfigMap that is ours, as it is now, and none that somebody makes in its place. */
async function withdraw(
  object: KubeObject,
  key: ObjectKey,
  { context, signal }: Pass,
): Promise<'withdrawn' | 'leaving'> {
  const live = await readObject(context.api, { resource: configMaps, key }, signal)
  if (live === undefined || !isOurs(live, object)) return 'withdrawn'
  if (
    live.isBeingDeleted ||
    (await deleteObject(context.api, { resource: configMaps, object: live }, signal)) === 'leaving'
  ) {
    return 'leaving'
  }
  context.onWrite('ConfigMap', 'written')
  context.tell(object, 'took published values back', { configMap: key.name })
  return 'withdrawn'
}

interface Statement {
  readonly conditions: readonly Condition[]
  /** Absent: those that were stated stay. */
  readonly values?: readonly ResolvedValue[]
  readonly deliveries?: Deliveries | undefined
  readonly entries?: readonly object[]
}

async function state(object: KubeObject, statement: Statement, at: Pass): Promise<void> {
  const { conditions, values, deliveries, entries } = statement
  const fields = {
    ...(values !== undefined && { values: values.map(stateValue) }),
    // what is still there stays stated, so that it is looked for again
    ...(deliveries !== undefined && !hasLeft(deliveries) && { secrets: deliveries.asked.map(stateDelivery) }),
    ...(entries !== undefined && { inventory: { entries } }),
  }
  await reportStatus(reported(object), { conditions, fields, action: 'Publish' }, { ...at, tools: at.context })
}

/** Nothing is asked for, and something is still there. */
function hasLeft({ asked, leftover }: Deliveries): boolean {
  return asked.length === 0 && leftover !== undefined
}

/** The state of a value; never the value. */
function stateValue(value: ResolvedValue): object {
  const { name } = value
  return 'text' in value ? { name, resolved: true } : { name, resolved: false, reason: value.reason }
}

/** The state of a Secret's delivery; never its content. */
function stateDelivery({ namespace, name, problem }: Delivery): object {
  const delivered = problem === undefined
  return { namespace, name, delivered, ...(!delivered && { reason: problem.reason }) }
}

function reported(object: KubeObject): ReportedObject {
  return { resource: runtimeValuesResource, object, manager: FIELD_MANAGER }
}
