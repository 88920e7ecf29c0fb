import { fieldAt, listField, numberField, textField } from '../kube/json-field.ts'
import type { KubeObject } from '../kube/kube-object.ts'

/**
 * How an object is. `waiting`: it may become ready by itself. `failed`: a person has to look. `missing`: it is not
 * there. `hidden`: we may not see it, or the server does not have the kind.
 */
export type ReadinessState = 'ready' | 'waiting' | 'failed' | 'suspended' | 'missing' | 'hidden'

/** How an object is, and why; the reason is one clause, empty when it is ready. */
export interface Readiness {
  readonly state: ReadinessState
  readonly reason: string
}

/** Nothing to say. */
export const ready: Readiness = { state: 'ready', reason: '' }

/** It may become ready by itself. */
export function waiting(reason: string): Readiness {
  return { state: 'waiting', reason }
}

function failed(reason: string): Readiness {
  return { state: 'failed', reason }
}

const DELETING = waiting('it is being deleted')
const UNSEEN = waiting('its controller has not seen the last change yet')

/** Longer messages are cut: they repeat what nobody reads in a table. */
const LONGEST_MESSAGE = 300

/**
 * A Cluster of Cluster API: ready when its control plane has answered, its topology is reconciled, nothing is rolling
 * out, and it is available. The rules are those of the rollout gate, as far as the conditions are there.
 */
export function clusterReadiness(cluster: KubeObject): Readiness {
  if (cluster.isBeingDeleted) return DELETING
  const { content, generation } = cluster
  const observed = numberField(content, 'status', 'observedGeneration')
  if (observed === undefined) return waiting('Cluster API has not looked at it yet')
  if (observed < generation) return UNSEEN
  if (fieldAt(content, 'spec', 'paused') === true) return { state: 'suspended', reason: 'it is paused' }
  const conditions = clusterConditions(content)
  const topology = conditions.get('TopologyReconciled')
  // a control plane that cannot be made never answers
  if (topology?.status === 'False' && topology.reason === 'ReconcileFailed') {
    return failed(withDetail('its topology is not reconciled', conditions, ['TopologyReconciled']))
  }
  if (!isInitialized(content)) {
    return waiting(
      withDetail('its control plane has not answered yet', conditions, [
        'ControlPlaneInitialized',
        'InfrastructureReady',
      ]),
    )
  }
  if (topology !== undefined && topology.status !== 'True') {
    return waiting(withDetail('its topology is not reconciled', conditions, ['TopologyReconciled']))
  }
  if (conditions.get('RollingOut')?.status === 'True') {
    return waiting(withDetail('machines are being replaced', conditions, ['RollingOut']))
  }
  const available = conditions.get('Available') ?? conditions.get('Ready')
  if (available !== undefined && available.status !== 'True') {
    return waiting(withDetail('it is not available', conditions, [conditions.has('Available') ? 'Available' : 'Ready']))
  }
  return ready
}

function isInitialized(content: unknown): boolean {
  return (
    fieldAt(content, 'status', 'initialization', 'controlPlaneInitialized') === true ||
    fieldAt(content, 'status', 'controlPlaneReady') === true ||
    conditionsAt(content, 'status', 'conditions').get('ControlPlaneInitialized')?.status === 'True'
  )
}

/** v1beta1 keeps the conditions of today's Cluster API beside those of old. */
function clusterConditions(content: unknown): ReadonlyMap<string, LiveCondition> {
  const newer = conditionsAt(content, 'status', 'v1beta2', 'conditions')
  return newer.size > 0 ? newer : conditionsAt(content, 'status', 'conditions')
}

/** An object of a GitOps tool that applies a folder. */
export function unitReadiness(unit: KubeObject): Readiness {
  if (unit.isBeingDeleted) return DELETING
  if (unit.kind === 'ApplicationSet') return applicationSetReadiness(unit)
  return unit.kind === 'Application' ? applicationReadiness(unit) : kustomizationReadiness(unit)
}

/** Reasons of Flux that end by themselves. */
const passing: ReadonlySet<string> = new Set([
  'DependencyNotReady',
  'Progressing',
  'ProgressingWithRetry',
  'ArtifactFailed',
])

function kustomizationReadiness({ content, generation }: KubeObject): Readiness {
  if (fieldAt(content, 'spec', 'suspend') === true) return { state: 'suspended', reason: 'Flux leaves it alone' }
  const observed = numberField(content, 'status', 'observedGeneration')
  if (observed === undefined || observed < 0) return waiting('Flux has not looked at it yet')
  const condition = conditionsAt(content, 'status', 'conditions').get('Ready')
  if (condition === undefined) return waiting('Flux has not said yet how it is')
  if (observed < generation && condition.status === 'True') return waiting('Flux has not applied the last change yet')
  if (condition.status === 'True') return ready
  const reason = said(condition)
  return condition.status === 'False' && !passing.has(condition.reason) ? failed(reason) : waiting(reason)
}

