import type { SortedPaths } from './sorted-paths.ts'

/**
 * Hashes of what was read of the paths of a record whose signature shows no change that was made at once. Right after
 * all files were written that is every path; most of them hold what others hold, too.
 */
export interface YoungPaths {
  /** For each path the number of its hash; 0 where the signature tells enough. */
  readonly numbers: Uint32Array
  /** The hashes by their numbers, the first one being 1. */
  readonly digests: readonly string[]
}

/** The hash of what was read at the path of an index; undefined where the signature tells enough. */
export function youngAt({ numbers, digests }: YoungPaths, index: number): string | undefined {
  return digests[(numbers[index] ?? 0) - 1]
}

/** Each young path with its hash. */
export function* youngPaths({
  paths,
  young,
}: {
  readonly paths: SortedPaths
  readonly young: YoungPaths
}): Generator<readonly [path: string, digest: string]> {
  for (let index = 0; index < young.numbers.length; index++) {
    const digest = youngAt(young, index)
    if (digest !== undefined) yield [paths.at(index), digest]
  }
}

/** Takes the hashes of at most `most` paths in their order. */
export class YoungInOrder {
  readonly #numbers: Uint32Array
  readonly #known = new Map<string, number>()
  #length = 0

  constructor(most: number) {
    this.#numbers = new Uint32Array(most)
  }

  add(digest: string | undefined): void {
    const number = digest === undefined ? 0 : (this.#known.get(digest) ?? this.#known.size + 1)
    if (digest !== undefined) this.#known.set(digest, number)
    this.#numbers[this.#length++] = number
  }

  end(): YoungPaths {
    return { numbers: this.#numbers.slice(0, this.#length), digests: [...this.#known.keys()] }
  }
}
