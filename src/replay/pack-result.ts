import { startOfLine } from '../codec/text/start-of-line.ts'
import { readPlain, writePlain } from '../codec/plain-text.ts'
import { pathOf, type Source, type Span } from '../model/source.ts'
import { Dict, GoBytes, GoInt } from '../model/value.ts'

/** True for a source whose text is read again instead of kept: by the path of its file. */
export type ReadAgain = (path: string, text: string) => boolean

/** A result as text, and every text in it that people may get to see, each once. */
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
  const shown = new Set<string>()
  const known = new Map<object, unknown>()
  const pack = (value: unknown): unknown => {
    if (typeof value === 'string') shown.add(value)
    if (typeof value !== 'object' || value === null || isValue(value)) return value
    const before = known.get(value)
    if (before !== undefined) return before
    if (isSpan(value)) shown.add(lineOf(value))
    const packed = packObject(value)
    known.set(value, packed)
    return packed
  }
  const packObject = (value: object): unknown => {
    if (Array.isArray(value)) return value.map(pack)
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [pack(key), pack(item)]))
    if (isSource(value)) {
      const { name, text, path, holds, revision } = value
      // what a commit holds may be another than what lies on disk
      const isThere = revision === undefined && isReadAgain(pathOf(value), text)
      if (!isThere) shown.add(text)
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
  const text = writePlain(pack(result), 'kept')
  return { text, shown: [...shown] }
}

/**
 * Reads what {@link packResult} wrote; `read` gives the text of a file, and `shared` a source that is the same for
 * equal ones. @throws PlainTextError for any other text
 */
export async function unpackResult(
  text: string,
  read: (path: string) => Promise<string>,
  shared: (source: Source) => Source = (source) => source,
): Promise<unknown> {
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
      const { name, path, holds, revision, text: own = texts.get(pathOf(value)) ?? '' } = value
      return shared({
        name,
        text: own,
        ...(path !== undefined && { path }),
        ...(holds !== undefined && { holds }),
        ...(revision !== undefined && { revision }),
      })
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
    if (value.text === undefined) paths.add(pathOf(value))
  } else for (const item of Object.values(value)) collectPaths(item, paths)
}

/** True for what templates and objects hold: no source lies in it. */
function isValue(value: object): boolean {
  return [Dict, GoInt, GoBytes, Uint8Array, Set].some((type) => value instanceof type)
}

function isSpan(value: object): value is Span {
  return 'source' in value && 'start' in value && typeof value.source === 'object'
}

/** The line in which a span begins: people get to see no other one of its text. */
function lineOf({ source: { text }, start }: Span): string {
  const end = text.indexOf('\n', start)
  return text.slice(startOfLine(text, start), end === -1 ? text.length : end)
}

function isSource(value: object): value is Source {
  return 'name' in value && 'text' in value && typeof value.name === 'string' && typeof value.text === 'string'
}

function isPackedSource(value: object): value is PackedSource {
  return 'isSource' in value && value.isSource === true && 'name' in value && typeof value.name === 'string'
}
