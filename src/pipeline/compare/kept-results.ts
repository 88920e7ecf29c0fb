import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isAbsolutePath } from '../../codec/path.ts'
import { memoizeText } from '../../codec/text/memoize-text.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import { digestOfBytes } from '../../replay/digests.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import { isFile, type KeptUnits } from '../expand/reuse-units.ts'

/** Writes plain results with findings for later runs, and reads them. */
export interface ResultKeeper {
  /** Undefined where a text that people may get to see may hold a secret. */
  readonly pack: (result: unknown) => string | undefined
  /**
   * Undefined where a text in which something stands is another one now: it would stand elsewhere. `archived` has the
   * texts of archives by their paths.
   */
  readonly unpack: (packed: string, archived: () => ReadonlyMap<string, string>) => Promise<unknown>
}

/** Makes a {@link ResultKeeper}: texts of files are not kept, but told by their hashes. */
export function createResultKeeper(
  { isClean }: Pick<KeptUnits, 'isClean'>,
  { files, crypto }: Pick<Ports, 'files' | 'crypto'>,
): ResultKeeper {
  const hashOf = memoizeText((text) => digestOfBytes(encodeUtf8(text), crypto))
  const isTextClean = memoizeText(isClean)
  const fileText = memoizeText(async (path: string): Promise<string | undefined> => {
    try {
      return decodeUtf8(await files.read(path))
    } catch (error) {
      if (error instanceof FileError) return undefined
      throw error
    }
  })
  const sources = new Map<string, Source>()
  const shared = (source: Source): Source => {
    const { name, path, holds, revision } = source
    const key = JSON.stringify([name, path, holds, revision])
    const known = sources.get(key)
    if (known?.text === source.text) return known
    sources.set(key, source)
    return source
  }
  return {
    pack: (result) => {
      const texts = new Map<string, string>()
      let isOne = true
      const { text, shown } = packResult(result, (path, own) => {
        if (!isAbsolutePath(path)) return false
        isOne &&= (texts.get(path) ?? own) === own
        texts.set(path, own)
        return true
      })
      if (!isOne || !shown.every(isTextClean)) return undefined
      const list = JSON.stringify([...texts].map(([path, own]) => [path, hashOf(own)]))
      return `${String(list.length)} ${list}${text}`
    },
    unpack: async (packed, archived) => {
      const [length = ''] = packed.split(' ', 1)
      const start = length.length + 1
      const end = start + Number(length)
      const texts = new Map<string, string>()
      for (const [path, digest] of digestsIn(packed.slice(start, end))) {
        const text = isFile(path) ? await fileText(path) : archived().get(path)
        if (text === undefined || hashOf(text) !== digest) return undefined
        texts.set(path, text)
      }
      return unpackResult(packed.slice(end), (path) => Promise.resolve(texts.get(path) ?? ''), shared)
    },
  }
}

const archived = new WeakMap<object, ReadonlyMap<string, string>>()

/** The texts that a plain value has of files in archives, by their paths; looked through once. */
export function archivedTexts(value: object): ReadonlyMap<string, string> {
  const known = archived.get(value)
  if (known !== undefined) return known
  const texts = new Map<string, string>()
  const seen = new Set<object>()
  const walk = (one: unknown): void => {
    if (typeof one !== 'object' || one === null || seen.has(one) || one instanceof Dict || one instanceof Uint8Array)
      return
    seen.add(one)
    if ('path' in one && 'text' in one && typeof one.path === 'string' && typeof one.text === 'string')
      texts.set(one.path, one.text)
    const parts: Iterable<unknown> = Array.isArray(one) || one instanceof Map ? one.values() : Object.values(one)
    for (const part of parts) walk(part)
  }
  walk(value)
  archived.set(value, texts)
  return texts
}

/** @throws Error for anything else: nobody else writes it, and its hash is right */
function digestsIn(text: string): readonly (readonly [path: string, digest: string])[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new Error('not a list of texts')
  return list.map((entry: unknown) => {
    const [path, digest]: readonly unknown[] = Array.isArray(entry) ? entry : []
    if (typeof path !== 'string' || typeof digest !== 'string') throw new Error('not a text and its digest')
    return [path, digest]
  })
}
