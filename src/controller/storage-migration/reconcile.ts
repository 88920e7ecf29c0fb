import { isConflict, isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, listField, textField } from '../../kube/json-field.ts'
import { formatKey, type KubeObject, type ObjectKey } from '../../kube/kube-object.ts'
import { readFound, readSurely } from '../../kube/read-object.ts'
import { collectionPath, type Resource } from '../../kube/resource.ts'
import type { LogFields } from '../log.ts'
import { PAUSED } from '../objects/ownership.ts'
import { pauses } from '../objects/pauses.ts'
import { type ReportedObject, reportPaused, reportStatus, stalled } from '../objects/report-status.ts'
import type { WorkResult } from '../queue/key-queue.ts'
import type { MakeReconciler, ReconcilerTools } from '../reconciler.ts'
import { WorkloadClusterError } from '../workload-cluster/workload-clusters.ts'
import { conclude, waiting } from './conclude.ts'
import { definitions } from './definition.ts'
import { migrateDefinition, type MigrationMemory, type MigrationOptions } from './migrate-definition.ts'
import { formatStates, type MigrationState, readState } from './migration-state.ts'
import { Pace } from './pace.ts'
import { readSpec, type StorageMigrationSpec } from './read-spec.ts'
import { FIELD_MANAGER } from './rewrite-object.ts'

/** The kind that this folder works on. */
const storageMigrations: Resource = {
  group: 'stackmason.dev',
  version: 'v1alpha1',
  kind: 'StorageMigration',
  plural: 'storagemigrations',
}

/** Milliseconds until something is looked at again of which no watch tells. */
const again = {
  ...pauses,
  /** Definitions that get the labels of a selector. */
  drift: 10 * 60_000,
  /** Workload clusters that cannot be asked. */
  unreachable: 30_000,
} as const

/** Of one object: what may be forgotten at any time. */
interface Memory {
  readonly uid: string
  readonly definitions: Map<string, MigrationMemory>
  pace: { readonly perSecond: number; readonly pace: Pace } | undefined
}

interface Context extends ReconcilerTools {
  readonly memories: Map<string, Memory>
  readonly options: MigrationOptions
  /** Milliseconds between looks at definitions of a workload cluster, which nobody watches. */
  readonly workloadCheck: number
}

/** Migrates what StorageMigration objects ask for: some seconds of each, and then that of others. */
export const storageMigrationReconciler: MakeReconciler = (tools, { storageMigration, workload }) => {
  const context: Context = {
    ...tools,
    memories: new Map(),
    options: storageMigration,
    workloadCheck: workload.check,
  }
  return {
    resource: storageMigrations,
    reconcile: (object, signal) => reconcileStorageMigration(object, context, signal),
    forget: (key) => {
      context.memories.delete(formatKey(key))
    },
  }
}

interface Pass {
  readonly context: Context
  readonly signal: AbortSignal
}

async function reconcileStorageMigration(
  known: KubeObject,
  context: Context,
  signal: AbortSignal,
): Promise<WorkResult> {
  // what was stated last says how far we are, and the watch may be late
  const object = await readSurely(context.api, { resource: storageMigrations, key: known }, signal)
  if (object === undefined || object.isBeingDeleted) return {}
  const at = { context, signal }
  try {
    return await pass(object, at)
  } catch (error) {
    if (isConflict(error)) return { again: again.conflict }
    if (error instanceof WorkloadClusterError) return await reportUnreachable(object, error, at)
    if (!isRefusal(error, 403)) throw error
    await report(object, { conditions: stalled('Forbidden', error instanceof Error ? error.message : '') }, at)
    return { again: again.person }
  }
}

/** A workload cluster that cannot be asked holds nothing up: it is asked again later. */
async function reportUnreachable(
  object: KubeObject,
  { reason, message, again: pause }: WorkloadClusterError,
  at: Pass,
): Promise<WorkResult> {
  const conditions = reason === 'KubeconfigRefused' ? stalled(reason, message) : waiting(reason, message)
  await report(object, { conditions }, at)
  return { again: Math.max(pause, again.unreachable) }
}

