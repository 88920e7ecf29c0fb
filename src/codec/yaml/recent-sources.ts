import type { Source } from '../../model/source.ts'

/** Length of the texts that are remembered together: enough for one cluster and all that stands above it. */
const ROOM = 1_000_000
/** Each counts for so much besides its length: parsed, a short one takes many times as much as it has. */
const EACH = 2000

/**
 * Remembers what was made of the sources that were asked for last. A fleet has more files than should stay in memory
 * parsed, and what asks for one place of a file soon asks for another one.
 */
export class RecentSources<Result> {
  readonly #results = new Map<Source, Result>()
  #length = 0

  /** The result for a source, made if it is not known. */
  get(source: Source, make: () => Result): Result {
    const isKnown = this.#results.has(source)
    const result = this.#results.get(source) ?? make()
    // maps keep the order in which keys came
    this.#results.delete(source)
    this.#results.set(source, result)
    if (!isKnown) this.#shrink(source)
    return result
  }

  /** The newest one stays, however long it is. */
  #shrink(newest: Source): void {
    this.#length += newest.text.length + EACH
    for (const oldest of this.#results.keys()) {
      if (this.#length <= ROOM || oldest === newest) return
      this.#results.delete(oldest)
      this.#length -= oldest.text.length + EACH
    }
  }
}
