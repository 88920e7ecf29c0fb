import { CLUSTERS, HANDOFF, STACKS } from '../../model/tree-path.ts'

const TREE: ReadonlySet<string> = new Set([STACKS, CLUSTERS, HANDOFF])

/** All of the folder that git was asked about. */
export const ALL = './'

/**
 * True if a path below the output folder, as git tells what it does not have, is that of a file that is rendered, or of
 * a folder of such files.
 */
export function isRendered(path: string): boolean {
  if (path === ALL) return true
  const [top = '', ...others] = path.split('/')
  return TREE.has(top) && others.every((name) => !name.startsWith('.')) && /(?:\/|\.yaml)$/.test(path)
}
