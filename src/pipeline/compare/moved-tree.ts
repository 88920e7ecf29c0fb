import { joinPath, relativePath } from '../../codec/path.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import { findCommittedTree } from '../fleet/find-committed-tree.ts'
import { type OpenTree, openRevision } from './open-tree.ts'

/**
 * The tree of a fleet as a commit has it: where the output folder is empty there, and the fleet's tree lies in another
 * folder, that one. Its label says so, for every path in it counts from that folder. `file` is stackmason.yaml.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED
 */
export async function followMove(
  opened: OpenTree,
  { fleet, file, revision }: { readonly fleet: Fleet; readonly file: string; readonly revision: string },
  ports: Pick<Ports, 'files' | 'git' | 'crypto'>,
): Promise<OpenTree> {
  if (opened.files.size > 0) return opened
  const output = joinPath(fleet.root, fleet.output)
  const base = revision === 'HEAD' ? undefined : revision
  const folder = await findCommittedTree({ fleet, clusters: [] }, { file, revision: { base }, output }, ports)
  if (folder === undefined) return opened
  const tree = await openRevision(folder, revision, ports)
  const root = await findRepository(output, ports)
  const { path } = fleet.publish
  // a branch that holds nothing else has it at its own path
  if (root !== undefined && path !== undefined && joinPath(root, path) === folder)
    return { ...tree, label: `${opened.label} (its tree is in ${relativePath(root, folder)} there)` }
  const [was, is] = [relativePath(fleet.root, folder), relativePath(fleet.root, output)]
  return { ...tree, label: `${opened.label} (its tree was in ${was} and has moved to ${is})` }
}
