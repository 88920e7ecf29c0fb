import { joinPath } from '../../codec/path.ts'
import { FileError, type Files } from '../../model/ports.ts'

/**
 * Removes whatever lies at the path, a folder with all that it holds; links are removed, never followed. Fine when
 * nothing is there.
 */
export async function removeTree(path: string, files: Files): Promise<void> {
  const stat = await files.stat(path)
  if (stat === undefined) return
  if (stat.type !== 'directory') return files.remove(path)
  for (const entry of await entriesOf(path, files)) await removeTree(joinPath(path, entry.name), files)
  await files.removeEmptyDirectory(path)
}

/** Lists the entries of a folder; none if it does not exist (any longer). */
export async function entriesOf(path: string, files: Files): ReturnType<Files['entries']> {
  try {
    return await files.entries(path)
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return []
    throw error
  }
}
