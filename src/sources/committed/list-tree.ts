import { joinPath } from '../../codec/path.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { type IsWanted, readDisk, type OutputFolder } from './tree-files.ts'

/**
 * Paths of the files that a commit has in a folder of the output, the last commit without `base`; none where git fails:
 * whoever reads the files says why.
 */
export async function listCommit(
  { output, folder }: OutputFolder,
  base: string | undefined,
  { git }: Pick<Ports, 'git'>,
): Promise<readonly string[]> {
  try {
    return await notedPaths((isWanted) => git.readCommitted(joinPath(output, folder), isWanted, base))
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

/** Paths of the files that lie in a folder of the output; none where there is no such folder. */
export async function listDisk(folder: OutputFolder, ports: Pick<Ports, 'files'>): Promise<readonly string[]> {
  return notedPaths((isWanted) => readDisk(folder, isWanted, ports))
}

/** The paths that a reader asks about, of which it reads none. */
async function notedPaths(read: (isWanted: IsWanted) => Promise<unknown>): Promise<readonly string[]> {
  const paths: string[] = []
  await read((path) => {
    paths.push(path)
    return false
  })
  return paths
}
