import type { Ports } from '../../model/ports.ts'
import { trailerOf, trailers } from '../../publish/own-commits.ts'
import type { RemoteAccess } from '../../model/git-writer.ts'

/** A commit of inputs, and where the tree is that was rendered from an earlier one. */
interface PublishedTree {
  readonly source: string
  readonly target: string | undefined
  readonly remote: RemoteAccess
  /** The folder of the tree. */
  readonly path: string
}

/** Commits of one merge that are looked at. */
const COMMITS = 50

/**
 * The commit of the inputs that the tree of the branch was rendered from: what its last change says, if that is an
 * earlier commit of the same inputs; else that change itself, where it has inputs. Undefined where there is neither.
 */
export async function publishedSource(
  { source, target, remote, path }: PublishedTree,
  { isElsewhere }: { readonly isElsewhere: boolean },
  { gitWriter }: Pick<Ports, 'gitWriter'>,
): Promise<string | undefined> {
  const { repository } = remote
  const last = target === undefined ? undefined : await gitWriter.lastChange(repository, target, path)
  if (last === undefined) return undefined
  const [commit] = await gitWriter.commitsBetween(repository, { from: undefined, to: last, limit: 1 })
  const [parent, merged] = commit?.parents ?? []
  const commits =
    commit === undefined || merged === undefined
      ? [commit]
      : await gitWriter.commitsBetween(repository, { from: parent, to: last, limit: COMMITS })
  for (const one of commits) {
    const named = one === undefined ? undefined : trailerOf(one.message, trailers.source)
    const isCommit = named !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(named)
    if (isCommit && (await gitWriter.mergeBase(repository, named, source)) === named) return named
  }
  return isElsewhere ? undefined : last
}
