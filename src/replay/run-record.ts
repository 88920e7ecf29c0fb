import { dirName, joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { type Crypto, SIGNATURE_LENGTH } from '../model/ports.ts'
import { digestTrees } from './digest-trees.ts'
import { digestOfBytes, digestOfParts } from './digests.ts'
import type { ObservedPath, ObservedState, ObservedUntracked, Observations } from './observations.ts'
import { kindOf } from './signature.ts'

/** The inputs of a run, and its result. */
export interface RunRecord {
  /** Of the program, and of what it was asked: another one knows nothing of this run. */
  readonly key: string
  readonly salt: string
  /** When the run began, milliseconds since 1970. */
  readonly started: number
  /** The paths that were looked at, sorted, and their signatures one after the other. */
  readonly paths: readonly string[]
  readonly signatures: Float64Array
  /** sha256 of files by path, hex, and what lies in folders, as far as either was asked for. */
  readonly hashes: ReadonlyMap<string, string>
  readonly entries: ReadonlyMap<string, string>
  /** sha256 of what lies in trees, by `treeKey`: of their files nothing else is kept. */
  readonly trees: ReadonlyMap<string, string>
  /** Folders on the way to them, and their signatures. */
  readonly places: readonly string[]
  readonly identities: Float64Array
  /** Hashes of what was read of paths whose signature shows no change that was made at once. */
  readonly young: ReadonlyMap<string, string>
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
  const { paths, hashes, entries, places, links, variables, packaged, states, untracked } = observations
  const trees = digestTrees(observations, crypto)
  /** Paths, or where the record before has them. */
  const told = new Map<string, ObservedPath | number>()
  const young = new Map<string, string>()
  for (const [path, observed] of paths) {
    if (isPlace(observed)) continue
    told.set(path, observed)
    if (observed.digest !== undefined) young.set(path, observed.digest)
  }
  for (const { carried } of observations.trees.values())
    for (const [from, to] of carried?.paths ?? [])
      for (let index = from; index < to; index++) {
        const path = before?.paths[index]
        if (before === undefined || path === undefined || told.has(path)) continue
        told.set(path, index)
      }
  const names = [...told.keys()].sort()
  const signatures = new Float64Array(names.length * SIGNATURE_LENGTH)
  for (const [index, name] of names.entries()) {
    const one = told.get(name) ?? 0
    const at = typeof one === 'number' ? one * SIGNATURE_LENGTH : 0
    const signature = typeof one === 'number' ? before?.signatures.subarray(at, at + SIGNATURE_LENGTH) : one.signature
    signatures.set(signature ?? [], index * SIGNATURE_LENGTH)
  }
  const isApart = outside(observations, trees)
  return {
    ...known,
    paths: names,
    signatures,
    hashes: new Map([...hashes].filter(([path]) => isApart(path))),
    entries: new Map([...entries].filter(([path]) => isApart(path))),
    trees,
    places: placesOf({ paths, places }),
    young,
    links,
    variables,
    packaged,
    states: [...states.values()],
    untracked: [...untracked.values()],
  }
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

/** Bytes of the hash in front, and of the sizes of the parts behind it. */
const [HASH, SIZES] = [64, 64]

/** The bytes of a record, in parts; they begin with their own hash. */
export function formatRecord(record: RunRecord, crypto: Crypto): readonly Uint8Array[] {
  const { key, salt, started, result, paths, places, signatures, identities, young, settled } = record
  const { links, variables, states, untracked } = record
  const lists: Lists = [
    [key, salt, String(started), ...(result === undefined ? [] : [result])],
    paths,
    places,
    [...young].flat(),
    [...settled].flat(),
    [...links].flat(),
    [...variables].flat(),
    states.flatMap(({ folder, revision = '', state }) => [folder, revision, state]),
    untracked.flatMap(({ folder, kind, digest }) => [folder, kind, digest]),
    [...record.entries].flat(),
    paths.map((path) => record.hashes.get(path) ?? ''),
    [...record.packaged].flat(),
    [...record.trees].flat(),
    [...record.parts].flat(),
  ]
  // one after the other: the texts of all of them would be there at once
  const head = lists.map((list, index) => encodeUtf8(`${index === 0 ? '[' : ','}${JSON.stringify(list)}`))
  const numbers = [bytesOf(signatures), bytesOf(identities)]
  const length = head.reduce((sum, part) => sum + part.length, 1)
  const sizes = [length, ...numbers.map((part) => part.length)].join(' ').padEnd(SIZES)
  const parts = [encodeUtf8(sizes), ...head, encodeUtf8(']'), ...numbers]
  return [encodeUtf8(digestOfParts(parts, crypto)), ...parts]
}

type Lists = readonly (readonly string[])[]

/** Reads what {@link formatRecord} made; undefined for anything else, and for what is damaged. */
export function parseRecord(bytes: Uint8Array, crypto: Crypto): RunRecord | undefined {
  const body = bytes.subarray(HASH)
  if (decodeUtf8(bytes.subarray(0, HASH)) !== digestOfBytes(body, crypto)) return undefined
  const sizes = decodeUtf8(body.subarray(0, SIZES)).trim().split(' ').map(Number)
  let at = SIZES
  const [head, signatures, identities] = sizes.map((size) => body.slice(at, (at += size)))
  const lists: unknown = JSON.parse(decodeUtf8(head ?? new Uint8Array()))
  if (!isLists(lists) || signatures === undefined || identities === undefined) return undefined
  const [[key, salt, started, result] = [], paths = [], places = [], young = [], settled = []] = lists
  const [
    links = [],
    variables = [],
    states = [],
    untracked = [],
    entries = [],
    hashes = [],
    packaged = [],
    trees = [],
    parts = [],
  ] = lists.slice(5)
  if (key === undefined || salt === undefined || started === undefined) return undefined
  return {
    key,
    salt,
    started: Number(started),
    ...(result !== undefined && { result }),
    paths,
    places,
    hashes: new Map(paths.flatMap((path, index) => (hashes[index] === '' ? [] : [[path, hashes[index] ?? '']]))),
    entries: mapOf(entries),
    packaged: mapOf(packaged),
    trees: mapOf(trees),
    parts: mapOf(parts),
    signatures: numbersOf(signatures),
    identities: numbersOf(identities),
    young: mapOf(young),
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

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Whole numbers of 8 bytes, which begin where the bytes do. */
function numbersOf(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / Float64Array.BYTES_PER_ELEMENT))
}
