import type { MetricLabels, MetricStore } from '../../model/metrics.ts'
import { fieldAt, listField, numberField, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { Reflector } from '../watching/reflector.ts'
import type { WorkedKind } from '../worked-kinds.ts'
import type { MetricName } from './metric-table.ts'

/** A kind that is worked on, as metrics see it. */
export interface CountedKind {
  readonly kind: WorkedKind
  readonly concurrency: number
  /** Objects that wait for a pass, and those under way. */
  readonly queue: { readonly depth: number; readonly active: number }
  readonly objects: () => readonly KubeObject[]
}

/** When a certificate ends, and whether the controller renews it in time. */
export interface CountedCertificate {
  /** Milliseconds since 1970. */
  readonly notAfter: number
  readonly isRenewable: boolean
}

const renewers = ['controller', 'nobody'] as const

/** How a pass ended. */
export type PassResult = 'success' | 'requeue_after' | 'error'

const states = ['ready', 'waiting', 'stalled', 'paused'] as const

/** Counts what the controller does; without a store, nothing. No label holds the name of an object or a namespace. */
export class ControllerMetrics {
  readonly #store: MetricStore | undefined
  readonly #kinds: CountedKind[] = []
  readonly #watches = new Set<Pick<Reflector, 'target' | 'silence'>>()
  /** Of which the silence was told. */
  #watched: readonly string[] = []
  /** When the first certificate of each object ends. */
  readonly #expiries: Readonly<Record<(typeof renewers)[number], Map<string, number>>> = {
    controller: new Map(),
    nobody: new Map(),
  }

  constructor(store: MetricStore | undefined, version: string) {
    this.#store = store
    this.#set('stackmason_build_info', { version }, 1)
  }

  /** A pass has ended after so many milliseconds. */
  passed(kind: WorkedKind, result: PassResult, took: number): void {
    const controller = nameOf(kind)
    this.#add('controller_runtime_reconcile_total', { controller, result })
    if (result === 'error') this.#add('controller_runtime_reconcile_errors_total', { controller })
    this.#observe('controller_runtime_reconcile_time_seconds', { controller }, took / 1000)
  }

  /** A pass begins over an object that has waited for so many milliseconds. */
  began(kind: WorkedKind, waited: number): void {
    this.#observe('workqueue_queue_duration_seconds', { name: nameOf(kind) }, waited / 1000)
  }

  /** Something was to be written. */
  wrote(kind: WorkedKind, object: string, result: 'written' | 'unchanged'): void {
    const labels = { controller: nameOf(kind), object, result: result === 'written' ? 'written' : 'noop_skipped' }
    this.#add('stackmason_writes_total', labels)
  }

  /** An object has these certificates now: none, once it is gone. */
  certified(kind: WorkedKind, name: string, certificates: readonly CountedCertificate[]): void {
    const key = `${kind} ${name}`
    for (const renewer of renewers) {
      const ends = certificates.flatMap(({ notAfter, isRenewable }) =>
        isRenewable === (renewer === 'controller') ? [notAfter] : [],
      )
      if (ends.length === 0) this.#expiries[renewer].delete(key)
      else this.#expiries[renewer].set(key, Math.min(...ends))
    }
  }

  /** The way to count requests to a server; status 0 is no answer. */
  requestsTo(host: string): (method: string, status: number) => void {
    return (method, status) => {
      this.#add('rest_client_requests_total', { code: status === 0 ? '<error>' : String(status), method, host })
    }
  }

  /** The lease was taken, or is no longer held. */
  led(lease: string, isLeading: boolean): void {
    this.#set('leader_election_master_status', { name: lease }, isLeading ? 1 : 0)
  }

  /** A list or a watch has failed. */
  watchFailed(resource: string): void {
    this.#add('stackmason_watch_failures_total', { resource })
  }

  /** Tells of a kind from now on. */
  follow(kind: CountedKind): void {
    this.#kinds.push(kind)
    this.#set('controller_runtime_max_concurrent_reconciles', { controller: nameOf(kind.kind) }, kind.concurrency)
  }

  /** Tells of a watch from now on. */
  followWatch(watch: Pick<Reflector, 'target' | 'silence'>): void {
    this.#watches.add(watch)
  }

  /** The watch was stopped. */
  leaveWatch(watch: Pick<Reflector, 'target' | 'silence'>): void {
    this.#watches.delete(watch)
  }

  /** All of it as it is now. */
  async text(): Promise<string> {
    for (const { kind, queue, objects } of this.#kinds) {
      const controller = nameOf(kind)
      this.#set('workqueue_depth', { name: controller }, queue.depth)
      this.#set('controller_runtime_active_workers', { controller }, queue.active)
      const found = objects().map(stateOf)
      for (const state of states) {
        this.#set('stackmason_objects', { controller, state }, found.filter((one) => one === state).length)
      }
    }
    const silences = new Map<string, number>()
    for (const { target, silence } of this.#watches) {
      const { plural } = target.resource
      silences.set(plural, Math.max(silence, silences.get(plural) ?? 0))
    }
    for (const resource of this.#watched) {
      if (!silences.has(resource)) this.#store?.remove('stackmason_watch_silence_seconds', { resource })
    }
    this.#watched = [...silences.keys()]
    for (const [resource, silence] of silences) {
      this.#set('stackmason_watch_silence_seconds', { resource }, silence / 1000)
    }
    for (const renewer of renewers) {
      const first = [...this.#expiries[renewer].values()].reduce((one, other) => Math.min(one, other), Infinity)
      const labels = { renewed_by: renewer }
      if (first === Infinity) this.#store?.remove('stackmason_certificate_expiry_timestamp_seconds', labels)
      else this.#set('stackmason_certificate_expiry_timestamp_seconds', labels, first / 1000)
    }
    return (await this.#store?.text()) ?? ''
  }

  #add(name: MetricName, labels: MetricLabels): void {
    this.#store?.add(name, labels)
  }

  #set(name: MetricName, labels: MetricLabels, value: number): void {
    this.#store?.set(name, labels, value)
  }

  #observe(name: MetricName, labels: MetricLabels, value: number): void {
    this.#store?.observe(name, labels, value)
  }
}

function nameOf(kind: WorkedKind): string {
  return kind.toLowerCase()
}

/** The state of an object by its status; unknown where that is of an earlier generation. */
function stateOf({ content, generation }: KubeObject): (typeof states)[number] {
  const conditions = listField(fieldAt(content, 'status'), 'conditions')
  const isTrue = (type: string): boolean =>
    conditions.some(
      (condition) =>
        textField(condition, 'type') === type &&
        textField(condition, 'status') === 'True' &&
        numberField(condition, 'observedGeneration') === generation,
    )
  if (isTrue('Paused')) return 'paused'
  if (isTrue('Stalled')) return 'stalled'
  return isTrue('Ready') ? 'ready' : 'waiting'
}
