import type { Clock } from '../../model/ports.ts'
import { ApiError, isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, numberField, textField } from '../../kube/json-field.ts'
import { type KubeObject, readKubeObject } from '../../kube/kube-object.ts'
import { formatMicroTime } from '../objects/event-recorder.ts'
import { readObject } from '../../kube/read-object.ts'
import { collectionPath, objectPath, type Resource } from '../../kube/resource.ts'

/** How long a lease holds. Milliseconds. */
export interface LeaseTimes {
  /** A holder that does not renew it for so long has lost it. */
  readonly duration: number
  /** A holder that could not renew it for so long stops by itself: well before others may begin. */
  readonly renewWithin: number
  /** Between two tries. */
  readonly retryEvery: number
}

/** Who wants to lead, and where that is agreed on. */
export interface LeaseOptions {
  readonly api: ApiServer
  readonly clock: Clock
  readonly namespace: string
  readonly name: string
  /** Nobody else's, not even that of an earlier run in the same place. */
  readonly identity: string
  readonly times: LeaseTimes
  readonly onFailure: (error: unknown) => void
  /** The server has said who holds it, or let us take it. */
  readonly onAnswer: () => void
  readonly onLeading: (isLeading: boolean) => void
}

/** We led, and can no longer be sure that nobody else does. */
export class LeaseLostError extends Error {
  constructor() {
    super('the lease could not be renewed in time; another instance may lead now')
    this.name = 'LeaseLostError'
  }
}

const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases' }

/** The lease at its last change that we saw, and the time by our own clock: those of others are not to be trusted. */
interface Observed {
  readonly record: string
  readonly at: number
}

/** Agrees with others on who works, by a Lease of the API server. */
export class LeaseElection {
  readonly #options: LeaseOptions
  #observed: Observed | undefined
  /** By our own clock, when the try began that renewed it last. */
  #renewedAt = -Infinity

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /**
   * Makes sure that nobody else can lead now. A process that was frozen comes here before its timers have told of the
   * time that went by.
   * @throws LeaseLostError
   */
  assertLeading(): void {
    const { clock, times } = this.#options
    if (clock.monotonic() - this.#renewedAt >= times.renewWithin) throw new LeaseLostError()
  }

  /**
   * Waits until the lease is ours, then runs `work` until it ends; its signal is aborted when `signal` is, or when the
   * lease is lost. Gives the lease back at the end.
   * @throws LeaseLostError, or what `work` throws
   */
  async lead(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, times, onLeading } = this.#options
    while (!(await this.#tryOnce(signal))) {
      if (signal.aborted) return
      await clock.sleep(times.retryEvery, signal)
      if (signal.aborted) return
    }
    const ended = new AbortController()
    const lost = new AbortController()
    onLeading(true)
    const renewal = this.#renew(ended.signal, lost)
    try {
      await work(AbortSignal.any([signal, lost.signal]))
    } finally {
      ended.abort()
      await renewal
      onLeading(false)
      if (!lost.signal.aborted) await this.#release()
    }
    if (lost.signal.aborted) throw new LeaseLostError()
  }

  /** Renews the lease until it ends; where that fails for too long, it is lost. */
  async #renew(ended: AbortSignal, lost: AbortController): Promise<void> {
    const { clock, times } = this.#options
    while (!ended.aborted) {
      await clock.sleep(times.retryEvery, ended)
      if (ended.aborted) return
      const left = this.#renewedAt + times.renewWithin - clock.monotonic()
      const tooLate = new AbortController()
      const timer = new AbortController()
      void clock.sleep(left, timer.signal).then(() => {
        tooLate.abort()
      })
      if (left > 0) await this.#tryOnce(AbortSignal.any([ended, tooLate.signal]))
      timer.abort()
      if (!ended.aborted && clock.monotonic() - this.#renewedAt >= times.renewWithin) {
        lost.abort(new LeaseLostError())
        return
      }
    }
  }

  /** Takes or renews the lease where that is possible; false where it is another's, or the server does not answer. */
  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const { api, clock, onFailure, onAnswer } = this.#options
    const startedAt = clock.monotonic()
    try {
      const lease = await readObject(api, { resource: leases, key: this.#options }, signal)
      const isOurs = lease === undefined ? await this.#create(signal) : await this.#take(lease, signal)
      if (isOurs) this.#renewedAt = startedAt
      onAnswer()
      return isOurs
    } catch (error) {
      // somebody was faster
      if (error instanceof ApiError && error.status === 409) {
        onAnswer()
        return false
      }
      if (!signal.aborted) onFailure(error)
      return false
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { api, clock, namespace, name } = this.#options
    const now = formatMicroTime(clock.now())
    const spec = { ...this.#claim(), acquireTime: now, renewTime: now, leaseTransitions: 0 }
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec }
    await api.send({ method: 'POST', path: collectionPath(leases, namespace), body }, signal)
    return true
  }

  async #take(lease: KubeObject, signal: AbortSignal): Promise<boolean> {
    const { api, clock, identity, times } = this.#options
    const holder = textField(lease.content, 'spec', 'holderIdentity') ?? ''
    const isOurs = holder === identity
    if (!isOurs && holder !== '') {
      const record = JSON.stringify(fieldAt(lease.content, 'spec'))
      if (this.#observed?.record !== record) this.#observed = { record, at: clock.monotonic() }
      const holds = Math.max(times.duration, (numberField(lease.content, 'spec', 'leaseDurationSeconds') ?? 0) * 1000)
      if (clock.monotonic() - this.#observed.at < holds) return false
    }
    const now = formatMicroTime(clock.now())
    const transitions = numberField(lease.content, 'spec', 'leaseTransitions') ?? 0
    const acquireTime = isOurs ? (textField(lease.content, 'spec', 'acquireTime') ?? now) : now
    const spec = { ...this.#claim(), acquireTime, renewTime: now, leaseTransitions: transitions + (isOurs ? 0 : 1) }
    // with its version: where somebody else has taken it meanwhile, the server refuses
    const body = { ...lease.content, spec }
    return (
      readKubeObject(await api.send({ method: 'PUT', path: objectPath(leases, lease), body }, signal)) !== undefined
    )
  }

  #claim(): object {
    const { identity, times } = this.#options
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(times.duration / 1000) }
  }

  /** Lets the next one begin at once. */
  async #release(): Promise<void> {
    const { api, clock, identity, times, onFailure } = this.#options
    const tooLate = new AbortController()
    const timer = new AbortController()
    void clock.sleep(times.retryEvery, timer.signal).then(() => {
      tooLate.abort()
    })
    try {
      const lease = await readObject(api, { resource: leases, key: this.#options }, tooLate.signal)
      if (lease === undefined || textField(lease.content, 'spec', 'holderIdentity') !== identity) return
      const stored = fieldAt(lease.content, 'spec')
      const spec = { ...(typeof stored === 'object' ? stored : {}), holderIdentity: '', leaseDurationSeconds: 1 }
      await api.send(
        { method: 'PUT', path: objectPath(leases, lease), body: { ...lease.content, spec } },
        tooLate.signal,
      )
    } catch (error) {
      if (!isRefusal(error, 409)) onFailure(error)
    } finally {
      timer.abort()
    }
  }
}
