import { findCondition } from '../objects/conditions.ts'
import { PAUSED } from '../objects/ownership.ts'
import { pauses } from '../objects/pauses.ts'
import {
  type ReportedObject,
  reportPaused,
  reportStatus,
  type StatusReport,
  stalled,
} from '../objects/report-status.ts'
import type { WorkResult } from '../queue/key-queue.ts'
import type { Reconciler, ReconcilerTools } from '../reconciler.ts'
import { isConflict, isRefusal } from '../../kube/api-error.ts'
import { fieldAt } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { listObjects } from '../../kube/list-objects.ts'
import { readFound } from '../../kube/read-object.ts'
import type { Resource } from '../../kube/resource.ts'
import { concludeGate, type FoundImage, stateImage } from './conclude-gate.ts'
import { cloudName, type ImageKind, imageKinds, type ImageVerdict, judgeImage } from './judge-image.ts'
import { type GateSpec, readGateSpec, type WantedImage } from './read-gate-spec.ts'

/** The kind that this folder works on. */
const nodeImageGates: Resource = {
  group: 'stackmason.dev',
  version: 'v1alpha1',
  kind: 'NodeImageGate',
  plural: 'nodeimagegates',
}

/** Constant: who writes the status, on the API server. */
const FIELD_MANAGER = 'stackmason-node-image-gate'

/** The tools of a gate: it makes no objects, so it owns none. */
type GateTools = Pick<
  ReconcilerTools,
  'api' | 'discovery' | 'clock' | 'events' | 'follow' | 'followAll' | 'onWrite' | 'states'
>

/** Says of gates whether the images that they wait for are there. */
export const nodeImageGateReconciler = (tools: GateTools): Reconciler => ({
  resource: nodeImageGates,
  reconcile: async (object, signal) => reconcileGate(object, { tools, signal }),
})

interface Pass {
  readonly tools: GateTools
  readonly signal: AbortSignal
}

/** States how the images of one gate are. It brings none, and so it may be broken off anywhere. */
async function reconcileGate(object: KubeObject, at: Pass): Promise<WorkResult> {
  if (object.isBeingDeleted) return {}
  try {
    return await pass(object, at)
  } catch (error) {
    if (isConflict(error)) return { again: pauses.conflict }
    if (!isRefusal(error, 403)) throw error
    await state(object, { conditions: stalled('Forbidden', error instanceof Error ? error.message : '') }, at)
    return { again: pauses.person }
  }
}

async function pass(object: KubeObject, at: Pass): Promise<WorkResult> {
  if (object.annotations.has(PAUSED)) {
    await reportPaused(reported(object), 'This object is paused', at)
    return {}
  }
  let spec: GateSpec
  try {
    spec = readGateSpec(object)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    await state(object, { conditions: stalled('InvalidSpec', error.message), fields: { images: [] } }, at)
    return {}
  }
  const images = await findImages(object, spec.images, at)
  const waited = waitedOf(object, at)
  const conditions = concludeGate(spec, images, waited)
  await state(object, { conditions, fields: { images: images.map(stateImage) } }, at)
  const isReady = conditions[0]?.status === 'True'
  if (isReady) return { again: pauses.drift }
  const lacksKind = images.some(({ verdict, missingKinds }) => verdict === undefined && missingKinds.length > 0)
  const left = spec.stalledAfter === undefined ? Infinity : spec.stalledAfter - waited
  return {
    again: Math.min(lacksKind ? pauses.kind : pauses.drift, left > 0 ? Math.max(left, pauses.conflict) : Infinity),
  }
}

/** Milliseconds for which the gate has said that it is not ready. */
function waitedOf(object: KubeObject, { tools }: Pass): number {
  const before = findCondition(fieldAt(object.content, 'status'), 'Ready')
  if (before?.status !== 'False') return 0
  const since = Date.parse(before.lastTransitionTime)
  return Number.isNaN(since) ? 0 : Math.max(0, tools.clock.now() - since)
}

/** A kind that may describe images, as the server has it. */
interface OfferedKind {
  readonly kind: ImageKind
  readonly resource: Resource
}

const none: ReadonlyMap<string, readonly ImageVerdict[]> = new Map()

async function findImages(gate: KubeObject, wanted: readonly WantedImage[], at: Pass): Promise<readonly FoundImage[]> {
  if (wanted.length === 0) return []
  const asked: readonly ImageKind[] = wanted.some(({ by }) => by === 'name') ? ['image', 'release'] : ['image']
  const offered: OfferedKind[] = []
  for (const kind of asked) {
    const resource = await at.tools.discovery.find(imageKinds[kind], at.signal)
    if (resource !== undefined) offered.push({ kind, resource })
  }
  const missing = (kinds: readonly ImageKind[]): readonly string[] =>
    kinds
      .filter((kind) => !offered.some((other) => other.kind === kind))
      .map((kind) => `${imageKinds[kind].kind} (${imageKinds[kind].group})`)
  const named = asked.includes('release') ? await listNamed(gate, offered, at) : none
  return Promise.all(
    wanted.map(async (image): Promise<FoundImage> => {
      if (image.by === 'object') {
        return {
          wanted: image,
          verdict: await readImage(gate, { image, offered }, at),
          missingKinds: missing(['image']),
        }
      }
      const missingKinds = missing(asked)
      return {
        wanted: image,
        verdict: worst(named.get(image.name) ?? []),
        missingKinds: missingKinds.length < asked.length ? [] : missingKinds,
      }
    }),
  )
}

/** Reads an Image object as it is now; its watch begins first, so that no change is missed. */
async function readImage(
  { namespace, name: gate }: KubeObject,
  { image, offered }: { readonly image: WantedImage; readonly offered: readonly OfferedKind[] },
  { tools, signal }: Pass,
): Promise<ImageVerdict | undefined> {
  const found = offered.find(({ kind }) => kind === 'image')
  if (found === undefined) return undefined
  const key = { namespace, name: image.name }
  tools.follow({ namespace, name: gate }, found.resource, key)
  const object = await readFound(tools, { resource: found.resource, key }, signal)
  return object === undefined ? undefined : judgeImage('image', object)
}

/**
 * How the images of a namespace are, by their names in the cloud; which objects describe one may change with any of
 * them.
 */
async function listNamed(
  { namespace, name: gate }: KubeObject,
  offered: readonly OfferedKind[],
  { tools, signal }: Pass,
): Promise<ReadonlyMap<string, readonly ImageVerdict[]>> {
  const named = new Map<string, ImageVerdict[]>()
  for (const { kind, resource } of offered) {
    tools.followAll({ namespace, name: gate }, resource, namespace)
    for (const object of await listObjects(tools.api, { resource, namespace }, signal)) {
      const name = cloudName(kind, object)
      if (name !== undefined) named.set(name, [...(named.get(name) ?? []), judgeImage(kind, object)])
    }
  }
  return named
}

/** Of several objects that describe one image all must find it there. */
function worst(verdicts: readonly ImageVerdict[]): ImageVerdict | undefined {
  return (['failed', 'waiting', 'ready'] as const)
    .map((wanted) => verdicts.find(({ state: found }) => found === wanted))
    .find((verdict) => verdict !== undefined)
}

async function state(object: KubeObject, report: Omit<StatusReport, 'action'>, at: Pass): Promise<void> {
  await reportStatus(reported(object), { ...report, action: 'Gate' }, at)
}

function reported(object: KubeObject): ReportedObject {
  return { resource: nodeImageGates, object, manager: FIELD_MANAGER }
}
