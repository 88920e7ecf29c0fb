import { joinPath } from '../../codec/path.ts'
import { checkToolChange, toolOfFiles } from '../../handoff/steps/check-tool-change.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { HANDOFF } from '../../model/tree-path.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'

/**
 * Compares the GitOps tool of the fleet with that of the tree which this run replaces, or with `place.from` `disk`
 * judges.
 * @throws StackmasonError HANDOFF_TOOL_CHANGES
 */
export async function checkTool(
  repository: FleetRepository,
  place: TreeRevision,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  const found = checkToolChange(await toolOfTree(output, place, ports), repository)
  if (found.some(({ severity }) => severity === 'error')) throw new StackmasonError(found)
  return { findings: found }
}

async function toolOfTree(
  output: string,
  { from, base }: TreeRevision,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<GitopsTool | undefined> {
  const handoff = joinPath(output, HANDOFF)
  if (from === 'commit' || base !== undefined) {
    // the whole tree, because the rest of it is read next: git tells of it once
    const paths = await committedPaths(output, base, ports)
    const committed = toolOfFiles(paths.filter((path) => path.startsWith(`${HANDOFF}/`)))
    if (committed !== undefined || base !== undefined) return committed
  }
  const onDisk = toolOfFiles(await pathsBelow(handoff, ports))
  if (onDisk === undefined || from === 'disk') return onDisk
  // a tree that is committed without a tool counts, not what lies there
  return (await committedPaths(output, undefined, ports)).length > 0 ? undefined : onDisk
}

/** The committed paths; a failure of git is reported by those who need it. */
async function committedPaths(
  folder: string,
  base: string | undefined,
  { git }: Pick<Ports, 'git'>,
): Promise<readonly string[]> {
  const paths: string[] = []
  const note = (path: string): boolean => {
    paths.push(path)
    return false
  }
  try {
    await git.readCommitted(folder, note, base)
    return paths
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

async function pathsBelow(folder: string, { files }: Pick<Ports, 'files'>): Promise<readonly string[]> {
  try {
    const found: string[] = []
    for (const { name, type } of await files.entries(folder)) {
      if (type === 'file') found.push(name)
      else if (type === 'directory')
        found.push(...(await pathsBelow(joinPath(folder, name), { files })).map((path) => `${name}/${path}`))
    }
    return found
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return []
    throw error
  }
}
