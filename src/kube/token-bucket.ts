import type { Clock } from '../model/ports.ts'

/** Lets so many requests through each second, and some more at once after a pause. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  readonly #clock: Clock
  #tokens: number
  #filledAt: number

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }, clock: Clock) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#clock = clock
    this.#tokens = burst
    this.#filledAt = clock.monotonic()
  }

  /** Resolves when it is the caller's turn, in the order of the calls, or when the signal is aborted. */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond)
    this.#filledAt = now
    this.#tokens -= 1
    if (this.#tokens < 0) await this.#clock.sleep((-this.#tokens / this.#perSecond) * 1000, signal)
  }
}
