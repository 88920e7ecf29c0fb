import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import { inputPath } from '../../model/input-path.ts'
import type { Ports } from '../../model/ports.ts'
import { pathOf } from '../../model/source.ts'
import { findRead } from './read-inputs.ts'

/** Paths that a command names one by one. */
const MOST = 3

/**
 * Finds the files that a fleet is read from and that nobody has added to git, by their path relative to its folder.
 * What git ignores is not among them.
 */
export async function findNewInputs(
  repository: FleetRepository,
  { git, files }: Pick<Ports, 'git' | 'files'>,
): Promise<readonly string[]> {
  try {
    const left = await git.findUntracked(repository.fleet.root, 'new')
    return await findRead(repository, left, { files, among: 'all' })
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return []
    throw error
  }
}

/**
 * The command that adds these inputs to git, and with `output` the tree: a cluster that is new as a whole by its
 * folder, many by the folder of the fleet.
 */
export function addingInputs(
  { fleet: { root }, clusters }: FleetRepository,
  inputs: readonly string[],
  output?: string,
): string {
  const left = new Set(inputs)
  const isNew = (file: string): boolean => left.has(relativePath(root, file))
  const folders = clusters.filter(({ source }) => isNew(pathOf(source))).map((cluster) => inputPath(cluster))
  const folderOf = (path: string): string => folders.find((folder) => path.startsWith(`${folder}/`)) ?? path
  const own = [...new Set(inputs.map(folderOf))].map((path) => joinPath(root, path))
  const named = own.length > MOST ? [root] : own
  const paths = output === undefined || named.some((path) => isInside(path, output)) ? named : [output, ...named]
  return `\`git add -A -- ${paths.map(shellWord).join(' ')}\``
}
