import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import { FileError } from '../../model/ports.ts'
import { HANDOFF, KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { Dict } from '../../model/value.ts'
import { listCommit } from './list-tree.ts'
import { parseOrNull } from './parse-committed.ts'
import { readCommit, readDiskFile, type Texts, type TreePorts, type TreeRevision } from './tree-files.ts'

/**
 * The GitOps tool's objects that all namespaces share, as the commit has them that a run follows on, also where the
 * tree on disk is judged; those on disk where no commit has a tree. A file that holds no object tells nothing: the run
 * writes it anew.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED
 */
export async function readSharedHandoff(
  output: string,
  { from, base }: Pick<TreeRevision, 'from' | 'base'>,
  ports: TreePorts,
): Promise<readonly Dict[]> {
  const texts = (await committedTexts(output, { from, base }, ports)) ?? (await textsOnDisk(output, ports))
  return [...texts.values()].flatMap((text) => {
    const object = parseOrNull(text)
    return object instanceof Dict ? [object] : []
  })
}

/** Undefined where no commit has a tree. */
async function committedTexts(
  output: string,
  { from, base }: Pick<TreeRevision, 'from' | 'base'>,
  ports: TreePorts,
): Promise<Texts | undefined> {
  try {
    const texts = await readCommit({ output, folder: HANDOFF }, isShared, { base, ports })
    const isThere = texts.size > 0 || base !== undefined
    return isThere || (await listCommit({ output, folder: '' }, undefined, ports)).length > 0 ? texts : undefined
  } catch (error) {
    // a check needs no git
    if (from === 'disk' && base === undefined && error instanceof StackmasonError && error.cause instanceof GitError)
      return undefined
    throw error
  }
}

async function textsOnDisk(output: string, ports: TreePorts): Promise<Texts> {
  const folder = joinPath(output, HANDOFF)
  const texts = new Map<string, string>()
  try {
    for (const { name, type } of await ports.files.entries(folder))
      if (type === 'file' && isShared(name)) texts.set(name, await readDiskFile(joinPath(folder, name), ports))
  } catch (error) {
    const isAbsent = error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')
    if (!isAbsent) throw error
  }
  return texts
}

function isShared(path: string): boolean {
  return path.endsWith('.yaml') && path !== KUSTOMIZATION_FILE && !path.includes('/')
}
