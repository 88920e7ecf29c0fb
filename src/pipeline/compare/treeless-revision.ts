import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import { parseOwner } from '../../write/tree-owner.ts'

/** A commit that has no tree of the fleet, as people name it. */
interface TreelessRevision {
  readonly fleet: Fleet
  /** stackmason.yaml. */
  readonly file: string
  readonly revision: string
}

/**
 * Tells why a commit may have no tree of a fleet that publishes it to another place: a difference from it calls all new
 * or all gone. Nothing is told of a fleet that has no tree yet.
 * @throws StackmasonError USAGE where another fleet publishes to that place
 */
export async function judgeTreeless(
  { fleet, file, revision }: TreelessRevision,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<readonly Diagnostic[]> {
  const { branch, path, repository, at } = fleet.publish
  const root = await findRepository(fleet.root, ports)
  const other = root === undefined || path === undefined ? '' : await ownerIn(joinPath(root, path), revision, ports)
  if (other !== '' && other !== fleet.name) throw otherFleet(revision, other, fleet.name)
  const isThere = branch === undefined || revision === branch || revision.endsWith(`/${branch}`)
  if (isThere && repository === undefined) return []
  const where = repository === undefined ? `branch "${branch ?? ''}"` : 'another repository'
  return [
    {
      code: 'BASE_UNUSED',
      severity: 'warning',
      message: `${revision} has no tree of this fleet, which spec.publish puts into ${where}: all of it counts as new, or as gone`,
      at,
      ...(at === undefined && { file }),
      hint:
        repository === undefined
          ? `Compare with what is published: \`stackmason diff ${shellWord(`origin/${branch ?? ''}`)} render\`.`
          : 'Compare with a checkout of that: a word that begins with ../ is the folder of a tree.',
    },
  ]
}

/** The name of the fleet whose tree a commit has in a folder; '' where there is none. */
async function ownerIn(folder: string, revision: string, { git }: Pick<Ports, 'git'>): Promise<string> {
  const found = await git.readCommitted(
    folder,
    (path) => path === OWNER_FILE,
    revision === 'HEAD' ? undefined : revision,
  )
  const text = found.get(OWNER_FILE)
  return text === undefined ? '' : (parseOwner(decodeUtf8(text)).name ?? '')
}

function otherFleet(revision: string, other: string, name: string): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `${revision} holds the tree of fleet ${other}, not of ${name}`,
    hint: `To compare two fleets, name two folders: \`git worktree add ../${other} ${shellWord(revision)}\` makes one of a commit, and \`stackmason diff ../${name} ../${other}\` compares.`,
  })
}
