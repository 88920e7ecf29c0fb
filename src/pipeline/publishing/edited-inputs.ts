import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import { FileError, type Ports } from '../../model/ports.ts'

/** Folders of a fleet that hold what people write for clusters. */
const FOLDERS: readonly string[] = ['clusters', 'stacks']

/** Paths that a finding names. */
const MOST = 3

/**
 * Warns of files of the fleet in `root` that the disk has otherwise than the commit that is checked out: what is
 * published does not have them.
 */
export async function findEditedInputs(
  root: string,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<readonly Diagnostic[]> {
  try {
    const isApart = await Promise.all(FOLDERS.map((name) => isOther(joinPath(root, name), ports)))
    const together = FOLDERS.filter((_, index) => isApart[index] !== true)
    const inside = await Promise.all([
      editedBelow(root, together, ports),
      ...FOLDERS.filter((_, index) => isApart[index] === true).map(async (name) => {
        const paths = await editedBelow(joinPath(root, name), undefined, ports)
        return paths.map((path) => joinPath(name, path))
      }),
    ])
    const added = await ports.git.findUntracked(root, 'new', FOLDERS)
    const all = [...new Set([...inside.flat(), ...added])].sort(compareBytes)
    return all.length === 0 ? [] : [describe(root, all)]
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return []
    throw error
  }
}

/** True if the repository around a folder does not have its files under its path: it is a link, or a submodule. */
async function isOther(folder: string, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  if ((await files.stat(folder))?.type === 'link') return true
  return (await files.stat(joinPath(folder, '.git'))) !== undefined
}

/** Paths below a folder; with `within` only those below these folders in it. */
async function editedBelow(
  folder: string,
  within: readonly string[] | undefined,
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<readonly string[]> {
  if (within?.length === 0) return []
  const [committed, unchanged] = await Promise.all([
    git.listCommitted(folder, undefined, within),
    git.listUnchanged(folder, within),
  ])
  const unsure = [...committed].filter(([path, id]) => !path.endsWith('/') && unchanged.get(path) !== id)
  const blobs = await git.readBlobs(folder, [...new Set(unsure.map(([, id]) => id))])
  const found = [...unchanged.keys()].filter((path) => !committed.has(path))
  for (const [path, id] of unsure) {
    const blob = blobs.get(id)
    const now = await textAt(joinPath(folder, path), files)
    if (blob !== undefined && now !== textOf(blob)) found.push(path)
  }
  return found
}

/** Undefined where the file is gone. */
async function textAt(file: string, files: Ports['files']): Promise<string | undefined> {
  try {
    return textOf(await files.read(file))
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

/** Line endings are git's. */
function textOf(bytes: Uint8Array): string {
  return decodeUtf8(bytes).replaceAll('\r\n', '\n')
}

function describe(root: string, paths: readonly string[]): Diagnostic {
  const more = paths.length - MOST
  const shown = `${paths.slice(0, MOST).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return {
    code: 'PUBLISH_NOT_PUSHED',
    severity: 'warning',
    message: `changes of the fleet that are not committed are not published: ${shown}`,
    file: joinPath(root, paths[0] ?? ''),
    hint: 'Commit and push them first, if they should be.',
  }
}
