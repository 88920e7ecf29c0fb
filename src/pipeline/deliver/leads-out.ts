import { dirName, isInside, joinPath } from '../../codec/path.ts'
import { FileError, type Ports } from '../../model/ports.ts'

type FilePort = Pick<Ports, 'files'>

/**
 * True if links on the way to a path (absolute, it may be missing) lead out of a repository of git that the path lies
 * in by its text; where no repository is, out of a fleet. Links above a repository may lead anywhere.
 */
export async function leadsOut(path: string, ports: FilePort): Promise<boolean> {
  const bounds = await foldersWith('.git', path, ports)
  for (const folder of bounds.length > 0 ? bounds : await foldersWith('stackmason.yaml', path, ports)) {
    if (await leadsOutOf(folder, path, ports)) return true
  }
  return false
}

/** True if links on the way to a path (absolute, it may be missing) lead out of a folder, or to nothing. */
export async function leadsOutOf(folder: string, path: string, ports: FilePort): Promise<boolean> {
  const real = await realWay(path, ports)
  return real === undefined || !isInside(await ports.files.realPath(folder), real)
}

/** The path with all links of the folders that are there resolved; undefined for a link to nothing. */
export async function realWay(path: string, { files }: FilePort): Promise<string | undefined> {
  let [there, rest] = [path, '']
  while ((await files.stat(there)) === undefined && dirName(there) !== there) {
    rest = there.slice(dirName(there).length) + rest
    there = dirName(there)
  }
  try {
    return joinPath(await files.realPath(there), rest)
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

async function foldersWith(name: string, path: string, { files }: FilePort): Promise<readonly string[]> {
  const found: string[] = []
  for (let folder = dirName(path); ; folder = dirName(folder)) {
    if ((await files.stat(joinPath(folder, name))) !== undefined) found.push(folder)
    if (dirName(folder) === folder) return found
  }
}
