import type { Clock } from '../../model/ports.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, isRecord, listField, textField } from '../../kube/json-field.ts'
import { formatKey, type KubeObject } from '../../kube/kube-object.ts'
import { isAbsence } from '../../kube/api-error.ts'
import type { Resource } from '../../kube/resource.ts'
import { type Condition, findCondition, stateConditions } from './conditions.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { StateLog } from './state-log.ts'
import { type StatusWrite, writeStatus } from './write-status.ts'

/** The tools of a report. */
export interface ReportTools {
  readonly api: ApiServer
  readonly clock: Clock
  readonly events: EventRecorder
  readonly states: Pick<StateLog, 'state' | 'paused'>
  readonly onWrite: (what: string, result: 'written' | 'unchanged') => void
}

/** Whose status it is, and who writes it. */
export interface ReportedObject {
  readonly resource: Resource
  readonly object: KubeObject
  /** Constant for each kind, or fields that are no longer stated would stay. */
  readonly manager: string
}

/** The status of an object. */
export interface StatusReport {
  readonly conditions: readonly Condition[]
  /** Further fields of the status; those that are not named stay as they are. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** One word for what we do, in events. */
  readonly action: string
}

/**
 * States the conditions of a pass over this generation, and tells of it where readiness or its reason has changed.
 * @throws ApiError 409 where the object has changed meanwhile
 */
export async function reportStatus(
  { resource, object, manager }: ReportedObject,
  { conditions, fields, action }: StatusReport,
  { tools, signal }: { readonly tools: ReportTools; readonly signal: AbortSignal },
): Promise<void> {
  const stored = fieldAt(object.content, 'status')
  const { generation } = object
  const status = {
    ...(isRecord(stored) ? stored : {}),
    observedGeneration: generation,
    conditions: stateConditions(conditions, listField(stored, 'conditions'), { generation, now: tools.clock.now() }),
    ...fields,
  }
  if (!(await write({ resource, object, status, manager }, { tools, signal }))) return
  const ready = conditions.find(({ type }) => type === 'Ready')
  const before = findCondition(stored, 'Ready')
  const since = findCondition(status, 'Ready')?.lastTransitionTime ?? ''
  tools.states.state(formatKey(object), { conditions, since, before })
  if (ready === undefined || (before?.status === ready.status && before.reason === ready.reason)) return
  const isStalled = conditions.some(({ type }) => type === 'Stalled')
  const { reason, message: note } = ready
  await tools.events.tell({ regarding: object, type: isStalled ? 'Warning' : 'Normal', reason, action, note }, signal)
}

/** Leaves all as it is, and says why. What was said of readiness stays, with the generation that it was said of. */
export async function reportPaused(
  { resource, object, manager }: ReportedObject,
  message: string,
  { tools, signal }: { readonly tools: ReportTools; readonly signal: AbortSignal },
): Promise<void> {
  const stored = fieldAt(object.content, 'status')
  const conditions = listField(stored, 'conditions')
  const others = conditions.filter((condition) => textField(condition, 'type') !== 'Paused')
  const paused: Condition = { type: 'Paused', status: 'True', reason: 'Paused', message }
  const times = { generation: object.generation, now: tools.clock.now() }
  const status = {
    ...(isRecord(stored) ? stored : {}),
    conditions: [...others, ...stateConditions([paused], conditions, times)],
  }
  if (!(await write({ resource, object, status, manager }, { tools, signal }))) return
  tools.states.paused(formatKey(object), message)
}

/** False: the object has gone during the pass, so that there is nothing to say. */
async function write(
  status: StatusWrite,
  { tools, signal }: { readonly tools: ReportTools; readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    tools.onWrite('status', await writeStatus(tools.api, status, signal))
    return true
  } catch (error) {
    if (isAbsence(error, { plural: status.resource.plural, name: status.object.name })) return false
    throw error
  }
}

/** Conditions of an object that waits for what comes by itself. */
export function waiting(reason: string, message: string): readonly Condition[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Reconciling', status: 'True', reason, message },
  ]
}

/** Conditions of an object with which a person has to do something. */
export function stalled(reason: string, message: string): readonly Condition[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ]
}
