import { compareBytes } from './text/text-order.ts'
import { Dict, elementType, GoBytes, GoInt, type IntKind, typedList, type Value } from '../model/value.ts'
import { decodeBase64, encodeBase64 } from './bytes/base64.ts'

type Item = string | number | boolean | null

/**
 * Writes a plain value as text, of which {@link readPlain} makes an equal one: objects without methods, lists, maps,
 * sets, bytes, and the values that templates work on. Equal values give the same text: the fields of an object are
 * sorted, unless their order is to be kept; maps and sets keep theirs, which counts. What stands in several places is
 * written once, and is one object again when it is read.
 * @throws Error for a function, or an object of any other class
 */
export function writePlain(value: unknown, order: 'sorted' | 'kept' = 'sorted'): string {
  return write(value, {
    fields: order === 'kept' ? Object.entries : sortedFields,
    place: () => undefined,
    bytes: (bytes) => encodeBase64(bytes),
  })
}

function sortedFields(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object).sort(([one], [other]) => compareBytes(one, other))
}

/** Texts that are longer are told by their hash. */
const LONG = 128

/**
 * Writes a plain value as a text that says which one it is: as {@link writePlain} does, with `hash` in place of bytes
 * and of long texts. Nobody can read it.
 * @throws Error for a function, or an object of any other class
 */
export function writeIdentity(value: unknown, hash: (part: string | Uint8Array) => string): string {
  return write(value, {
    fields: sortedFields,
    place: () => undefined,
    bytes: hash,
    // in quotes, where what is no character is told from the bytes that it may stand for
    text: (text) => (text.length > LONG ? { hash: hash(JSON.stringify(text)) } : undefined),
  })
}

/** A plain value on its way to another thread: bytes go beside the text. */
export interface PlainMessage {
  readonly text: string
  readonly parts: readonly Uint8Array[]
}

/** An object that comes again comes soon: one that no message of so many had is forgotten. */
const REMEMBERED = 32

/**
 * Writes plain values for one {@link PlainReceiver}; fields keep their order. What stands in several messages that
 * follow each other closely is sent twice at most, and is one object there from then on. What was sent must never be
 * changed.
 */
export class PlainSender {
  /** The numbers of objects that the receiver has. */
  readonly #shared = new WeakMap<object, number>()
  /** The message in which an object was seen: lately, and before that. Most stand in one, and live as long as a run. */
  #lately = new WeakMap<object, number>()
  #before = new WeakMap<object, number>()
  #messages = 0
  #count = 0

  /** `lasting`: all of it will come again. @throws what {@link writePlain} throws */
  send(value: unknown, lasting: 'lasting' | 'passing' = 'passing'): PlainMessage {
    const message = ++this.#messages
    if (message % REMEMBERED === 0) {
      this.#before = this.#lately
      this.#lately = new WeakMap()
    }
    const parts: Uint8Array[] = []
    const text = write(value, {
      // reports show them in their order
      fields: Object.entries,
      place: (object) => {
        const shared = this.#shared.get(object)
        if (shared !== undefined) return shared
        const seen = this.#lately.get(object) ?? this.#before.get(object)
        if (lasting === 'passing' && (seen === undefined || seen === message)) {
          this.#lately.set(object, message)
          return undefined
        }
        this.#shared.set(object, this.#count++)
        return 'new'
      },
      // a copy: those that are sent are lost here, and a part of a buffer would bring all of it
      bytes: (bytes) => parts.push(new Uint8Array(bytes)) - 1,
    })
    return { text, parts }
  }
}

/** Reads what one {@link PlainSender} wrote, in the order in which it was written. */
export class PlainReceiver {
  readonly #shared: object[] = []

