import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { hasGeneratedHead } from '../../codec/text/generated-head.ts'
import type { Fleet, FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { isOwnTree } from './is-own-tree.ts'

/** A Cluster object in some tree: the folder of the tree, and the cluster's namespace and name. */
export const CLUSTER_OBJECT: RegExp = /^(?:(.+)\/)?clusters\/([^/]+\/[^/]+)\/cluster\/cluster-[^/]+\.yaml$/

/** The folder of a committed tree of this fleet, if none is committed in the output folder. */
export async function findCommittedTree(
  { fleet: { root, name }, clusters }: Pick<FleetRepository, 'fleet' | 'clusters'>,
  {
    file,
    revision,
    output,
  }: { readonly file: string; readonly revision: Pick<TreeRevision, 'base'>; readonly output: string },
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<string | undefined> {
  const names = new Set(clusters.map(objectPath))
  const isTold = (path: string): boolean =>
    baseName(path) === OWNER_FILE || names.has(CLUSTER_OBJECT.exec(path)?.[2] ?? '')
  try {
    const found = await git.readCommitted(root, isTold, revision.base)
    const owners = [...found].filter(([path]) => baseName(path) === OWNER_FILE)
    const marked = new Set(owners.map(([path]) => dirName(joinPath(root, path))))
    const own: string[] = []
    for (const [path, bytes] of found) {
      const text = decodeUtf8(bytes)
      const object = CLUSTER_OBJECT.exec(path)
      if (object === null) {
        const folder = dirName(joinPath(root, path))
        if (await isOwnTree({ text, folder }, { file, name }, { files })) own.push(folder)
        continue
      }
      // a tree that does not say whose it is, as a .gitignore may leave it, and has clusters of this fleet
      const tree = joinPath(root, object[1] ?? '')
      if (!marked.has(tree) && hasGeneratedHead(text)) own.push(tree)
    }
    return own.includes(output) ? undefined : own[0]
  } catch (error) {
    // whoever reads the committed tree says what is wrong
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** The folder of another tree of a fleet that the last commit has beside the one in the output folder. */
export async function findSecondTree(
  { root, name }: Fleet,
  { file, output }: { readonly file: string; readonly output: string },
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<string | undefined> {
  try {
    const marks = await git.readCommitted(root, (path) => baseName(path) === OWNER_FILE)
    for (const [path, bytes] of marks) {
      const folder = dirName(joinPath(root, path))
      const isElsewhere = folder !== output && (await files.stat(joinPath(root, path))) !== undefined
      if (isElsewhere && (await isOwnTree({ text: decodeUtf8(bytes), folder }, { file, name }, { files })))
        return folder
    }
    return undefined
  } catch (error) {
    // whoever reads the committed tree says what is wrong
    if (error instanceof GitError) return undefined
    throw error
  }
}
