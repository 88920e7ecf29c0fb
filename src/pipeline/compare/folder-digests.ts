import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName } from '../../codec/path.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import type { Crypto } from '../../model/ports.ts'
import { digestOfBytes } from '../../replay/digests.ts'

/** The folders of a tree, each told by a digest. */
export interface FolderDigests {
  /** Of the names and ids of the files that lie directly in a folder; that of nothing where there is none. */
  readonly of: (folder: string) => string
  /** The files that lie directly in a folder. */
  readonly filesIn: (folder: string) => readonly string[]
}

/** Makes {@link FolderDigests}; the files are looked through once, when they are asked for. */
export function createFolderDigests(files: FileIds, crypto: Crypto): FolderDigests {
  let byFolder: Map<string, string[]> | undefined
  const filesIn = (folder: string): readonly string[] => {
    byFolder ??= groupByFolder(files)
    return byFolder.get(folder) ?? []
  }
  return {
    filesIn,
    of: (folder) =>
      digestOfFiles(
        filesIn(folder).map((path) => [path, files.get(path) ?? '']),
        crypto,
      ),
  }
}

/** The digest of files by their paths and ids, whatever their order. */
export function digestOfFiles(files: Iterable<readonly [path: string, id: string]>, crypto: Crypto): string {
  const lines = Array.from(files, ([path, id]) => `${id} ${path}\0`).toSorted()
  return digestOfBytes(encodeUtf8(lines.join('')), crypto)
}

function groupByFolder(files: FileIds): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const path of files.keys()) {
    const folder = dirName(path)
    const own = folders.get(folder)
    if (own === undefined) folders.set(folder, [path])
    else own.push(path)
  }
  return folders
}
