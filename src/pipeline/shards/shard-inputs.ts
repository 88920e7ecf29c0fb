import { joinPath } from '../../codec/path.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { gitProblem } from '../../sources/committed/tree-files.ts'
import type { Digests } from '../expand/digest-unit.ts'
import type { RunInputs } from '../expand/sharded-units.ts'

/** Digests of what a run of the whole fleet is made from: equal ones, equal inputs. */
export interface ShardInputs {
  /** stackmason.yaml, all clusters with what the fleet says of them, and templates of the GitOps tool's objects. */
  readonly configuration: string
  /** stackmason.lock, and the content of every release. */
  readonly releases: string
  /** The committed tree that the steps of clusters follow on. */
  readonly tree: string
}

/** Digests the inputs of a run. @throws StackmasonError GIT_FAILED, BASE_UNKNOWN */
export async function digestInputs(
  { repository, lock, loaded, sources, base }: RunInputs,
  digests: Digests,
  { git }: Pick<Ports, 'git'>,
): Promise<ShardInputs> {
  const { fleet, clusterStacks, clusters } = repository
  return {
    configuration: digests.of([fleet, clusterStacks, clusters.map(digests.cluster), sources]),
    releases: digests.of([
      lock,
      loaded.needed.map(({ namespace, name }) => [namespace, name]),
      [...loaded.releases].map(([tag, { digest }]) => [tag, digest]),
    ]),
    tree: digests.of(fleet.handoff === undefined ? [] : [...(await committedFiles(repository, base, git))]),
  }
}

async function committedFiles(
  { fleet }: FleetRepository,
  base: string | undefined,
  git: Ports['git'],
): Promise<ReadonlyMap<string, string>> {
  const output = joinPath(fleet.root, fleet.output)
  try {
    return await git.listCommitted(output, base)
  } catch (error) {
    throw error instanceof GitError ? gitProblem(error, output) : error
  }
}