function applicationReadiness({ content }: KubeObject): Readiness {
  const errors = listField(content, 'status', 'conditions').filter(
    (condition) => textField(condition, 'type')?.endsWith('Error') === true,
  )
  const [error] = errors
  if (error !== undefined) return failed(shortened(textField(error, 'message') ?? textField(error, 'type') ?? ''))
  const phase = textField(content, 'status', 'operationState', 'phase')
  const operation = shortened(textField(content, 'status', 'operationState', 'message') ?? '')
  if (phase === 'Failed' || phase === 'Error')
    return failed(`its sync failed${operation === '' ? '' : `: ${operation}`}`)
  if (phase === 'Running') return waiting(`it is being synced${operation === '' ? '' : `: ${operation}`}`)
  const health = textField(content, 'status', 'health', 'status')
  const detail = shortened(textField(content, 'status', 'health', 'message') ?? '')
  const sync = textField(content, 'status', 'sync', 'status')
  if (sync !== 'Synced') return waiting(sync === undefined ? 'Argo CD has not compared it yet' : `Argo CD says ${sync}`)
  if (health === 'Healthy') return ready
  const reason = `Argo CD says ${health ?? 'nothing of its health'}${detail === '' ? '' : `: ${detail}`}`
  return health === 'Degraded' ? failed(reason) : waiting(reason)
}

/** It only makes Applications: where it cannot, it waits for the cluster's Secret and the values on it. */
function applicationSetReadiness({ content }: KubeObject): Readiness {
  const conditions = conditionsAt(content, 'status', 'conditions')
  const error = conditions.get('ErrorOccurred')
  if (error?.status === 'True') return waiting(said(error))
  const made = conditions.get('ResourcesUpToDate')
  if (made === undefined) return waiting('Argo CD has not looked at it yet')
  return made.status === 'True' ? ready : waiting(said(made))
}

/** An object of our own kinds: its conditions say it, for the generation that they were computed of. */
export function ownReadiness(object: KubeObject): Readiness {
  if (object.isBeingDeleted) return DELETING
  const { content, generation } = object
  const observed = numberField(content, 'status', 'observedGeneration')
  if (observed === undefined || observed < 0) return waiting('the controller has not looked at it yet: does it run?')
  if (observed < generation) return UNSEEN
  const conditions = conditionsAt(content, 'status', 'conditions')
  const stalled = conditions.get('Stalled')
  if (stalled?.status === 'True') return failed(said(stalled))
  if (conditions.get('Paused')?.status === 'True') return { state: 'suspended', reason: 'it is paused' }
  const condition = conditions.get('Ready')
  if (condition === undefined) return waiting('the controller has not said yet how it is')
  return condition.status === 'True' ? ready : waiting(said(condition))
}

/** Reasons of the OpenStack resource controller that only a person ends. */
const terminal: ReadonlySet<string> = new Set(['InvalidConfiguration', 'UnrecoverableError'])

/** An Image of the OpenStack resource controller. */
export function imageReadiness(image: KubeObject): Readiness {
  if (image.isBeingDeleted) return DELETING
  const { content, generation } = image
  const conditions = conditionsAt(content, 'status', 'conditions')
  const progressing = conditions.get('Progressing')
  if (progressing?.status === 'False' && progressing.generation === generation && terminal.has(progressing.reason)) {
    return failed(said(progressing))
  }
  const available = conditions.get('Available')
  if (available === undefined) return waiting('its controller has not looked at it yet')
  if (available.generation !== generation) return UNSEEN
  if (available.status !== 'True') return waiting(said(available))
  return textField(content, 'status', 'id') === undefined ? waiting('it has no ID in the cloud yet') : ready
}

/** A condition as a server has it. */
interface LiveCondition {
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly generation: number | undefined
}

function conditionsAt(content: unknown, ...path: readonly string[]): ReadonlyMap<string, LiveCondition> {
  return new Map(
    listField(content, ...path).map((condition) => [
      textField(condition, 'type') ?? '',
      {
        status: textField(condition, 'status') ?? '',
        reason: textField(condition, 'reason') ?? '',
        message: textField(condition, 'message') ?? '',
        generation: numberField(condition, 'observedGeneration'),
      },
    ]),
  )
}

/** The text of a condition, in its own words. */
function said({ reason, message }: LiveCondition): string {
  return shortened(message) || reason || 'nothing says why'
}

/** A clause, and what the first of these conditions that is not true says. */
function withDetail(clause: string, conditions: ReadonlyMap<string, LiveCondition>, types: readonly string[]): string {
  for (const type of types) {
    const condition = conditions.get(type)
    if (condition !== undefined && (condition.message !== '' || condition.reason !== '')) {
      return `${clause}: ${said(condition)}`
    }
  }
  return clause
}

/** Conditions list one thing in a line. */
function shortened(message: string): string {
  const line = message
    .split('\n')
    .map((part) => part.trim().replace(/^\* /, ''))
    .filter((part) => part !== '')
    .join('; ')
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE)}…`
}
