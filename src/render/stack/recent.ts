/**
 * Remembers what was made of a text as long as there is room: a fleet has more clusters than memory, and what they have
 * in common comes again soon. What was asked for twice stays longer than what came once, so that a run of things that
 * are all different does not push it out.
 */
export class Recent<Result> {
  readonly #room: number
  readonly #once = new Half<Result>()
  readonly #again = new Half<Result>()

  /** `room` is the sum of the weights of what is kept; a part of it is for what was asked for once. */
  constructor(room: number) {
    this.#room = room
  }

  get(key: string): Result | undefined {
    const again = this.#again.take(key)
    const entry = again ?? this.#once.take(key)
    if (entry === undefined) return undefined
    this.#again.put(key, entry)
    this.#again.shrink(this.#room * (1 - FOR_ONCE))
    return entry.result
  }

  set(key: string, result: Result, weight = 1): void {
    this.#once.put(key, { result, weight })
    this.#once.shrink(this.#room * FOR_ONCE)
  }
}

const FOR_ONCE = 0.25

interface Entry<Result> {
  readonly result: Result
  readonly weight: number
}

/** Results that are dropped least recently used first: maps keep the order in which keys came. */
class Half<Result> {
  readonly #entries = new Map<string, Entry<Result>>()
  #weight = 0

  take(key: string): Entry<Result> | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#weight -= entry.weight
    return entry
  }

  put(key: string, entry: Entry<Result>): void {
    this.take(key)
    this.#entries.set(key, entry)
    this.#weight += entry.weight
  }

  /** The newest one stays, however heavy it is. */
  shrink(room: number): void {
    for (const key of this.#entries.keys()) {
      if (this.#weight <= room || this.#entries.size === 1) return
      this.take(key)
    }
  }
}
