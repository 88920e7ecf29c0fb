import type { Crypto } from '../model/ports.ts'
import { sha256 } from './sha256.ts'

/** sha256 of files of one folder, by name. */
export type FolderHashes = ReadonlyMap<string, string>

/** No files. */
export const noHashes: FolderHashes = new Map()

/** As many lists as clusters have folders that are alike. */
const ROOM = 256

/** Names in order, and where each stands. */
interface Names {
  readonly list: readonly string[]
  readonly places: ReadonlyMap<string, number>
}

/**
 * Keeps one of lists that are equal: most clusters have the same addons, so that a list of a fleet is mostly short. Of
 * others it keeps the names once, and each value that the one before has at the same name.
 */
export class SharedLists<Value extends string> {
  readonly #crypto: Crypto
  readonly #known = new Map<string, ReadonlyMap<string, Value>>()
  /** The last list with the same names, by these. */
  readonly #last = new Map<string, NamedValues<Value>>()

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** The list, or one that is equal and was asked for before. */
  share(list: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
    const key = sha256(Array.from(list, ([name, value]) => `${value} ${name}\n`).join(''), this.#crypto)
    const shared = this.#known.get(key) ?? this.#likeLast(list)
    putLast(this.#known, key, shared)
    return shared
  }

  #likeLast(list: ReadonlyMap<string, Value>): NamedValues<Value> {
    // no name holds one
    const key = [...list.keys()].join('/')
    const like = new NamedValues(list, this.#last.get(key))
    putLast(this.#last, key, like)
    return like
  }
}

function putLast<Item>(items: Map<string, Item>, key: string, item: Item): void {
  items.delete(key)
  items.set(key, item)
  const [oldest] = items.keys()
  if (items.size > ROOM && oldest !== undefined) items.delete(oldest)
}

/** A list whose names many others have: a map of its own takes ten times the room of its values. */
class NamedValues<Value> implements ReadonlyMap<string, Value> {
  readonly #names: Names
  readonly #values: readonly Value[]

  /** The same as a list; `other` has the same names, and what both have is kept once. */
  constructor(list: ReadonlyMap<string, Value>, other: NamedValues<Value> | undefined) {
    this.#names = other === undefined ? namesOf(list) : other.#names
    const known = other === undefined ? [] : other.#values
    this.#values = Array.from(list.values(), (value, index) => {
      const before = known[index]
      // an equal text may be another object
      return before !== undefined && before === value ? before : value
    })
  }

  get size(): number {
    return this.#values.length
  }

  get(name: string): Value | undefined {
    const index = this.#names.places.get(name)
    return index === undefined ? undefined : this.#values[index]
  }

  has(name: string): boolean {
    return this.#names.places.has(name)
  }

  keys(): ArrayIterator<string> {
    return this.#names.list.values()
  }

  values(): ArrayIterator<Value> {
    return this.#values.values()
  }

  entries(): ArrayIterator<[string, Value]> {
    const { list } = this.#names
    return Array.from(this.#values, (value, index): [string, Value] => [list[index] ?? '', value]).values()
  }

  [Symbol.iterator](): ArrayIterator<[string, Value]> {
    return this.entries()
  }

  forEach(each: (value: Value, name: string, list: ReadonlyMap<string, Value>) => void): void {
    for (const [name, value] of this) each(value, name, this)
  }
}

function namesOf(map: ReadonlyMap<string, unknown>): Names {
  const list = [...map.keys()]
  return { list, places: new Map(list.map((name, index) => [name, index])) }
}

/** True if two lists are equal. */
export function isSameList(a: FolderHashes, b: FolderHashes): boolean {
  return a === b || (a.size === b.size && [...a].every(([name, hash]) => b.get(name) === hash))
}
