import { SharedTexts } from '../codec/text/shared-texts.ts'
import { SIGNATURE_LENGTH } from '../model/ports.ts'

/** The facts that a run found at a path. */
export interface ObservedPath {
  /** As `signatures` of the files gave it before anything else was asked. */
  readonly signature: Float64Array
  /** True once its content was read, or its names listed: before that of a folder only counts that it is there. */
  isRead: boolean
  /**
   * Hash of what was read there, where the signature is too young to show a later change: two changes within one tick
   * of a file system's clock look the same.
   */
  digest: string | undefined
  /** sha256 of a file, hex, if it was asked for. */
  hash: string | undefined
  /** The entries of a folder as `formatEntries` writes them, if they were asked for. */
  entries: string | undefined
}

/** Paths that are kept together. */
const CHUNK = 1024
/** Numbers of a path besides its signature: 1 if it was read, then those of its texts. */
const FACTS = 4

/**
 * The paths that a run looked at. A fleet has a hundred thousand, whose names and texts are nearly all the same: they
 * are numbers here, side by side. As an object each, they took four times the room.
 */
export class ObservedPaths implements Iterable<readonly [path: string, observed: ObservedPath]> {
  readonly #folders = new Map<string, Map<string, number>>()
  readonly #names = new SharedTexts()
  readonly #signatures: Float64Array[] = []
  readonly #facts: Uint32Array[] = []
  readonly #texts = new NumberedTexts()
  #count = 0

  get size(): number {
    return this.#count
  }

  has(path: string): boolean {
    return this.#indexOf(path) !== undefined
  }

  /** The facts found at a path; those that are set there are kept. */
  get(path: string): ObservedPath | undefined {
    const index = this.#indexOf(path)
    return index === undefined ? undefined : this.#at(index)
  }

  /** Notes an absolute path. Of one that is known, what was found first counts. */
  add(path: string, signature: Float64Array): ObservedPath {
    const known = this.get(path)
    if (known !== undefined) return known
    const index = this.#count++
    const chunk = Math.floor(index / CHUNK)
    this.#signatures[chunk] ??= new Float64Array(CHUNK * SIGNATURE_LENGTH)
    this.#facts[chunk] ??= new Uint32Array(CHUNK * FACTS)
    this.#signatures[chunk].set(signature, (index % CHUNK) * SIGNATURE_LENGTH)
    const [folder, name] = partsOf(path)
    const names = this.#folders.get(folder) ?? new Map<string, number>()
    if (names.size === 0) this.#folders.set(folder, names)
    names.set(this.#names.of(name), index)
    return this.#at(index)
  }

  *[Symbol.iterator](): Generator<readonly [path: string, observed: ObservedPath]> {
    for (const [folder, names] of this.#folders)
      for (const [name, index] of names) yield [`${folder}/${name}`, this.#at(index)]
  }

  /** In the order of their UTF-16 code units, of which `/` is one: a list of all of them is never there. */
  *inOrder(): Generator<readonly [path: string, observed: ObservedPath]> {
    const inner = this.#innerFolders()
    const keysOf = (folder: string): string[] =>
      [...(this.#folders.get(folder)?.keys() ?? []), ...(inner.get(folder) ?? []).map((name) => `${name}/`)]
        .sort()
        .reverse()
    const open = [{ folder: '', keys: keysOf('') }]
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const { folder, keys } = last
      const key = keys.pop()
      const index = key === undefined ? undefined : this.#folders.get(folder)?.get(key)
      if (key === undefined) open.pop()
      else if (index !== undefined) yield [`${folder}/${key}`, this.#at(index)]
      else {
        const next = `${folder}/${key.slice(0, -1)}`
        open.push({ folder: next, keys: keysOf(next) })
      }
    }
  }

  /** The names of the folders in a folder, also of such on the way to paths. */
  #innerFolders(): ReadonlyMap<string, readonly string[]> {
    const inner = new Map<string, string[]>([['', []]])
    const innerOf = (folder: string): string[] => {
      const known = inner.get(folder)
      if (known !== undefined) return known
      const [around, name] = partsOf(folder)
      innerOf(around).push(name)
      const own: string[] = []
      inner.set(folder, own)
      return own
    }
    for (const folder of this.#folders.keys()) innerOf(folder)
    return inner
  }

  #indexOf(path: string): number | undefined {
    const [folder, name] = partsOf(path)
    return this.#folders.get(folder)?.get(name)
  }

  #at(index: number): ObservedPath {
    const chunk = Math.floor(index / CHUNK)
    const [signatures, facts] = [this.#signatures[chunk], this.#facts[chunk]]
    if (signatures === undefined || facts === undefined) throw new Error(`no path has the number ${index}`)
    return new PathInChunk(signatures, facts, index % CHUNK, this.#texts)
  }
}

class PathInChunk implements ObservedPath {
  readonly #signatures: Float64Array
  readonly #facts: Uint32Array
  readonly #at: number
  readonly #texts: NumberedTexts

  constructor(signatures: Float64Array, facts: Uint32Array, at: number, texts: NumberedTexts) {
    this.#signatures = signatures
    this.#facts = facts
    this.#at = at
    this.#texts = texts
  }

  get signature(): Float64Array {
    const from = this.#at * SIGNATURE_LENGTH
    return this.#signatures.subarray(from, from + SIGNATURE_LENGTH)
  }

  get isRead(): boolean {
    return this.#facts[this.#at * FACTS] === 1
  }

  set isRead(isRead: boolean) {
    this.#facts[this.#at * FACTS] = isRead ? 1 : 0
  }

  get digest(): string | undefined {
    return this.#textAt(1)
  }

  set digest(text: string | undefined) {
    this.#keepAt(1, text)
  }

  get hash(): string | undefined {
    return this.#textAt(2)
  }

  set hash(text: string | undefined) {
    this.#keepAt(2, text)
  }

  get entries(): string | undefined {
    return this.#textAt(3)
  }

  set entries(text: string | undefined) {
    this.#keepAt(3, text)
  }

  #textAt(fact: number): string | undefined {
    return this.#texts.at(this.#facts[this.#at * FACTS + fact] ?? 0)
  }

  #keepAt(fact: number, text: string | undefined): void {
    this.#facts[this.#at * FACTS + fact] = text === undefined ? 0 : this.#texts.numberOf(text)
  }
}

/** Texts by their numbers, each once; 0 is none. */
class NumberedTexts {
  readonly #texts: (string | undefined)[] = [undefined]
  readonly #numbers = new Map<string, number>()

  at(number: number): string | undefined {
    return this.#texts[number]
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.#texts.length)
    return this.#texts.push(text) - 1
  }
}

function partsOf(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/')
  return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)]
}
