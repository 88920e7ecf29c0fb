import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { CLUSTER_OBJECT, findCommittedTree } from '../fleet/find-committed-tree.ts'
import { isPublishedElsewhere } from '../fleet/follow-moves.ts'

/**
 * The warning for a base that has no tree of a fleet which publishes to another branch of its repository: all of it
 * counts as new there, so a change that goes back is green until `publish` refuses it. So it is without a base, where
 * that branch was fetched and has the tree. `file` is stackmason.yaml.
 */
export async function findTreelessBase(
  repository: FleetRepository,
  { file, revision }: { readonly file: string; readonly revision: Pick<TreeRevision, 'base'> },
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<readonly Diagnostic[]> {
  const { fleet, clusters } = repository
  const { base } = revision
  const { branch, repository: other, at } = fleet.publish
  if (branch === undefined || other !== undefined || clusters.length === 0) return []
  if (base === undefined && !(await isPublishedElsewhere(fleet, { output: joinPath(fleet.root, fleet.output) }, ports)))
    return []
  if (base === branch || base?.endsWith(`/${branch}`) === true) return []
  const output = joinPath(fleet.root, fleet.output)
  if (await hasTree(output, base ?? 'HEAD', ports)) return []
  if ((await findCommittedTree(repository, { file, revision, output }, ports)) !== undefined) return []
  const fetch = `git fetch origin ${shellWord(`+refs/heads/${branch}:refs/remotes/origin/${branch}`)}`
  return [
    {
      code: 'BASE_UNUSED',
      severity: 'warning',
      message: `${base ?? 'the last commit'} has no tree of this fleet, which spec.publish puts into branch "${branch}": compared with it every cluster is new, and no step is missed`,
      at,
      ...(at === undefined && { file }),
      hint: `Name that branch, once the first \`publish\` has made it: \`${fetch}\`, and \`--base ${shellWord(`origin/${branch}`)}\`.`,
    },
  ]
}

async function hasTree(output: string, base: string, { git }: Pick<Ports, 'git'>): Promise<boolean> {
  try {
    const isOfTree = (path: string): boolean => path === OWNER_FILE || CLUSTER_OBJECT.test(path)
    return (await git.readCommitted(output, isOfTree, base)).size > 0
  } catch (error) {
    // whoever reads the committed tree says what is wrong
    if (error instanceof GitError) return true
    throw error
  }
}
