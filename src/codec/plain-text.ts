import { compareBytes } from './text/text-order.ts'
import { Dict, elementType, GoBytes, GoInt, type IntKind, typedList, type Value } from '../model/value.ts'
import { decodeBase64, encodeBase64 } from './bytes/base64.ts'

type Item = string | number | boolean | null

/**
 * Writes a plain value as text, of which {@link readPlain} makes an equal one: objects without methods, lists, maps,
 * sets, bytes, and the values that templates work on. Equal values give the same text: the fields of an object are
 * sorted; maps and sets keep their order, which counts. What stands in several places is written once, and is one
 * object again when it is read.
 * @throws Error for a function, or an object of any other class
 */
export function writePlain(value: unknown): string {
  const items: Item[] = []
  const known = new Map<object, number>()
  const writeAll = (values: Iterable<unknown>, path: string): void => {
    for (const one of values) write(one, path)
  }
  const writeObject = (object: object, path: string): void => {
    if (object instanceof GoInt) items.push('int', object.kind, object.value.toString())
    else if (object instanceof GoBytes) items.push('gobytes', encodeBase64(object.bytes))
    else if (object instanceof Uint8Array) items.push('bytes', encodeBase64(object))
    else if (Array.isArray(object)) {
      items.push('list', elementType(object), object.length)
      for (const [index, item] of object.entries()) write(item, `${path}[${String(index)}]`)
    } else if (object instanceof Map && isOf(object, Dict, Map)) {
      if (object instanceof Dict) items.push('dict', object.goType, object.size)
      else items.push('map', object.size)
      for (const [key, item] of object) writeAll([key, item], `${path}.${String(key)}`)
    } else if (object instanceof Set && isOf(object, Set)) {
      items.push('set', object.size)
      writeAll(object, path)
    } else if (isOf(object, Object)) {
      const entries = Object.entries(object).sort(([one], [other]) => compareBytes(one, other))
      items.push('object', entries.length)
      for (const [key, item] of entries) {
        items.push(key)
        write(item, `${path}.${key}`)
      }
    } else throw new Error(`${path} is no plain value`)
  }
  const write = (one: unknown, path: string): void => {
    if (one === null || typeof one === 'boolean') items.push('is', one)
    else if (typeof one === 'string') items.push('text', one)
    else if (typeof one === 'number') items.push('number', Object.is(one, -0) ? '-0' : String(one))
    else if (one === undefined) items.push('undefined')
    else if (typeof one === 'object') {
      const before = known.get(one)
      if (before !== undefined) items.push('again', before)
      else {
        // a Go integer is never looked at as an object, and some are shared by chance
        if (!(one instanceof GoInt)) known.set(one, known.size)
        writeObject(one, path)
      }
    } else throw new Error(`${path} is no plain value`)
  }
  write(value, '')
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

/** Reads what {@link writePlain} wrote. @throws Error for any other text */
export function readPlain(text: string): unknown {
  const items: unknown = JSON.parse(text)
  if (!Array.isArray(items)) throw wrong()
  const reader = new PlainReader(items)
  const value = reader.read()
  if (!reader.isAtEnd) throw wrong()
  return value
}

function wrong(): Error {
  return new Error('not the text of a plain value')
}

class PlainReader {
  private readonly items: readonly unknown[]
  private readonly known: object[] = []
  private at = 0

  constructor(items: readonly unknown[]) {
    this.items = items
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
    return object
  }

  private bytes(): Uint8Array {
    const bytes = decodeBase64(this.text())
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
