import type { Clock } from '../../model/ports.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { collectionPath, type Resource } from '../../kube/resource.ts'

/** Something that people may want to know of an object. */
export interface EventNote {
  readonly regarding: KubeObject
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  /** Our action, one word. */
  readonly action: string
  readonly note: string
}

/** Who tells. */
export interface EventRecorderOptions {
  readonly api: ApiServer
  readonly clock: Clock
  readonly controller: string
  /** Which of several that run. */
  readonly instance: string
  readonly onFailure: (error: unknown) => void
}

/** Milliseconds in which the same is told once. */
const ONCE_IN = 10 * 60_000
const LONGEST_NOTE = 1024
const MOST_REMEMBERED = 4096

const events: Resource = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events' }

/** Tells of objects by events of the API server, each once in a while. */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  /** When what was told last, oldest first. */
  readonly #told = new Map<string, number>()

  constructor(options: EventRecorderOptions) {
    this.#options = options
  }

  /** Tells it, unless that was done a moment ago. Never throws: that nobody can be told is no reason to stop. */
  async tell({ regarding, type, reason, action, note }: EventNote, signal: AbortSignal): Promise<void> {
    const { api, clock, controller, instance, onFailure } = this.#options
    if (!this.#isNew(JSON.stringify([regarding.uid, reason, note]))) return
    const { apiVersion, kind, name, namespace, uid, resourceVersion } = regarding
    const time = clock.now()
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, generateName: `${name.slice(0, 200)}-` },
      eventTime: formatMicroTime(time),
      type,
      reason,
      action,
      note: note.slice(0, LONGEST_NOTE),
      reportingController: controller,
      reportingInstance: instance,
      regarding: { apiVersion, kind, name, namespace, uid, resourceVersion },
    }
    try {
      await api.send({ method: 'POST', path: collectionPath(events, namespace), body }, signal)
    } catch (error) {
      onFailure(error)
    }
  }

  #isNew(key: string): boolean {
    const now = this.#options.clock.monotonic()
    const last = this.#told.get(key)
    if (last !== undefined && now - last < ONCE_IN) return false
    this.#told.delete(key)
    this.#told.set(key, now)
    const [oldest] = this.#told.keys()
    if (this.#told.size > MOST_REMEMBERED && oldest !== undefined) this.#told.delete(oldest)
    return true
  }
}

/** A time as events and leases have it. */
export function formatMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z')
}
