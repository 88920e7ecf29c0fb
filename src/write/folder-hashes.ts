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
  readonly #last = new Map<string, CompactList<Value>>()

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

  #likeLast(list: ReadonlyMap<string, Value>): CompactList<Value> {
    // no name holds one
    const key = [...list.keys()].join('/')
    const like = compact(key, list, this.#last.get(key))
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

/** A list in a form that takes little room: a map of its own takes ten times the room of its values. */
abstract class CompactList<Value extends string> implements ReadonlyMap<string, Value> {
  abstract readonly size: number

  /** In order. */
  abstract names(): readonly string[]

  /** In the order of the names. */
  abstract list(): readonly Value[]

  abstract get(name: string): Value | undefined

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  keys(): ArrayIterator<string> {
    return this.names().values()
  }

  values(): ArrayIterator<Value> {
    return this.list().values()
  }

  entries(): ArrayIterator<[string, Value]> {
    const names = this.names()
    return Array.from(this.list(), (value, index): [string, Value] => [names[index] ?? '', value]).values()
  }

  [Symbol.iterator](): ArrayIterator<[string, Value]> {
    return this.entries()
  }

  forEach(each: (value: Value, name: string, list: ReadonlyMap<string, Value>) => void): void {
    for (const [name, value] of this) each(value, name, this)
  }
}

/** A list that others are like. */
class NamedValues<Value extends string> extends CompactList<Value> {
  readonly named: Names
  readonly #values: readonly Value[]

  constructor(named: Names, values: readonly Value[]) {
    super()
    this.named = named
    this.#values = values
  }

  get size(): number {
    return this.#values.length
  }

  names(): readonly string[] {
    return this.named.list
  }

  list(): readonly Value[] {
    return this.#values
  }

  get(name: string): Value | undefined {
    const place = this.named.places.get(name)
    return place === undefined ? undefined : this.#values[place]
  }
}

/** A list that has the names of another one, and some of its values; it holds the others as one text. */
class ChangedValues<Value extends string> extends CompactList<Value> {
  readonly base: NamedValues<Value>
  readonly #own: string

  constructor(base: NamedValues<Value>, own: string) {
    super()
    this.base = base
    this.#own = own
  }

  get size(): number {
    return this.base.size
  }

  names(): readonly string[] {
    return this.base.names()
  }

  list(): readonly Value[] {
    const values = [...this.base.list()]
    for (const [index, value] of unpack(this.#own)) values[index] = value as Value
    return values
  }

  get(name: string): Value | undefined {
    const place = this.base.named.places.get(name)
    if (place !== undefined) for (const [index, value] of unpack(this.#own)) if (index === place) return value as Value
    return this.base.get(name)
  }
}

/** Of longer ones, to find a name would take too long. */
const FEW = 64

/** A short list whose names no other has: they are those of its cluster. */
class LoneValues<Value extends string> extends CompactList<Value> {
  /** Between slashes, which no name holds. */
  readonly #names: string
  readonly #values: string

  constructor(names: string, values: string) {
    super()
    this.#names = names
    this.#values = values
  }

  get size(): number {
    return this.#values.length / RECORD
  }

  names(): readonly string[] {
    return this.#names.split('/')
  }

  list(): readonly Value[] {
    return unpack(this.#values).map(([, value]) => value as Value)
  }

  get(name: string): Value | undefined {
    return findHash(this.#values, this.names().indexOf(name)) as Value | undefined
  }
}

/** A list that has one value at all names of another one. */
class SameValue<Value extends string> extends CompactList<Value> {
  readonly #other: ReadonlyMap<string, unknown>
  readonly #value: Value

  constructor(other: ReadonlyMap<string, unknown>, value: Value) {
    super()
    this.#other = other
    this.#value = value
  }

  get size(): number {
    return this.#other.size
  }

  names(): readonly string[] {
    return [...this.#other.keys()]
  }

  list(): readonly Value[] {
    return this.names().map(() => this.#value)
  }

  get(name: string): Value | undefined {
    return this.#other.has(name) ? this.#value : undefined
  }
}

/** The list as one value for all names of another list; undefined where it is anything else. */
export function withNamesOf<Value extends string>(
  list: ReadonlyMap<string, Value>,
  other: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, Value> | undefined {
  const [value, ...others] = new Set(list.values())
  const names = [...other.keys()]
  return value === undefined ||
    others.length > 0 ||
    names.length !== list.size ||
    [...list.keys()].some((name, index) => name !== names[index])
    ? undefined
    : new SameValue(other, value)
}

/** A list in the form that takes the least room; `key` is its names, and `last` another one that has them. */
function compact<Value extends string>(
  key: string,
  list: ReadonlyMap<string, Value>,
  last: CompactList<Value> | undefined,
): CompactList<Value> {
  const values = [...list.values()]
  if (last === undefined) {
    const packed = values.length > 0 && values.length <= FEW ? pack([...values.entries()]) : undefined
    return packed === undefined ? new NamedValues(namesOf([...list.keys()]), values) : new LoneValues(key, packed)
  }
  const base = baseFor(values, last)
  const packed = pack(changes(values, base.list()))
  return packed === undefined ? new NamedValues(base.named, values) : new ChangedValues(base, packed)
}

/** Those that follow may be more like the last one than like what that is like. */
function baseFor<Value extends string>(values: readonly Value[], last: CompactList<Value>): NamedValues<Value> {
  if (last instanceof NamedValues) return last
  const isLike = (other: readonly Value[]): boolean => changes(values, other).length <= values.length / 2
  return last instanceof ChangedValues && (isLike(last.base.list()) || !isLike(last.list()))
    ? last.base
    : new NamedValues(namesOf(last.names()), last.list())
}

function changes<Value>(values: readonly Value[], known: readonly Value[]): readonly (readonly [number, Value])[] {
  return [...values.entries()].filter(([index, value]) => value !== known[index])
}

const SHA256 = /^[0-9a-f]{64}$/
const BYTES = 32
/** The place, in two units, and the bytes of a hash: units of one byte, of which V8 makes a text with half the room. */
const RECORD = 2 + BYTES
/** Arguments of one call, of which an engine takes only so many. */
const MOST = 1000 * RECORD

/** Places and hashes as a text with a byte for each byte; undefined where a value is no sha256. */
function pack(items: readonly (readonly [number, string])[]): string | undefined {
  const units: number[] = []
  for (const [index, hash] of items) {
    if (!SHA256.test(hash) || index > 0xffff) return undefined
    units.push(index >> 8, index & 0xff)
    for (let at = 0; at < hash.length; at += 2) units.push(parseInt(hash.slice(at, at + 2), 16))
  }
  // at once: a text that grew would be kept as the parts that it grew by
  return units.length > MOST ? undefined : String.fromCharCode(...units)
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The place of a record of a packed text. */
function placeAt(packed: string, record: number): number {
  return (packed.charCodeAt(record * RECORD) << 8) | packed.charCodeAt(record * RECORD + 1)
}

function hashAt(packed: string, record: number): string {
  const bytes: string[] = []
  for (let at = record * RECORD + 2; at < (record + 1) * RECORD; at++) bytes.push(hex[packed.charCodeAt(at)] ?? '')
  return bytes.join('')
}

/** Places and hashes of a packed text, in order. */
function unpack(packed: string): readonly (readonly [number, string])[] {
  return Array.from({ length: packed.length / RECORD }, (_, record) => [
    placeAt(packed, record),
    hashAt(packed, record),
  ])
}

/** The hash at a place; undefined where the text has none there. */
function findHash(packed: string, place: number): string | undefined {
  for (let record = 0; record * RECORD < packed.length; record++)
    if (placeAt(packed, record) === place) return hashAt(packed, record)
  return undefined
}

function namesOf(list: readonly string[]): Names {
  return { list, places: new Map(list.map((name, index) => [name, index])) }
}

/** True if two lists are equal. */
export function isSameList(a: FolderHashes, b: FolderHashes): boolean {
  return a === b || (a.size === b.size && holdsList(a, b))
}

/** True if a list has all that another has. */
export function holdsList(list: FolderHashes, part: FolderHashes): boolean {
  // mostly they have the same names in the same order: to look for each would take longer
  const entries = [...list]
  return [...part].every(([name, hash], index) => {
    const [own, value] = entries[index] ?? []
    return (own === name ? value : list.get(name)) === hash
  })
}
