import { readPlain, writePlain } from '../codec/plain-text.ts'
import type { Source } from '../model/source.ts'
import { Dict, GoBytes, GoInt } from '../model/value.ts'

/** Sources whose text is read again instead of kept: by the path of their file. */
export type ReadAgain = (path: string) => boolean

/** A result as text, and every text in it that people may get to see. */
export interface PackedResult {
  readonly text: string
  readonly shown: readonly string[]
}

interface PackedSource {
  readonly isSource: true
  readonly name: string
  readonly path?: string
  readonly holds?: 'values'
  readonly revision?: string
  /** Absent: it is read from its file. */
  readonly text?: string
}

/** Stands in every text that holds a source. */
const SOURCE = '"isSource"'

/** Writes a plain result as text. What a person wrote into a file stays there: the text names the file. */
export function packResult(result: unknown, isReadAgain: ReadAgain): PackedResult {
  const shown: string[] = []
  const known = new Map<object, unknown>()
  const pack = (value: unknown): unknown => {
    if (typeof value === 'string') shown.push(value)
    if (typeof value !== 'object' || value === null || isValue(value)) return value
    const before = known.get(value)
    if (before !== undefined) return before
    const packed = packObject(value)
    known.set(value, packed)
    return packed
  }
  const packObject = (value: object): unknown => {
    if (Array.isArray(value)) return value.map(pack)
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [pack(key), pack(item)]))
    if (isSource(value)) {
      const { name, text, path, holds, revision } = value
      shown.push(text)
      // what a commit holds may be another than what lies on disk
      const isThere = path !== undefined && revision === undefined && isReadAgain(path)
      return {
        isSource: true,
        name,
        ...(path !== undefined && { path }),
        ...(holds !== undefined && { holds }),
        ...(revision !== undefined && { revision }),
        ...(!isThere && { text }),
      } satisfies PackedSource
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pack(item)]))
  }
  // reports show fields in their order
  return { text: writePlain(pack(result), 'kept'), shown }
}

/** Reads what {@link packResult} wrote; `read` gives the text of a file. @throws Error for any other text */
export async function unpackResult(text: string, read: (path: string) => Promise<string>): Promise<unknown> {
  const packed = readPlain(text)
  if (!text.includes(SOURCE)) return packed
  const paths = new Set<string>()
  collectPaths(packed, paths)
  const texts = new Map<string, string>()
  for (const path of paths) texts.set(path, await read(path))
  const known = new Map<object, unknown>()
  const unpack = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || isValue(value)) return value
    const before = known.get(value)
    if (before !== undefined) return before
    const unpacked = unpackObject(value)
    known.set(value, unpacked)
    return unpacked
  }
  const unpackObject = (value: object): unknown => {
    if (Array.isArray(value)) return value.map(unpack)
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, unpack(item)]))
    if (isPackedSource(value)) {
      const { name, path, holds, revision, text: own = texts.get(path ?? '') ?? '' } = value
      return {
        name,
        text: own,
        ...(path !== undefined && { path }),
        ...(holds !== undefined && { holds }),
        ...(revision !== undefined && { revision }),
      } satisfies Source
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]))
  }
  return unpack(packed)
}

function collectPaths(value: unknown, paths: Set<string>): void {
  if (typeof value !== 'object' || value === null || isValue(value)) return
  if (value instanceof Map || Array.isArray(value)) {
    for (const item of value.values()) collectPaths(item, paths)
  } else if (isPackedSource(value)) {
    if (value.text === undefined && value.path !== undefined) paths.add(value.path)
  } else for (const item of Object.values(value)) collectPaths(item, paths)
}

/** True for what templates and objects hold: no source lies in it. */
function isValue(value: object): boolean {
  return [Dict, GoInt, GoBytes, Uint8Array, Set].some((type) => value instanceof type)
}

function isSource(value: object): value is Source {
  return 'name' in value && 'text' in value && typeof value.name === 'string' && typeof value.text === 'string'
}

function isPackedSource(value: object): value is PackedSource {
  return 'isSource' in value && value.isSource === true && 'name' in value && typeof value.name === 'string'
}