  /** @throws Error for any other text */
  receive({ text, parts }: PlainMessage): unknown {
    return read(text, { shared: this.#shared, parts })
  }
}

interface Places {
  /** The fields of an object, in the order in which they are written. */
  readonly fields: (object: object) => readonly (readonly [string, unknown])[]
  /** The number of an object that the reader has; `new` where it is to have it from now on. */
  readonly place: (object: object) => number | 'new' | undefined
  readonly bytes: (bytes: Uint8Array) => Item
  /** Stands for a text; undefined for the text itself. */
  readonly text?: (text: string) => { readonly hash: string } | undefined
}

function write(value: unknown, { fields, place, bytes, text }: Places): string {
  const items: Item[] = []
  const known = new Map<object, number>()
  /** Where the value stands that is being written. */
  const path: (string | number)[] = []
  const writeAt = (key: string | number, one: unknown): void => {
    path.push(key)
    writeOne(one)
    path.pop()
  }
  const noPlainValue = (): Error =>
    new Error(
      `${path.map((key) => (typeof key === 'number' ? `[${String(key)}]` : `.${key}`)).join('')} is no plain value`,
    )
  const writeObject = (object: object): void => {
    if (object instanceof GoInt) items.push('int', object.kind, object.value.toString())
    else if (object instanceof GoBytes) items.push('gobytes', bytes(object.bytes))
    else if (object instanceof Uint8Array) items.push('bytes', bytes(object))
    else if (Array.isArray(object)) {
      items.push('list', elementType(object), object.length)
      for (const [index, item] of object.entries()) writeAt(index, item)
    } else if (object instanceof Map && isOf(object, Dict, Map)) {
      if (object instanceof Dict) items.push('dict', object.goType, object.size)
      else items.push('map', object.size)
      for (const [key, item] of object) {
        writeAt(String(key), key)
        writeAt(String(key), item)
      }
    } else if (object instanceof Set && isOf(object, Set)) {
      items.push('set', object.size)
      for (const item of object) writeOne(item)
    } else if (isOf(object, Object)) {
      const entries = fields(object)
      items.push('object', entries.length)
      for (const [key, item] of entries) {
        items.push(key)
        writeAt(key, item)
      }
    } else throw noPlainValue()
  }
  const writeOnce = (object: object): void => {
    const before = known.get(object)
    if (before !== undefined) {
      items.push('again', before)
      return
    }
    const there = place(object)
    if (typeof there === 'number') {
      items.push('shared', there)
      return
    }
    if (there === 'new') items.push('share')
    known.set(object, known.size)
    writeObject(object)
  }
  const writeText = (one: string): void => {
    const identity = text?.(one)
    if (identity === undefined) items.push('text', one)
    else items.push('hash', identity.hash)
  }
  const writeOne = (one: unknown): void => {
    if (one === null || typeof one === 'boolean') items.push('is', one)
    else if (typeof one === 'string') writeText(one)
    else if (typeof one === 'number') items.push('number', Object.is(one, -0) ? '-0' : String(one))
    else if (one === undefined) items.push('undefined')
    // a Go integer is never looked at as an object, and some are shared by chance
    else if (one instanceof GoInt) writeObject(one)
    else if (typeof one === 'object') writeOnce(one)
    else throw noPlainValue()
  }
  writeOne(value)
  return JSON.stringify(items)
}

function isOf(object: object, ...classes: readonly { readonly prototype: object }[]): boolean {
  return classes.some(({ prototype }) => Object.getPrototypeOf(object) === prototype)
}

const intKinds: readonly IntKind[] = [
  'int',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
]

/** A text that {@link writePlain} did not write. */
export class PlainTextError extends Error {
  override readonly name = 'PlainTextError'
}

/** Reads what {@link writePlain} wrote. @throws PlainTextError for any other text */
export function readPlain(text: string): unknown {
  return read(text)
}

/** The values that the text of one message refers to. */
interface Received {
  /** The objects that several messages have; grows. */
  readonly shared: object[]
  readonly parts: readonly Uint8Array[]
}

function read(text: string, received?: Received): unknown {
  const items = parsed(text)
  if (!Array.isArray(items)) throw wrong()
  const reader = new PlainReader(items, received)
  const value = reader.read()
  if (!reader.isAtEnd) throw wrong()
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(error)
    throw error
  }
}

function wrong(cause?: unknown): PlainTextError {
  return new PlainTextError('not the text of a plain value', { cause })
}

class PlainReader {
  private readonly items: readonly unknown[]
  private readonly received: Received | undefined
  private readonly known: object[] = []
  private at = 0
  private isShared = false

  constructor(items: readonly unknown[], received: Received | undefined) {
    this.items = items
    this.received = received
  }

  get isAtEnd(): boolean {
    return this.at === this.items.length
  }

  read(): unknown {
    const tag = this.text()
    switch (tag) {
      case 'is':
        return this.items[this.at++]
      case 'text':
        return this.text()
      case 'number':
        return Number(this.text())
      case 'undefined':
        return undefined
      case 'again':
        return this.known[this.count()]
      case 'shared':
        return this.received?.shared[this.count()]
      case 'share':
        this.isShared = true
        return this.readObject(this.text())
      case 'int':
        return this.readInt()
      default:
        return this.readObject(tag)
    }
  }

  private readInt(): GoInt {
    const name = this.text()
    const kind = intKinds.find((one) => one === name)
    if (kind === undefined) throw wrong()
    return new GoInt(BigInt(this.text()), kind)
  }

  private readObject(tag: string): object {
    switch (tag) {
      case 'bytes':
        return this.keep(this.bytes())
      case 'gobytes':
        return this.keep(new GoBytes(this.bytes()))
      case 'list':
        return this.readList()
      case 'dict':
        return this.readDict()
      case 'map':
        return this.readMap()
      case 'set':
        return this.readSet()
      case 'object':
        return this.readFields()
      default:
        throw wrong()
    }
  }

  private readList(): unknown[] {
    const type = this.text()
    const list: Value[] = this.keep([])
    const entries: unknown[] = list
    for (let left = this.count(); left > 0; left--) entries.push(this.read())
    return type === elementType([]) ? list : typedList(type, list)
  }

  private readDict(): Dict {
    const dict = this.keep(new Dict())
    dict.goType = this.text()
    const entries: Map<unknown, unknown> = dict
    for (let left = this.count(); left > 0; left--) entries.set(this.read(), this.read())
    return dict
  }

  private readMap(): Map<unknown, unknown> {
    const map = this.keep(new Map<unknown, unknown>())
    for (let left = this.count(); left > 0; left--) map.set(this.read(), this.read())
    return map
  }

  private readSet(): Set<unknown> {
    const set = this.keep(new Set())
    for (let left = this.count(); left > 0; left--) set.add(this.read())
    return set
  }

  private readFields(): object {
    const object: Record<string, unknown> = this.keep({})
    for (let left = this.count(); left > 0; left--) {
      const name = this.text()
      const value = this.read()
      // not by assignment, which would take `__proto__` for something else
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
    }
    return object
  }

  /** Numbers objects in the order in which they were written. */
  private keep<Kind extends object>(object: Kind): Kind {
    this.known.push(object)
    if (this.isShared) this.received?.shared.push(object)
    this.isShared = false
    return object
  }

  private bytes(): Uint8Array {
    const bytes = this.received === undefined ? decodeBase64(this.text()) : this.received.parts[this.count()]
    if (bytes === undefined) throw wrong()
    return bytes
  }

  private text(): string {
    const item = this.items[this.at++]
    if (typeof item !== 'string') throw wrong()
    return item
  }

  private count(): number {
    const item = this.items[this.at++]
    if (typeof item !== 'number') throw wrong()
    return item
  }
}
