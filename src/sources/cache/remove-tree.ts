import { dirName, isInside, joinPath } from '../../codec/path.ts'
import { FileError, type Files } from '../../model/ports.ts'

/**
 * Removes whatever lies at the path, a folder with all that it holds; links are removed, never followed, also those
 * that come in the place of a folder meanwhile. Fine when nothing is there.
 */
export async function removeTree(path: string, files: Files): Promise<void> {
  const stat = await files.stat(path)
  if (stat === undefined) return
  if (stat.type !== 'directory') return files.remove(path)
  for (const entry of await entriesOf(path, files)) {
    if (!(await isFolder(path, files))) return
    await removeTree(joinPath(path, entry.name), files)
  }
  if (await isFolder(path, files)) await files.removeEmptyDirectory(path)
}

/** Lists the entries of a folder; none if it does not exist (any longer), or is a link to one. */
export async function entriesOf(path: string, files: Files): ReturnType<Files['entries']> {
  try {
    return (await isFolder(path, files)) ? await files.entries(path) : []
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return []
    throw error
  }
}

/** True if a path below `root`, and all between them, are folders now, and no links to some. */
export async function isFolderBelow(root: string, path: string, files: Files): Promise<boolean> {
  if (path === root) return true
  if (!isInside(root, path)) return false
  return (await isFolderBelow(root, dirName(path), files)) && isFolder(path, files)
}

async function isFolder(path: string, files: Files): Promise<boolean> {
  return (await files.stat(path))?.type === 'directory'
}
