import { StackmasonError } from '../../model/diagnostic.ts'
import type { BranchCommit, RemoteAccess } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { fleetTrailer, trailerOf, trailers } from '../../publish/own-commits.ts'

/** Commits of a branch, and the fleet that is to publish to it. */
export interface NamesakeQuestion {
  readonly remote: RemoteAccess
  /** The commit that is rendered. */
  readonly source: string
  /** The stackmason.yaml in it, from the root of the repository. */
  readonly file: string
  readonly branch: string
  readonly commits: readonly BranchCommit[]
}

/**
 * Refuses a branch with a commit of another fleet of this repository: it has the same name, so each of them would take
 * the branch for its own. A commit that does not say whose it is, or is of a file that is gone, belongs to this fleet.
 * @throws StackmasonError WRITE_OTHER_FLEET
 */
export async function refuseNamesake(
  { remote, source, file, branch, commits }: NamesakeQuestion,
  { gitWriter }: Pick<Ports, 'gitWriter'>,
): Promise<void> {
  for (const { message } of commits) {
    const other = trailerOf(message, trailers.fleet)
    if (other === undefined || other === fleetTrailer(file)) continue
    if ((await gitWriter.treeOf(remote.repository, source, other)) === undefined) continue
    throw new StackmasonError({
      code: 'WRITE_OTHER_FLEET',
      severity: 'error',
      message: `branch ${branch} holds what ${other} publishes, a fleet of the same name; this is ${file}`,
      hint: 'Give each fleet of a repository a metadata.name of its own. For pull requests a spec.publish.branchPrefix of its own is enough.',
    })
  }
}
