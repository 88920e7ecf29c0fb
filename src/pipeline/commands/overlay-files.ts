import { isInside, joinPath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { FileError, type Files } from '../../model/ports.ts'

/**
 * Files as if just these were in a folder (by path relative to it): what is to be written can be read, and so checked,
 * before it is. Outside of the folder nothing changes. Read only.
 */
export function overlayFiles(
  { folder, texts }: { readonly folder: string; readonly texts: ReadonlyMap<string, string> },
  files: Files,
): Files {
  const contents = new Map([...texts].map(([path, text]) => [joinPath(folder, path), encodeUtf8(text)]))
  const folders = new Map<string, Map<string, 'file' | 'directory'>>()
  for (const path of contents.keys()) {
    for (let child = path, type: 'file' | 'directory' = 'file'; child !== folder; type = 'directory') {
      const parent = joinPath(child, '..')
      const names = folders.get(parent) ?? new Map<string, 'file' | 'directory'>()
      folders.set(parent, names.set(child.slice(parent.length + 1), type))
      child = parent
    }
  }
  const refuse = (path: string): Promise<never> => Promise.reject(new FileError('not-permitted', path))
  const missing = (path: string): Promise<never> => Promise.reject(new FileError('not-found', path))
  const read = (path: string): Promise<Uint8Array> => {
    const bytes = contents.get(path)
    return bytes === undefined ? missing(path) : Promise.resolve(bytes)
  }
  return {
    read: (path) => (isInside(folder, path) ? read(path) : files.read(path)),
    readKnown: (path, known) => (isInside(folder, path) ? read(path) : files.readKnown(path, known)),
    entries(path) {
      if (!isInside(folder, path)) return files.entries(path)
      const names = folders.get(path)
      if (names === undefined) return missing(path)
      return Promise.resolve(
        [...names].map(([name, type]) => ({ name, type })).toSorted((a, b) => compareBytes(a.name, b.name)),
      )
    },
    stat(path) {
      if (!isInside(folder, path)) return files.stat(path)
      const bytes = contents.get(path)
      if (bytes !== undefined) return Promise.resolve({ type: 'file', size: bytes.length, modified: 0 })
      return Promise.resolve(folders.has(path) ? { type: 'directory', size: 0, modified: 0 } : undefined)
    },
    realPath(path) {
      if (!isInside(folder, path)) return files.realPath(path)
      return contents.has(path) || folders.has(path) ? Promise.resolve(path) : missing(path)
    },
    signatures: files.signatures,
    write: refuse,
    keep: refuse,
    copyRights: refuse,
    rename: refuse,
    remove: refuse,
    removeEmptyDirectory: refuse,
    makeDirectory: refuse,
    touch: refuse,
    readOwn: refuse,
    replaceOwn: refuse,
    createExclusive: refuse,
  }
}
