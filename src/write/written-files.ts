import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { type FolderHashes, noHashes, type SharedLists } from './folder-hashes.ts'
import { inPathOrder, pathIn } from './path-order.ts'

/** Hashes of what stackmason wrote last, by folder relative to the output folder. */
export type WrittenFiles = ReadonlyMap<string, FolderHashes>

/** A hash, and what stands between it and the path. */
const HEAD = /^[0-9a-f]{64} {2}$/
const LINE_HEAD = 66
const LF = 0x0a
const CR = 0x0d
const SLASH = 0x2f

/**
 * Reads the record of written files; lines that are none are passed over, so that a damaged record only proves less.
 * Nothing of the whole text is kept.
 */
export function parseWrittenFiles(bytes: Uint8Array, lists: Pick<SharedLists<string>, 'share'>): WrittenFiles {
  const folders = new Map<string, Map<string, string>>()
  const texts = new Map<string, string>()
  const once = (text: string): string => {
    const known = texts.get(text) ?? text
    texts.set(text, known)
    return known
  }
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(LF, at)
    const next = newline === -1 ? bytes.length : newline
    // as git on Windows may have it
    const end = bytes[next - 1] === CR ? next - 1 : next
    const start = at + LINE_HEAD
    const head = decodeUtf8(bytes.subarray(at, Math.min(start, end)))
    at = next + 1
    if (!HEAD.test(head) || start >= end) continue
    // each is decoded for itself: a part of a string keeps the whole
    const slash = Math.max(start - 1, bytes.lastIndexOf(SLASH, end - 1))
    const folder = decodeUtf8(bytes.subarray(start, Math.max(start, slash)))
    const files = folders.get(folder) ?? new Map<string, string>()
    folders.set(folder, files)
    files.set(once(decodeUtf8(bytes.subarray(slash + 1, end))), once(head.slice(0, -2)))
  }
  return new Map(Array.from(folders, ([folder, files]) => [folder, lists.share(files)]))
}

/** The hashes of a few lines of the record that are of one folder, by name. */
export function hashesIn(lines: Uint8Array, folder: string): FolderHashes {
  const lists = { share: (list: FolderHashes) => list }
  return parseWrittenFiles(lines, lists).get(folder) ?? noHashes
}

/** The record in the form of sha256sum, by path, in parts that are made when they are asked for. */
export function formatWrittenFiles(written: WrittenFiles): Iterable<Uint8Array> {
  function* parts(): Generator<Uint8Array> {
    for (const { path, folder, names } of inPathOrder(written, (files) => files.keys())) {
      const hashes = new Map(folder)
      yield encodeUtf8(names.map((name) => `${hashes.get(name) ?? ''}  ${pathIn(path, name)}\n`).join(''))
    }
  }
  return { [Symbol.iterator]: parts }
}
