import type { Crypto } from '../model/ports.ts'
import { sha256 } from './sha256.ts'

/** sha256 of files of one folder, by name. */
export type FolderHashes = ReadonlyMap<string, string>

/** No files. */
export const noHashes: FolderHashes = new Map()

/** As many lists as clusters have folders that are alike. */
const ROOM = 256

/** Keeps one of lists that are equal: most clusters have the same addons, so that a list of a fleet is mostly short. */
export class SharedLists<Value extends string> {
  readonly #crypto: Crypto
  readonly #known = new Map<string, ReadonlyMap<string, Value>>()

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** The list, or one that is equal and was asked for before. */
  share(list: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
    const key = sha256(Array.from(list, ([name, value]) => `${value} ${name}\n`).join(''), this.#crypto)
    const shared = this.#known.get(key) ?? list
    this.#known.delete(key)
    this.#known.set(key, shared)
    const [oldest] = this.#known.keys()
    if (this.#known.size > ROOM && oldest !== undefined) this.#known.delete(oldest)
    return shared
  }
}

/** True if two lists are equal. */
export function isSameList(a: FolderHashes, b: FolderHashes): boolean {
  return a === b || (a.size === b.size && [...a].every(([name, hash]) => b.get(name) === hash))
}
