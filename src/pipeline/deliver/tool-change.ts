import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { checkToolChange, toolOfFiles } from '../../handoff/steps/check-tool-change.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { Ports } from '../../model/ports.ts'
import { HANDOFF } from '../../model/tree-path.ts'
import { listCommit, listDisk } from '../../sources/committed/list-tree.ts'
import { parseOrNull } from '../../sources/committed/parse-committed.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'

/** The tree that a run replaces, and how much of it the run reads afterwards. */
export interface ReplacedTree extends TreeRevision {
  readonly reads: 'all' | 'few'
}

/**
 * Compares the GitOps tool of the fleet with that of the tree which this run replaces, or with `replaced.from` `disk`
 * judges.
 * @throws StackmasonError HANDOFF_TOOL_CHANGES
 */
export async function checkTool(
  repository: FleetRepository,
  replaced: ReplacedTree,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  const before = await toolOfTree(output, replaced, ports)
  const found = checkToolChange(
    before,
    repository,
    await retiredBefore(repository, before, { replaced, git: ports.git }),
  )
  if (found.some(({ severity }) => severity === 'error')) throw new StackmasonError(found)
  return { findings: found }
}

/** The `retiredTool` in stackmason.yaml of the commit of the tree; '' for none, and where nothing depends on it. */
async function retiredBefore(
  { fleet: { root, handoff, retiredTool } }: FleetRepository,
  before: GitopsTool | undefined,
  { replaced: { from, base }, git }: { readonly replaced: ReplacedTree; readonly git: Ports['git'] },
): Promise<string> {
  const isAsked = retiredTool !== undefined && retiredTool.tool === before && handoff?.tool !== before
  if (!isAsked || (from === 'disk' && base === undefined)) return ''
  const file = 'stackmason.yaml'
  const bytes = (await git.readCommitted(root, (path) => path === file, base)).get(file)
  return bytes === undefined ? '' : textAt(parseOrNull(decodeUtf8(bytes)), 'spec', 'retiredTool')
}

async function toolOfTree(
  output: string,
  { from, base, reads }: ReplacedTree,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<GitopsTool | undefined> {
  if (from === 'commit' || base !== undefined) {
    // mostly the whole tree, because the rest of it is read next: git tells of it once
    const paths = await listCommit({ output, folder: reads === 'all' ? '' : HANDOFF }, base, ports)
    const below = reads === 'all' ? `${HANDOFF}/` : ''
    const committed = toolOfFiles(paths.filter((path) => path.startsWith(below)))
    if (committed !== undefined || base !== undefined) return committed
  }
  const onDisk = toolOfFiles(await listDisk({ output, folder: HANDOFF }, ports))
  if (onDisk === undefined || from === 'disk') return onDisk
  // a tree that is committed without a tool counts, not what lies there
  return (await listCommit({ output, folder: '' }, undefined, ports)).length > 0 ? undefined : onDisk
}
