import { dirName, isInside } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { FileError, type Files } from '../../model/ports.ts'

/** A tree that is committed in one folder and to be written to another one; all paths are absolute. */
export interface TreeMove {
  readonly from: string
  readonly to: string
  /** True if one repository holds both. */
  readonly isWithinRepository: boolean
  /** The commit that holds the tree. */
  readonly revision: string
}

const NEXT = 'then render and commit all of it: docs/02-fleet-repository.md, "The output folder".'

/** How the tree gets to its new folder: commands that work with what lies there now. */
export async function adviseMove(move: TreeMove, files: Files): Promise<string> {
  const { from, to, revision } = move
  const [source, target] = [shellWord(from), shellWord(to)]
  const parent = shellWord(dirName(to))
  const makeParent = (await hasFolder(dirName(to), files)) ? [] : [`mkdir -p ${parent}`]
  const restore = (await hasFolder(from, files)) ? [] : [`git checkout ${shellWord(revision)} -- ${source}`]
  if (!move.isWithinRepository) {
    const copy = `\`${[...restore, ...makeParent, `cp -R ${source} ${target}`].join(' && ')}\``
    return `\`git mv\` does not reach another repository: copy the tree with ${copy}, ${NEXT} Once the GitOps tool reads it there, remove it here with \`git rm -r ${source}\`.`
  }
  const entries = await entriesOf(to, files)
  const isParent = dirName(from) === to && entries?.length === 1
  if ((entries !== undefined && entries.length > 0 && !isParent) || (await isFile(to, files))) {
    return `What lies in ${target} would be in the way: choose a folder that is not there yet, or move that away first; then move the tree with \`git mv\`.`
  }
  // git moves no folder into itself, nor over the one that it lies in
  const around = shellWord(`${isParent ? to : from}.moved`)
  const commands = isParent
    ? [`git mv ${source} ${around}`, `rmdir ${target}`, `git mv ${around} ${target}`]
    : isInside(from, to)
      ? [`git mv ${source} ${around}`, `mkdir -p ${parent}`, `git mv ${around} ${target}`]
      : [...makeParent, ...(entries === undefined ? [] : [`rmdir ${target}`]), `git mv ${source} ${target}`]
  return `Move the tree with \`${[...restore, ...commands].join(' && ')}\`, ${NEXT}`
}

async function hasFolder(path: string, files: Files): Promise<boolean> {
  return (await files.stat(path))?.type === 'directory'
}

/** True if something is there that is no folder; a link counts, wherever it leads. */
async function isFile(path: string, files: Files): Promise<boolean> {
  const type = (await files.stat(path))?.type
  return type !== undefined && type !== 'directory'
}

/** The names in a folder; undefined where there is none. */
async function entriesOf(path: string, files: Files): Promise<readonly string[] | undefined> {
  if (!(await hasFolder(path, files))) return undefined
  try {
    return (await files.entries(path)).map(({ name }) => name)
  } catch (error) {
    // one that nobody may read is no place for a tree either
    if (error instanceof FileError) return ['']
    throw error
  }
}
