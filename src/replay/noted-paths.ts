import { SIGNATURE_LENGTH } from '../model/ports.ts'
import type { ObservedPath } from './observations.ts'

/** Signatures that are kept together. */
const CHUNK = 1024

/** Keeps signatures side by side: a list of numbers by itself takes five times the room of its numbers. */
export class NotedPaths {
  readonly #chunks: Float64Array[] = []
  #count = 0

  /** Notes a path that was looked at. */
  add(signature: Float64Array): ObservedPath {
    const [chunk, at] = placeOf(this.#count++)
    const numbers = this.#chunks[chunk] ?? new Float64Array(CHUNK * SIGNATURE_LENGTH)
    this.#chunks[chunk] = numbers
    numbers.set(signature, at)
    return new NotedPath(numbers, at)
  }
}

function placeOf(index: number): readonly [chunk: number, at: number] {
  return [Math.floor(index / CHUNK), (index % CHUNK) * SIGNATURE_LENGTH]
}

class NotedPath implements ObservedPath {
  readonly #numbers: Float64Array
  readonly #at: number
  digest?: string
  isRead = false

  constructor(numbers: Float64Array, at: number) {
    this.#numbers = numbers
    this.#at = at
  }

  get signature(): Float64Array {
    return this.#numbers.subarray(this.#at, this.#at + SIGNATURE_LENGTH)
  }
}
