import { dirName, joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { type Crypto, SIGNATURE_LENGTH } from '../model/ports.ts'
import { digestTrees } from './digest-trees.ts'
import { digestOfBytes, digestOfParts } from './digests.ts'
import type { ObservedPath, ObservedPaths } from './observed-paths.ts'
import type { ObservedState, ObservedUntracked, Observations, PathRange } from './observations.ts'
import { kindOf, signatureAt } from './signature.ts'
import { parsePaths, PathsInOrder, type SortedPaths } from './sorted-paths.ts'
import { YoungInOrder, type YoungPaths } from './young-paths.ts'

/** The inputs of a run, and its result. */
export interface RunRecord {
  /** Of the program, and of what it was asked: another one knows nothing of this run. */
  readonly key: string
  readonly salt: string
  /** When the run began, milliseconds since 1970. */
  readonly started: number
  /** The paths that were looked at, and their signatures one after the other. */
  readonly paths: SortedPaths
  readonly signatures: Float64Array
  /** sha256 of files by path, hex, and what lies in folders, as far as either was asked for. */
  readonly hashes: ReadonlyMap<string, string>
  readonly entries: ReadonlyMap<string, string>
  /** sha256 of what lies in trees, by `treeKey`: of their files nothing else is kept. */
  readonly trees: ReadonlyMap<string, string>
  /** Folders on the way to them, and their signatures. */
  readonly places: readonly string[]
  readonly identities: Float64Array
  readonly young: YoungPaths
  /** Hashes of the names in folders that each run changes and leaves as they were. */
  readonly settled: ReadonlyMap<string, string>
  readonly links: ReadonlyMap<string, string>
  readonly variables: ReadonlyMap<string, string>
  readonly packaged: ReadonlyMap<string, string>
  readonly states: readonly ObservedState[]
  readonly untracked: readonly ObservedUntracked[]
  /** Its result; absent where the same run would have another one. */
  readonly result?: string
  /** Facts about parts of that, by name. */
  readonly parts: ReadonlyMap<string, string>
}

/** The facts in the record of a run besides its observations. */
type RunFacts = Pick<RunRecord, 'key' | 'salt' | 'started' | 'result' | 'parts' | 'identities' | 'settled'>

/**
 * The record of what was observed. `identities` are the signatures of its places, in byte order; `before` is the record
 * from which paths are taken that nobody looked at again, since the tree in which they lie is the same.
 */
export function recordOf(
  observations: Observations,
  known: RunFacts,
  { before, crypto }: { readonly before: RunRecord | undefined; readonly crypto: Crypto },
): RunRecord {
  const { paths, places, links, variables, packaged, states, untracked } = observations
  const trees = digestTrees(observations, crypto)
  const isApart = outside(observations, trees)
  const hashes = new Map<string, string>()
  const entries = new Map<string, string>()
  for (const [path, observed] of paths) {
    if (isPlace(observed)) continue
    const { hash, entries: listed } = observed
    if (hash !== undefined && isApart(path)) hashes.set(path, hash)
    if (listed !== undefined && isApart(path)) entries.set(path, listed)
  }
  const carried = [...observations.trees.values()].flatMap((tree) => tree.carried?.paths ?? [])
  const merged = mergePaths(paths, before === undefined ? undefined : { before, ranges: carried })
  return {
    ...known,
    ...merged,
    hashes,
    entries,
    trees,
    places: placesOf({ paths, places }),
    links,
    variables,
    packaged,
    states: [...states.values()],
    untracked: [...untracked.values()],
  }
}

/** Paths of a run, and those that stand for it in the record before. */
function mergePaths(
  observed: ObservedPaths,
  kept: { readonly before: RunRecord; readonly ranges: readonly PathRange[] } | undefined,
): Pick<RunRecord, 'paths' | 'signatures' | 'young'> {
  const ranges = [...(kept?.ranges ?? [])].sort(([one], [other]) => one - other)
  const most = ranges.reduce((sum, [from, to]) => sum + to - from, observed.size)
  const list = new PathsInOrder()
  const signatures = new Float64Array(most * SIGNATURE_LENGTH)
  const young = new YoungInOrder(most)
  const take = (path: string, signature: Float64Array, digest: string | undefined): void => {
    signatures.set(signature, list.length * SIGNATURE_LENGTH)
    young.add(digest)
    list.add(path)
  }
  const own = pathsThatCount(observed)
  let next = own.next().value
  const takeOwn = (): void => {
    if (next !== undefined) take(next[0], next[1].signature, next[1].digest)
    next = own.next().value
  }
  let seen = -1
  for (const [from, to] of ranges)
    for (const [index, path] of kept?.before.paths.entries(Math.max(from, seen + 1), to) ?? []) {
      seen = index
      while (next !== undefined && next[0] < path) takeOwn()
      // what this run looked at itself counts; of trees that are the same nothing was young
      if (next?.[0] !== path && kept !== undefined) take(path, signatureAt(kept.before, index), undefined)
    }
  while (next !== undefined) takeOwn()
  return {
    paths: list.end(),
    signatures: signatures.slice(0, list.length * SIGNATURE_LENGTH),
    young: young.end(),
  }
}

function* pathsThatCount(observed: ObservedPaths): Generator<readonly [string, ObservedPath], undefined> {
  for (const one of observed.inOrder()) if (!isPlace(one[1])) yield one
  return undefined
}

/** Says of a path whether it lies in no tree whose digest is known. */
function outside(
  { trees: asked }: Pick<Observations, 'trees'>,
  trees: ReadonlyMap<string, string>,
): (path: string) => boolean {
  const roots = new Set<string>()
  for (const [key, { base, folder }] of asked) if (trees.has(key)) roots.add(joinPath(base, folder))
  const isOutside = (path: string): boolean => {
    for (let at = path; at.length > 1; at = dirName(at)) if (roots.has(at)) return false
    return true
  }
  return roots.size === 0 ? () => true : isOutside
}

/** The folders of which only counts that they are there, in byte order. */
export function placesOf({ paths, places }: Pick<Observations, 'paths' | 'places'>): readonly string[] {
  const looked = [...paths].flatMap(([path, observed]) => (isPlace(observed) ? [path] : []))
  return [...new Set([...places, ...looked])].sort(compareBytes)
}

function isPlace({ signature, isRead }: ObservedPath): boolean {
  return !isRead && kindOf(signature) === 'folder'
}

/**
 * Bytes of the hash in front, and of the sizes of the parts behind it: numbers first, which then lie on their bounds.
 */
const [HASH, SIZES] = [64, 64]
/** Stands before the sizes: other programs have other forms of records in the same place. */
const FORM = 'run/1'

/** Lists of texts before those of paths. */
const AHEAD = 13

/** The bytes of a record, in parts; they begin with their own hash. */
export function formatRecord(record: RunRecord, crypto: Crypto): readonly Uint8Array[] {
  const { key, salt, started, result, paths, places, signatures, identities, young, settled } = record
  const { links, variables, states, untracked, hashes } = record
  const lists: Lists = [
    [key, salt, String(started), ...(result === undefined ? [] : [result])],
    places,
    young.digests,
    [...settled].flat(),
    [...links].flat(),
    [...variables].flat(),
    states.flatMap(({ folder, revision = '', state }) => [folder, revision, state]),
    untracked.flatMap(({ folder, kind, digest }) => [folder, kind, digest]),
    [...record.entries].flat(),
    [...hashes].flat(),
    [...record.packaged].flat(),
    [...record.trees].flat(),
    [...record.parts].flat(),
    ...paths.format(),
  ]
  // one after the other: the texts of all of them would be there at once
  const head = lists.map((list, index) => encodeUtf8(`${index === 0 ? '[' : ','}${JSON.stringify(list)}`))
  const numbers = [bytesOf(signatures), bytesOf(identities), bytesOf(young.numbers)]
  const length = head.reduce((sum, part) => sum + part.length, 1)
  const sizes = [FORM, ...numbers.map((part) => part.length), length].join(' ').padEnd(SIZES)
  const parts = [encodeUtf8(sizes), ...numbers, ...head, encodeUtf8(']')]
  return [encodeUtf8(digestOfParts(parts, crypto)), ...parts]
}

type Lists = readonly (readonly string[])[]

/** Reads what {@link formatRecord} made; undefined for anything else, and for what is damaged. */
export function parseRecord(bytes: Uint8Array, crypto: Crypto): RunRecord | undefined {
  const body = bytes.subarray(HASH)
  if (decodeUtf8(bytes.subarray(0, HASH)) !== digestOfBytes(body, crypto)) return undefined
  const [form, ...sizes] = decodeUtf8(body.subarray(0, SIZES)).trim().split(' ')
  if (form !== FORM) return undefined
  let at = SIZES
  const [signatures, identities, numbers, head] = sizes.map((size) => body.subarray(at, (at += Number(size))))
  const lists = parseLists(head ?? new Uint8Array())
  if (lists === undefined || signatures === undefined || identities === undefined || numbers === undefined)
    return undefined
  const [[key, salt, started, result] = [], places = [], digests = [], settled = [], links = [], ...others] = lists
  const [variables = [], states = [], untracked = [], entries = [], hashes = [], packaged = [], ...last] = others
  const [trees = [], parts = []] = last
  if (key === undefined || salt === undefined || started === undefined) return undefined
  const record: RunRecord = {
    key,
    salt,
    started: Number(started),
    ...(result !== undefined && { result }),
    paths: parsePaths(lists.slice(AHEAD)),
    places,
    hashes: mapOf(hashes),
    entries: mapOf(entries),
    packaged: mapOf(packaged),
    trees: mapOf(trees),
    parts: mapOf(parts),
    signatures: new Float64Array(...numbersIn(signatures, Float64Array.BYTES_PER_ELEMENT)),
    identities: new Float64Array(...numbersIn(identities, Float64Array.BYTES_PER_ELEMENT)),
    young: { numbers: new Uint32Array(...numbersIn(numbers, Uint32Array.BYTES_PER_ELEMENT)), digests },
    settled: mapOf(settled),
    links: mapOf(links),
    variables: mapOf(variables),
    states: rowsOf(states, 3).map(([folder = '', revision = '', state = '']) => ({
      folder,
      ...(revision !== '' && { revision }),
      state,
    })),
    untracked: rowsOf(untracked, 3).map(([folder = '', kind, digest = '']) => ({
      folder,
      kind: kind === 'new' ? 'new' : 'ignored',
      digest,
    })),
  }
  return isWhole(record) ? record : undefined
}

/** True if each path has its numbers: whoever asks for those of a path, or the other way around, finds them. */
function isWhole({ paths, signatures, young }: RunRecord): boolean {
  return signatures.length === paths.length * SIGNATURE_LENGTH && young.numbers.length === paths.length
}

function parseLists(bytes: Uint8Array): Lists | undefined {
  try {
    const lists: unknown = JSON.parse(decodeUtf8(bytes))
    return isLists(lists) ? lists : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isLists(value: unknown): value is Lists {
  return (
    Array.isArray(value) && value.every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string'))
  )
}

function rowsOf(list: readonly string[], width: number): readonly (readonly string[])[] {
  return Array.from({ length: list.length / width }, (_, row) => list.slice(row * width, (row + 1) * width))
}

function mapOf(list: readonly string[]): ReadonlyMap<string, string> {
  return new Map(rowsOf(list, 2).map(([key = '', value = '']) => [key, value]))
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Where numbers of a size lie; copied only where they do not begin on a bound of such numbers. */
function numbersIn(bytes: Uint8Array, size: number): readonly [ArrayBufferLike, number, number] {
  const { buffer, byteOffset } = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes)
  return [buffer, byteOffset, Math.floor(bytes.length / size)]
}
