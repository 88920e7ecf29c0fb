import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { joinPath } from '../codec/path.ts'
import type { Crypto, Files } from '../model/ports.ts'
import { controlPaths } from './control-folder.ts'
import { type FolderHashes, isSameList, noHashes, type SharedLists } from './folder-hashes.ts'
import { inPathOrder, pathIn } from './path-order.ts'
import { isAtOrBelow } from './read-tree.ts'
import { sha256 } from './sha256.ts'
import { formatWrittenFiles, hashesIn, parseWrittenFiles, type WrittenFiles } from './written-files.ts'

/** The length of a line before its path. */
const HEAD = 66
const LF = 0x0a
const CR = 0x0d
const SLASH = 0x2f
/** Folders that are looked up one by one; whoever asks for more is told from all of them. */
const FEW = 64
const NOTHING = new Uint8Array()

/**
 * The record of written files. It has a line for each file of the output, in the order of their paths, and a run of one
 * cluster asks for a few folders: these are found without reading all of it. In another order less is found, and less
 * is proved.
 */
export class WrittenRecord {
  readonly #bytes: Uint8Array
  readonly #lists: Pick<SharedLists<string>, 'share'>
  readonly #found = new Map<string, FolderHashes | undefined>()
  #all: WrittenFiles | undefined
  #isWhole: boolean | undefined

  constructor(bytes: Uint8Array, lists: Pick<SharedLists<string>, 'share'>) {
    this.#bytes = bytes
    this.#lists = lists
  }

