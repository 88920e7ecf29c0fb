import { ApiError, isRefusal } from '../kube/api-error.ts'
import { HttpError } from '../model/http.ts'
import type { Clock } from '../model/ports.ts'
import { type Log, type LogFields, messageOf } from './log.ts'

/** The options of a {@link Trouble}. */
export interface TroubleOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Says what does not work. */
  readonly message: string
  /** The same where the server does not know it (404). */
  readonly whenUnknown?: string
  /** Says that it works again. */
  readonly works: string
  /** Which one. */
  readonly fields: LogFields
}

/**
 * Milliseconds for which something may fail before anybody has to know: a server that is started anew is no trouble.
 */
const BEARABLE = 30_000
/** Milliseconds in which the same failure is no news, though it worked in between. */
const SAME = 5 * 60_000

interface State {
  readonly why: string
  /** Since when it has failed each time. */
  since: number
  failedAt: number
  /** The logged state; `over`: also that it works again. */
  told: 'nothing' | 'warning' | 'error' | 'over'
  /** A refusal does not pass by itself. */
  readonly isRefusal: boolean
}

/** A failing task of the controller, with the reason. The log has one line for each state, not for each try. */
export class Trouble {
  readonly #options: TroubleOptions
  #state: State | undefined
  #isOver = true

  constructor(options: TroubleOptions) {
    this.#options = options
  }

  /** Why it does not work, where it has not for a while, or is refused; in words of ours alone. */
  get why(): string | undefined {
    const state = this.#isOver ? undefined : this.#state
    return state !== undefined && this.#isSerious(state) ? state.why : undefined
  }

  /** Why the last try failed; undefined where it did not. */
  get last(): string | undefined {
    return this.#isOver ? undefined : this.#state?.why
  }

  /** It was tried, and failed. */
  failed(error: unknown): void {
    const state = this.#enter(error)
    const { log, message, whenUnknown = message, fields } = this.#options
    const line = isRefusal(error, 404) ? whenUnknown : message
    if (this.#isSerious(state) && (state.told === 'nothing' || state.told === 'warning')) {
      log.error(line, { ...fields, error: messageOf(error) })
      state.told = 'error'
    } else if (state.told === 'nothing') {
      log.warn(line, { ...fields, error: messageOf(error) })
      state.told = 'warning'
    }
  }

  /** It was tried, and worked. */
  passed(): void {
    const { log, works, fields } = this.#options
    if (this.#isOver) return
    this.#isOver = true
    if (this.#state === undefined || this.#state.told === 'over') return
    this.#state.told = 'over'
    log.info(works, fields)
  }

  #enter(error: unknown): State {
    const now = this.#options.clock.monotonic()
    const why = whyOf(error)
    const before = this.#state
    const wasOver = this.#isOver
    this.#isOver = false
    if (before?.why === why && now - before.failedAt < SAME) {
      before.failedAt = now
      if (wasOver) before.since = now
      return before
    }
    const isLasting = [401, 403, 404].some((status) => isRefusal(error, status))
    this.#state = { why, since: now, failedAt: now, told: 'nothing', isRefusal: isLasting }
    return this.#state
  }

  #isSerious({ isRefusal: isLasting, since }: State): boolean {
    return isLasting || this.#options.clock.monotonic() - since >= BEARABLE
  }
}

/** Words of others may repeat what is nobody's business who may ask how we are. */
function whyOf(error: unknown): string {
  if (error instanceof ApiError) {
    const { status } = error
    if (status === 401) return 'the API server does not accept our credentials (401)'
    if (status === 403) return 'the API server does not allow it (403)'
    if (status === 404) return 'the API server does not know it (404)'
    return `the API server answers with status ${String(status)}`
  }
  if (error instanceof HttpError) return `the API server does not answer (${error.reason})`
  return 'the API server answers with something that is not understood'
}
