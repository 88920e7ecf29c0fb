import { readPath, type ValueReads } from '../../model/value-reads.ts'
import { Dict, type Value } from '../../model/value.ts'

interface Noted {
  readonly keys: Set<string>
  isWhole: boolean
}

/** Values that note who reads them, and what was noted. */
export interface WatchedValues {
  readonly watch: (values: Dict) => Dict
  readonly reads: ValueReads
}

/** Makes what notes how templates read their values. Items of lists are not watched: a list is read as a whole. */
export function watchValues(): WatchedValues {
  const noted = new Map<string, Noted>()
  const watched = new Map<Dict, Dict>()
  const noteAt = (path: readonly string[]): Noted => {
    const key = readPath(path)
    const known = noted.get(key) ?? { keys: new Set<string>(), isWhole: false }
    noted.set(key, known)
    return known
  }
  const watch = (values: Dict, path: readonly string[]): Dict => {
    // maps that charts share stay one
    const known = watched.get(values)
    if (known !== undefined) return known
    const result = new WatchedDict(() => noteAt(path))
    watched.set(values, result)
    for (const [key, value] of values) result.set(key, value instanceof Dict ? watch(value, [...path, key]) : value)
    return result
  }
  return { watch: (values) => watch(values, []), reads: (path) => noted.get(readPath(path)) }
}

/** A map that notes which of its keys are asked for, and whether somebody goes through it. */
class WatchedDict extends Dict {
  readonly #note: () => Noted

  constructor(note: () => Noted) {
    super()
    this.#note = note
  }

  override get(key: string): Value | undefined {
    this.#note().keys.add(key)
    return super.get(key)
  }

  override has(key: string): boolean {
    this.#note().keys.add(key)
    return super.has(key)
  }

  override keys(): MapIterator<string> {
    this.#note().isWhole = true
    return super.keys()
  }

  override values(): MapIterator<Value> {
    this.#note().isWhole = true
    return super.values()
  }

  override entries(): MapIterator<[string, Value]> {
    this.#note().isWhole = true
    return super.entries()
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    this.#note().isWhole = true
    return super[Symbol.iterator]()
  }

  override forEach(callback: (value: Value, key: string, map: Map<string, Value>) => void): void {
    this.#note().isWhole = true
    super.forEach(callback)
  }
}
