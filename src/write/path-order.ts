import { compareBytes } from '../codec/text/text-order.ts'

/** Some files of a folder that follow each other. */
export interface FileRun<Folder> {
  /** Path of the folder; `''` is the output folder. */
  readonly path: string
  readonly folder: Folder
  readonly names: readonly string[]
}

/**
 * The files of folders in the byte order of their whole paths. Files and folders that stand beside each other mix: of a
 * folder, a few come before a folder in it, and others behind.
 */
export function inPathOrder<Folder>(
  folders: ReadonlyMap<string, Folder>,
  namesOf: (folder: Folder) => Iterable<string>,
): Iterable<FileRun<Folder>> {
  const within = foldersWithin(folders.keys())
  function* below(path: string): Generator<FileRun<Folder>> {
    const folder = folders.get(path)
    const own = folder === undefined ? [] : [...namesOf(folder)]
    const inner = (within.get(path) ?? []).map((name) => `${name}/`)
    let names: string[] = []
    for (const entry of [...own, ...inner].sort(compareBytes)) {
      if (!entry.endsWith('/')) {
        names.push(entry)
        continue
      }
      if (folder !== undefined && names.length > 0) yield { path, folder, names }
      names = []
      yield* below(pathIn(path, entry.slice(0, -1)))
    }
    if (folder !== undefined && names.length > 0) yield { path, folder, names }
  }
  return { [Symbol.iterator]: () => below('') }
}

/** The path of something in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Names of the folders in each folder that are on the way to one of these. */
function foldersWithin(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const within = new Map<string, string[]>()
  const known = new Set([''])
  for (const path of paths) {
    for (let at = path; !known.has(at);) {
      known.add(at)
      const slash = at.lastIndexOf('/')
      const above = at.slice(0, Math.max(0, slash))
      const names = within.get(above) ?? []
      within.set(above, names)
      names.push(at.slice(slash + 1))
      at = above
    }
  }
  return within
}