async function pass(object: KubeObject, at: Pass): Promise<WorkResult> {
  const { context, signal } = at
  if (object.annotations.has(PAUSED)) {
    await reportPaused(reported(object), 'The object is paused', { tools: context, signal })
    return {}
  }
  let spec: StorageMigrationSpec
  try {
    spec = readSpec(object)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    await report(object, { conditions: stalled('InvalidSpec', error.message) }, at)
    return {}
  }
  if (spec.clusterName === undefined) {
    return await finish(object, await migrate(object, { spec, api: context.api, isHere: true }, at), at)
  }
  const key = { namespace: object.namespace, name: spec.clusterName }
  const cluster = await readCluster(object, key, at)
  if (cluster === undefined || cluster.isBeingDeleted) {
    const message = `Cluster ${key.name} is ${cluster === undefined ? 'not there' : 'being deleted'}`
    await report(object, { conditions: waiting('SourceNotFound', message) }, at)
    return { again: again.unreachable }
  }
  if (cluster.annotations.has(PAUSED) || fieldAt(cluster.content, 'spec', 'paused') === true) {
    await reportPaused(reported(object), 'The Cluster is paused', { tools: context, signal })
    return {}
  }
  const found = await context.workloadClusters.within(
    key,
    async (api) => {
      try {
        return await migrate(object, { spec, api, isHere: false }, at)
      } catch (error) {
        if (!isRefusal(error, 403)) throw error
        // its words are those of another cluster
        const message = `The API server of Cluster ${key.name} does not allow what a migration needs`
        return { forbidden: message }
      }
    },
    signal,
  )
  if (!('forbidden' in found)) return await finish(object, found, at)
  await report(object, { conditions: stalled('Forbidden', found.forbidden) }, at)
  return { again: again.person }
}

/** The Cluster whose objects are migrated, followed from now on. */
async function readCluster(
  object: KubeObject,
  key: ObjectKey,
  { context, signal }: Pass,
): Promise<KubeObject | undefined> {
  const resource = await context.discovery.find({ group: 'cluster.x-k8s.io', kind: 'Cluster', version: '' }, signal)
  if (resource === undefined) return undefined
  context.follow(object, resource, key)
  return await readFound(context, { resource, key }, signal)
}

interface Work {
  readonly spec: StorageMigrationSpec
  /** Of the cluster that the definitions are in. */
  readonly api: ApiServer
  /** In the cluster that the controller works on. */
  readonly isHere: boolean
}

/** The findings of a pass. */
interface Found {
  readonly states: readonly MigrationState[]
  /** Milliseconds until there is more to do. */
  readonly again: number
}

async function migrate(object: KubeObject, { spec, api, isHere }: Work, at: Pass): Promise<Found> {
  const { context, signal } = at
  const { clock, random, crypto, options, ending } = context
  const meant = spec.definitions
  const names = 'length' in meant ? meant : await selectDefinitions(meant, { api, signal })
  if (isHere) for (const name of names) context.follow(object, definitions, { namespace: '', name })
  const memory = memoryOf(object, context)
  if (memory.pace?.perSecond !== spec.objectsPerSecond) {
    memory.pace = { perSecond: spec.objectsPerSecond, pace: new Pace(spec.objectsPerSecond, clock) }
  }
  const end = clock.monotonic() + options.slice
  const tools = {
    api,
    clock,
    random,
    crypto,
    options,
    pace: memory.pace.pace,
    isPreflight: spec.isPreflight,
    wantedVersion: spec.storageVersion,
    isEnough: () => ending.aborted || clock.monotonic() >= end,
  }
  const states: MigrationState[] = []
  const pauses: number[] = [isHere ? again.drift : context.workloadCheck]
  for (const name of names) {
    const before = readState(object, name)
    if (states.at(-1)?.reason === 'Progressing') {
      states.push(before ?? { name, migrated: false, reason: 'Progressing', message: 'waits for its turn' })
      continue
    }
    const ofDefinition = memory.definitions.get(name) ?? {}
    memory.definitions.set(name, ofDefinition)
    const step = await migrateDefinition(name, { memory: ofDefinition, before }, { tools, signal })
    states.push(step.state)
    if (step.again !== undefined) pauses.push(step.again)
  }
  return { states, again: Math.min(...pauses) }
}

