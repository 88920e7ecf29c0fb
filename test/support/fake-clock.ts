import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/model/ports.ts'

interface Sleeper {
  readonly until: number
  readonly duration: number
  readonly wake: () => void
}

/** A clock that moves when it is told to. */
export class FakeClock implements Clock {
  #now = 1000
  #sleepers: Sleeper[] = []
  /** All durations that were slept, in order. */
  readonly slept: number[] = []

  readonly monotonic = (): number => this.#now
  readonly now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5) + this.#now

  readonly sleep = (duration: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve()
        return
      }
      this.slept.push(duration)
      const leave = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const sleeper: Sleeper = { until: this.#now + duration, duration, wake: leave }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', leave)
    })

  /** How long those sleep who sleep now, shortest first. */
  get sleeping(): readonly number[] {
    return this.#sleepers.map(({ duration }) => duration).toSorted((a, b) => a - b)
  }

  /** Moves on, waking each sleeper at its time. */
  async advance(duration: number): Promise<void> {
    const end = this.#now + duration
    for (;;) {
      const next = this.#sleepers.toSorted((a, b) => a.until - b.until)[0]
      if (next === undefined || next.until > end) break
      this.#now = Math.max(this.#now, next.until)
      next.wake()
      await settled()
    }
    this.#now = end
    await settled()
  }
}

/** Lets what is ready to run do so. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}

const MOST_TURNS = 200_000

/** Waits for what comes over real sockets, however long that takes. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > MOST_TURNS) throw new Error(`never: ${what}`)
    await setImmediate()
  }
}
