import type { Log } from '../log.ts'
import type { Condition } from './conditions.ts'

/** The present state of an object, and its start. */
export interface ObjectState {
  readonly conditions: readonly Condition[]
  /** Since when it is ready, or is not; a time of the API server, empty where it is not known. */
  readonly since: string
  /** Readiness, as the object said before this pass; undefined: it said nothing. */
  readonly before: { readonly status: string } | undefined
}

/**
 * Tells the log of objects when what is said of them changes: why one is not ready also when this process sees it
 * first, that one is ready only when it was not before.
 */
export class StateLog {
  readonly #log: Pick<Log, 'info' | 'warn'>
  readonly #kind: string
  /** The last logged state of each object. */
  readonly #told = new Map<string, string>()

  constructor(kind: string, log: Pick<Log, 'info' | 'warn'>) {
    this.#kind = kind
    this.#log = log
  }

  /** An object is so. */
  state(key: string, { conditions, since, before }: ObjectState): void {
    const ready = conditions.find(({ type }) => type === 'Ready')
    if (ready === undefined || !this.#isNew(key, `${ready.status} ${ready.reason}`)) return
    const { status, reason, message } = ready
    const kind = this.#kind
    if (status === 'True') {
      if (before?.status !== 'True') this.#log.info('ready', { kind, key })
      return
    }
    const fields = { kind, key, reason, message, ...(since !== '' && { since }) }
    if (conditions.some(({ type }) => type === 'Stalled')) this.#log.warn('a person has to act', fields)
    else this.#log.info('waits', fields)
  }

  /** An object is left as it is. */
  paused(key: string, message: string): void {
    if (this.#isNew(key, 'paused')) this.#log.info('paused', { kind: this.#kind, key, message })
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#told.delete(key)
  }

  #isNew(key: string, state: string): boolean {
    if (this.#told.get(key) === state) return false
    this.#told.set(key, state)
    return true
  }
}
