import { joinPath } from '../../codec/path.ts'
import type { Ports } from '../../model/ports.ts'
import { parseOwner } from '../../write/tree-owner.ts'

/** The file of a tree's owner, and the folder of the tree. */
interface MarkedTree {
  readonly text: string
  /** Absolute. */
  readonly folder: string
}

/**
 * True if a tree is that of a fleet: the file says whose it is, also where the fleet is renamed; a tree that has moved
 * keeps its path. `file` is the fleet's stackmason.yaml.
 */
export async function isOwnTree(
  { text, folder }: MarkedTree,
  { file, name }: { readonly file: string; readonly name: string },
  { files }: Pick<Ports, 'files'>,
): Promise<boolean> {
  const owner = parseOwner(text)
  const written = joinPath(folder, owner.file ?? '')
  if (written === file) return true
  return owner.name === name && (await files.stat(written))?.type !== 'file'
}