/** States what a pass found, and tells of it. */
async function finish(object: KubeObject, { states, again: pause }: Found, at: Pass): Promise<WorkResult> {
  for (const state of states) await tellOf(object, { state, before: readState(object, state.name) }, at)
  const conditions =
    states.length === 0
      ? waiting('DefinitionNotFound', 'No definition has the labels of the selector')
      : conclude(states)
  await report(object, { conditions, states }, at)
  return { again: pause }
}

function memoryOf(object: KubeObject, { memories }: Context): Memory {
  const key = formatKey(object)
  const known = memories.get(key)
  if (known?.uid === object.uid) return known
  const memory: Memory = { uid: object.uid, definitions: new Map(), pace: undefined }
  memories.set(key, memory)
  return memory
}

/** Definitions that one object migrates. */
const MOST_DEFINITIONS = 128

async function selectDefinitions(
  labels: ReadonlyMap<string, string>,
  { api, signal }: { readonly api: ApiServer; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const labelSelector = Array.from(labels, ([key, value]) => `${key}=${value}`).join(',')
  const path = collectionPath(definitions, '')
  const listed = await api.send({ method: 'GET', path, query: { labelSelector }, content: 'metadataList' }, signal)
  const names = listField(listed, 'items').flatMap((item) => textField(item, 'metadata', 'name') ?? [])
  return names.toSorted().slice(0, MOST_DEFINITIONS)
}

/** Tells of a definition that has come to an end, good or bad; never of single objects. */
async function tellOf(
  regarding: KubeObject,
  { state, before }: { readonly state: MigrationState; readonly before: MigrationState | undefined },
  { context, signal }: Pass,
): Promise<void> {
  const { name, migrated, reason, message, counts } = state
  if (before?.reason !== reason) context.tell(regarding, deedOf(state), fieldsOf(state))
  if (before?.reason === reason || counts === undefined || reason === 'Progressing') return
  if (migrated && counts.rewritten === 0) return
  const type = migrated || reason === 'PreflightPassed' ? 'Normal' : 'Warning'
  await context.events.tell({ regarding, type, reason, action: 'Migrate', note: `${name}: ${message}` }, signal)
}

function deedOf({ migrated, reason }: MigrationState): string {
  if (migrated) return 'migrated a definition'
  if (reason === 'Progressing') return 'migrates a definition'
  return reason === 'PreflightPassed' ? 'checked a definition' : 'a definition waits'
}

function fieldsOf({ name: definition, migrated, reason, message, counts }: MigrationState): LogFields {
  if (!migrated && reason !== 'PreflightPassed') return { definition, reason, message }
  return counts === undefined
    ? { definition }
    : { definition, rewritten: counts.rewritten, alreadyCurrent: counts.alreadyCurrent }
}

interface Statement {
  readonly conditions: Parameters<typeof reportStatus>[1]['conditions']
  /** Absent: what was stated of definitions stays. */
  readonly states?: readonly MigrationState[]
}

async function report(object: KubeObject, { conditions, states }: Statement, at: Pass): Promise<void> {
  const fields = states === undefined ? {} : { customResourceDefinitions: formatStates(states) }
  await reportStatus(
    reported(object),
    { conditions, fields, action: 'Migrate' },
    { tools: at.context, signal: at.signal },
  )
}

function reported(object: KubeObject): ReportedObject {
  return { resource: storageMigrations, object, manager: FIELD_MANAGER }
}