  /** The hashes of a folder's files; undefined if there are none. */
  get(folder: string): FolderHashes | undefined {
    if (this.#all !== undefined) return this.#all.get(folder)
    if (this.#found.has(folder)) return this.#found.get(folder)
    if (this.#found.size === FEW) return this.#whole().get(folder)
    const files = this.#find(folder)
    this.#found.set(folder, files)
    return files
  }

  /**
   * The record after a run: within its scopes exactly the files of these folders. Undefined if that is what it says
   * already.
   */
  after(
    scopes: readonly string[],
    folders: ReadonlyMap<string, FolderHashes>,
  ): { readonly bytes: Iterable<Uint8Array> } | undefined {
    const isOfRun = (path: string): boolean => scopes.some((scope) => isAtOrBelow(path, scope))
    const parts = this.#all === undefined ? this.#replaced(scopes, folders) : 'unknown'
    if (parts === 'same') return undefined
    if (parts !== 'unknown') return { bytes: parts }
    return {
      bytes: formatWrittenFiles(new Map([...[...this.#whole()].filter(([path]) => !isOfRun(path)), ...folders])),
    }
  }

  /** Folders that have files: at least those at or below these. */
  foldersBelow(folders: ReadonlySet<string>): Iterable<string> {
    if (this.#all !== undefined || folders.size > FEW || !this.#isInOrder()) return this.#whole().keys()
    return [...folders].flatMap((folder) => [...parseWrittenFiles(this.#linesBelow(folder), this.#lists).keys()])
  }

  #whole(): WrittenFiles {
    this.#all ??= parseWrittenFiles(this.#bytes, this.#lists)
    return this.#all
  }

  /** True if each line is where it is looked for. */
  #isInOrder(): boolean {
    const bytes = this.#bytes
    this.#isWhole ??= bytes.at(-1) === LF && !bytes.includes(CR) && isInOrder(bytes)
    return this.#isWhole
  }

  /** The lines of all files at or below a folder; those of others lie before and behind. */
  #linesBelow(folder: string): Uint8Array {
    return this.#bytes.subarray(this.#firstAt(encodeUtf8(`${folder}/`)), this.#firstAt(afterFolder(encodeUtf8(folder))))
  }

  /** sha256 of the lines of all files at or below a folder, hex; undefined where they do not stand together. */
  digestBelow(folder: string, crypto: Crypto): string | undefined {
    return this.#isInOrder() ? sha256(this.#linesBelow(folder), crypto) : undefined
  }

  /** sha256 of the lines of all files that are in none of these folders, hex; undefined as above. */
  digestOutside(folders: readonly string[], crypto: Crypto): string | undefined {
    if (!this.#isInOrder()) return undefined
    const ranges = folders.map((folder) => this.#linesBelow(folder)).toSorted((a, b) => a.byteOffset - b.byteOffset)
    const parts: Uint8Array[] = []
    let at = 0
    for (const { byteOffset, length } of ranges) {
      const from = byteOffset - this.#bytes.byteOffset
      if (from > at) parts.push(this.#bytes.subarray(at, from))
      at = Math.max(at, from + length)
    }
    return sha256([...parts, this.#bytes.subarray(at)], crypto)
  }

  /**
   * The record after a run over all: the lines that it has below `same`, none of which lies in another, and exactly
   * the files of these folders. Undefined if that is what it says already.
   */
  afterAll(
    folders: ReadonlyMap<string, FolderHashes>,
    same: Iterable<string>,
  ): { readonly bytes: Iterable<Uint8Array> } | undefined {
    const kept = Array.from(same, (folder) => [`${folder}/`, this.#linesBelow(folder)] as const)
    const others = Array.from(inPathOrder(folders, (files) => files.keys())).flatMap(({ path, folder, names }) => {
      const hashes = new Map(folder)
      return names.map((name) => {
        const file = pathIn(path, name)
        return [file, encodeUtf8(`${hashes.get(name) ?? ''}  ${file}\n`)] as const
      })
    })
    const parts = [...kept, ...others].toSorted(([one], [other]) => compareBytes(one, other)).map(([, lines]) => lines)
    return this.#consistsOf(parts) ? undefined : { bytes: parts }
  }

  #consistsOf(parts: readonly Uint8Array[]): boolean {
    let at = 0
    for (const part of parts) {
      const own = this.#bytes.subarray(at, at + part.length)
      at += part.length
      // nearly all are parts of it
      const isItself = own.byteOffset === part.byteOffset && own.buffer === part.buffer && own.length === part.length
      if (!isItself && compareAt(own, part) !== 0) return false
    }
    return at === this.#bytes.length
  }

  #find(folder: string): FolderHashes | undefined {
    const bytes = this.#bytes
    const files = new Map<string, string>()
    const prefix = encodeUtf8(folder === '' ? '' : `${folder}/`)
    for (let at = this.#firstAt(prefix); at < bytes.length;) {
      const end = endOf(bytes, at)
      const path = at + HEAD
      const name = path + prefix.length
      const slash = bytes.subarray(name, end).indexOf(SLASH)
      if (path < end && compareAt(bytes.subarray(path, Math.min(name, end)), prefix) !== 0) break
      // past all that lies in the folder there
      const next = slash === -1 ? 0 : this.#firstAt(afterFolder(bytes.subarray(path, name + slash)))
      if (slash === -1) for (const [file, hash] of hashesIn(bytes.subarray(at, end), folder)) files.set(file, hash)
      at = Math.max(end + 1, next)
    }
    return files.size === 0 ? undefined : this.#lists.share(files)
  }

  /** Where the first line begins whose path is not before this one. */
  #firstAt(path: Uint8Array): number {
    const bytes = this.#bytes
    let low = 0
    for (let high = bytes.length; low < high;) {
      const middle = (low + high) >>> 1
      const start = middle === 0 ? 0 : bytes.lastIndexOf(LF, middle - 1) + 1
      const end = endOf(bytes, middle)
      if (compareAt(bytes.subarray(start + HEAD, Math.max(start + HEAD, end)), path) < 0) low = end + 1
      else high = start
    }
    return Math.min(low, bytes.length)
  }

  /** The record with the lines of scopes replaced; `unknown` where that takes more than to put parts together. */
  #replaced(
    scopes: readonly string[],
    folders: ReadonlyMap<string, FolderHashes>,
  ): readonly Uint8Array[] | 'same' | 'unknown' {
    const bytes = this.#bytes
    const isApart = scopes.every(
      (scope) => scope !== '' && !scopes.some((other) => other !== scope && isAtOrBelow(scope, other)),
    )
    if (!isApart || bytes.at(-1) !== LF || bytes.includes(CR)) return 'unknown'
    if (!isSameList(this.get('') ?? noHashes, folders.get('') ?? noHashes)) return 'unknown'
    const inOrder = [...new Set(scopes)].toSorted((a, b) => compareBytes(`${a}/`, `${b}/`))
    const ranges = inOrder.map((scope) => {
      const within = new Map([...folders].filter(([path]) => isAtOrBelow(path, scope)))
      const [from, to] = [this.#firstAt(encodeUtf8(`${scope}/`)), this.#firstAt(afterFolder(encodeUtf8(scope)))]
      return { from, to, lines: joined(formatWrittenFiles(within)) }
    })
    if (ranges.every(({ from, to, lines }) => compareAt(bytes.subarray(from, to), lines) === 0)) return 'same'
    if (!this.#isInOrder()) return 'unknown'
    const parts: Uint8Array[] = []
    let done = 0
    for (const { from, to, lines } of ranges) {
      parts.push(bytes.subarray(done, from), lines)
      done = to
    }
    return [...parts, bytes.subarray(done)]
  }
}

/** Reads the record of written files of an output folder. */
export async function readWritten(
  output: string,
  files: Files,
  lists: Pick<SharedLists<string>, 'share'> = { share: (list) => list },
): Promise<WrittenRecord> {
  const path = joinPath(output, controlPaths.written)
  const bytes = (await files.stat(path))?.type === 'file' ? await files.read(path, 'record') : new Uint8Array()
  return new WrittenRecord(bytes, lists)
}

/** The first bytes that sort after all paths in a folder. */
function afterFolder(folder: Uint8Array): Uint8Array {
  const after = new Uint8Array(folder.length + 1)
  after.set(folder)
  after[folder.length] = SLASH + 1
  return after
}

function endOf(bytes: Uint8Array, at: number): number {
  const newline = bytes.indexOf(LF, at)
  return newline === -1 ? bytes.length : newline
}

function compareAt(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function isInOrder(bytes: Uint8Array): boolean {
  let before: Uint8Array = NOTHING
  for (let at = 0; at < bytes.length;) {
    const end = endOf(bytes, at)
    const path = bytes.subarray(Math.min(at + HEAD, end), end)
    if (compareAt(before, path) >= 0) return false
    before = path
    at = end + 1
  }
  return true
}

function joined(parts: Iterable<Uint8Array>): Uint8Array {
  const all = [...parts]
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of all) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
