import { joinPath, relativePath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { Ports } from '../../model/ports.ts'
import { findRepository } from './find-repository.ts'

/** Folders that a commit has of a tree. */
export interface RestoredFolders {
  /** The folder of the tree; absolute. */
  readonly output: string
  /** Relative to it. */
  readonly folders: readonly string[]
  /** As people can name it. */
  readonly commit: string
}

/**
 * The command that brings folders of a tree back as a commit has them, as hints name it, also where the tree lay
 * elsewhere then; without folders that the commit lacks. @throws GitError
 */
export async function restoreCommand(
  { output, folders, commit }: RestoredFolders,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<string> {
  const { git } = ports
  const root = (await findRepository(output, ports)) ?? output
  const within = relativePath(root, output)
  const all = await git.listCommitted(root, commit)
  const here: string[] = []
  const elsewhere: { readonly from: string; readonly folder: string }[] = []
  for (const folder of folders) {
    const files = await git.listCommitted(joinPath(output, folder), commit)
    const [file] = files.keys()
    if (file === undefined) continue
    const isAt = (from: string): boolean => [...files].every(([path, id]) => all.get(joinPath(from, path)) === id)
    const from = [...all.keys()]
      .filter((path) => `/${path}`.endsWith(`/${folder}/${file}`))
      .map((path) => path.slice(0, -file.length - 1))
      .find(isAt)
    if (from === undefined || isAt(joinPath(within, folder))) here.push(folder)
    else elsewhere.push({ from, folder })
  }
  const written = (of: readonly string[]): string => of.map((folder) => shellWord(joinPath(output, folder))).join(' ')
  const commands = here.length === 0 ? [] : [`git restore --source=${commit} --staged --worktree -- ${written(here)}`]
  // a folder comes back under another name with this alone, and only where nothing is
  if (elsewhere.length > 0)
    commands.push(`git rm -rqf --ignore-unmatch -- ${written(elsewhere.map(({ folder }) => folder))}`)
  for (const { from, folder } of elsewhere) {
    const prefix = shellWord(`--prefix=${joinPath(within, folder)}/`)
    commands.push(`git read-tree -u ${prefix} ${shellWord(`${commit}:${from}`)}`)
  }
  return commands.join(' && ')
}
