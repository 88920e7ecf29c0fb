import type { Clock, Random } from '../../model/ports.ts'
import { type BackoffTimes, backoffAfter, shareOf } from './backoff.ts'

/** The result of working on a key: it is done, or wants to be looked at again after so many milliseconds. */
export interface WorkResult {
  readonly again?: number
}

/** How a {@link KeyQueue} works. */
export interface KeyQueueOptions {
  readonly clock: Clock
  readonly random: Random
  /** Keys at the same time; each of them once. */
  readonly concurrency: number
  /** After failures of a key. */
  readonly backoff: BackoffTimes
  readonly work: (key: string) => Promise<WorkResult>
  /** Is told of what {@link KeyQueueOptions.work} threw, and when the key is tried again. */
  readonly onFailure: (key: string, error: unknown, pause: number) => void
  /** Milliseconds that a failure asks for, where that is longer than our own pause. */
  readonly askedPause?: (error: unknown) => number
  /** Is told how long a key has waited for its turn, milliseconds. */
  readonly onStart?: (waited: number) => void
}

/** A share by which waits differ, so that keys that were added together do not stay together. */
const JITTER = 0.1

/**
 * Keys that are to be worked on: each once, however often it was added, and never twice at the same time. One that is
 * added while it is worked on is worked on again.
 */
export class KeyQueue {
  readonly #options: KeyQueueOptions
  /** Keys that wait for their turn, in order, and since when. */
  readonly #waiting = new Map<string, number>()
  readonly #running = new Set<string>()
  /** Keys that were added while they were worked on. */
  readonly #again = new Set<string>()
  readonly #failures = new Map<string, number>()
  /** Keys that come back by themselves, and when. */
  readonly #due = new Map<string, number>()
  #isEnded = false
  #isOpen = false
  /** The one pause that lasts until the first key is due. */
  #alarm: { readonly at: number; readonly off: AbortController } | undefined
  #onIdle: (() => void) | undefined

  constructor(options: KeyQueueOptions) {
    this.#options = options
  }

  /** Keys that wait for their turn. */
  get depth(): number {
    return this.#waiting.size
  }

  /** Keys that are worked on. */
  get active(): number {
    return this.#running.size
  }

  /** Puts a key at the end, unless it waits already. */
  add(key: string): void {
    if (this.#isEnded) return
    this.#due.delete(key)
    if (this.#running.has(key)) this.#again.add(key)
    else if (!this.#waiting.has(key)) this.#waiting.set(key, this.#options.clock.monotonic())
    this.#start()
  }

  /** Adds a key after so many milliseconds, unless it is added before. */
  addAfter(key: string, pause: number): void {
    const at = this.#options.clock.monotonic() + pause
    if (this.#isEnded || (this.#due.get(key) ?? Infinity) <= at) return
    this.#due.set(key, at)
    this.#wakeAt(at)
  }

  /** Works on keys until the signal is aborted; resolves when the last one that was begun has come to its end. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isOpen = true
    const stop = (): void => {
      this.#isOpen = false
      this.#waiting.clear()
      this.#due.clear()
      this.#isEnded = true
      this.#alarm?.off.abort()
      if (this.#running.size === 0) this.#onIdle?.()
    }
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      else this.#start()
    })
  }

  #wakeAt(at: number): void {
    const { clock } = this.#options
    if (this.#alarm !== undefined && this.#alarm.at <= at) return
    this.#alarm?.off.abort()
    const alarm = { at, off: new AbortController() }
    this.#alarm = alarm
    void clock.sleep(at - clock.monotonic(), alarm.off.signal).then(() => {
      if (this.#alarm === alarm && !this.#isEnded) this.#wake(at)
    })
  }

  #wake(at: number): void {
    this.#alarm = undefined
    // timers may be early by a part of a millisecond
    const now = Math.max(this.#options.clock.monotonic(), at)
    for (const [key, due] of this.#due) if (due <= now) this.add(key)
    const next = [...this.#due.values()].reduce((first, due) => Math.min(first, due), Infinity)
    if (next < Infinity) this.#wakeAt(next)
  }

  #start(): void {
    const { clock, concurrency, onStart } = this.#options
    while (this.#isOpen && this.#running.size < concurrency) {
      const [next] = this.#waiting
      if (next === undefined) return
      const [key, since] = next
      this.#waiting.delete(key)
      this.#running.add(key)
      onStart?.(clock.monotonic() - since)
      void this.#work(key)
    }
  }

  async #work(key: string): Promise<void> {
    const { work, onFailure, askedPause, backoff, random } = this.#options
    try {
      const { again } = await work(key)
      this.#failures.delete(key)
      this.#end(key, again === undefined ? undefined : again * (1 + JITTER * (2 * shareOf(random) - 1)))
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1
      this.#failures.set(key, failures)
      // never at once: a key that always fails would keep the server busy
      const own = backoff.first / 2 + backoffAfter(failures, backoff, random)
      const pause = Math.max(own, askedPause?.(error) ?? 0)
      onFailure(key, error, pause)
      this.#end(key, pause)
    }
  }

  #end(key: string, pause: number | undefined): void {
    this.#running.delete(key)
    const isAdded = this.#again.delete(key)
    if (!this.#isOpen) {
      if (this.#running.size === 0) this.#onIdle?.()
      return
    }
    if (isAdded && !this.#failures.has(key)) this.add(key)
    else if (pause !== undefined) this.addAfter(key, pause)
    this.#start()
  }
}
