import type { Clock } from '../../model/ports.ts'

/** Milliseconds that a server takes for an answer when it has too much to do. */
const SLOW_ANSWER = 1000
/** Milliseconds in which slow answers count once. */
const ONCE_IN = 1000
/** The share of what is asked for by which each quick answer makes it faster again. */
const RECOVERY = 0.01
/** Milliseconds by which requests may be late and catch up: timers are no finer. */
const SLACK = 100

/**
 * So many objects in a second at most; fewer while the server is slow or refuses. Halved by trouble, and a little
 * faster again with each quick answer.
 */
export class Pace {
  readonly #clock: Clock
  readonly #most: number
  #perSecond: number
  #next: number
  #slowedAt = -Infinity

  constructor(perSecond: number, clock: Clock) {
    this.#clock = clock
    this.#most = perSecond
    this.#perSecond = perSecond
    this.#next = clock.monotonic()
  }

  /** Objects in a second, as it is now. */
  get perSecond(): number {
    return this.#perSecond
  }

  /** Resolves when it is the caller's turn, or when the signal is aborted. */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic()
    const at = Math.max(this.#next, now - SLACK)
    this.#next = at + 1000 / this.#perSecond
    if (at > now) await this.#clock.sleep(at - now, signal)
  }

  /** An answer took so many milliseconds. */
  answered(took: number): void {
    if (took > SLOW_ANSWER) this.#slowDown()
    else this.#perSecond = Math.min(this.#most, this.#perSecond + this.#most * RECOVERY)
  }

  /** The server has too much to do, and wants to be left alone for so many milliseconds. */
  refused(pause: number): void {
    this.#slowDown()
    this.#next = Math.max(this.#next, this.#clock.monotonic() + pause)
  }

  #slowDown(): void {
    const now = this.#clock.monotonic()
    if (now - this.#slowedAt < ONCE_IN) return
    this.#slowedAt = now
    this.#perSecond = Math.max(Math.min(1, this.#most), this.#perSecond / 2)
  }
}
