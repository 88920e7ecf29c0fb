import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { shortCommit } from '../../model/git.ts'
import type { RemoteAccess, RemoteRefs } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import { findOtherPublisher } from '../../write/check-owner.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { trailerOf, trailers } from '../../publish/own-commits.ts'
import { HISTORY } from './open-checkout.ts'
import { type NamesakeQuestion, refuseNamesake } from './refuse-namesake.ts'

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** A tree on a branch of another repository, or apart from the fleet's files, and the fleet that publishes it. */
export interface PublisherQuestion extends Omit<NamesakeQuestion, 'commits'> {
  /** The newest commit of the branch. */
  readonly target: string
  /** The folder of the tree, from the root of the repository. */
  readonly path: string
  /** Name of the fleet. */
  readonly fleet: string
  /** The repository of its inputs, and what there is in it. */
  readonly home: RemoteAccess
  readonly refs: RemoteRefs['refs']
}

/**
 * Refuses a tree that another fleet publishes: the last commit that changed it says so, or the file of its owner, or it
 * was made of a commit that the fleet's repository does not have.
 * @throws StackmasonError WRITE_OTHER_FLEET
 */
export async function refuseOtherFleet(
  { target, path, fleet, home, refs, ...question }: PublisherQuestion,
  ports: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<void> {
  const { git, gitWriter } = ports
  const { remote, branch } = question
  const { repository } = remote
  const last = await gitWriter.lastChange(repository, target, path)
  const commits =
    last === undefined ? [] : await gitWriter.commitsBetween(repository, { from: undefined, to: last, limit: 1 })
  await refuseNamesake({ ...question, commits }, { gitWriter })
  const published = commits.map(({ message }) => trailerOf(message, trailers.source)).find((one) => one !== undefined)
  const file = path === '' ? OWNER_FILE : joinPath(path, OWNER_FILE)
  const owner = await gitWriter.treeOf(repository, target, file)
  const text = owner === undefined ? undefined : (await git.readBlobs(repository, [owner])).get(owner)
  if (text === undefined) return
  const other = findOtherPublisher({ text: decodeUtf8(text), file, branch, fleet })
  if (other !== undefined) throw new StackmasonError(other)
  if (published === undefined || (await mayHold(published, { home, refs }, ports))) return
  throw new StackmasonError({
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `branch ${branch} holds the tree of a fleet of this name (${file}), published from commit ${shortCommit(published)}, which ${shownUrl(home.url)} does not have`,
    hint: `Give each fleet a metadata.name of its own, and a branch or a folder. If the history of this fleet was rewritten, or it takes over that tree, say so by a change of ${file} on that branch, such as a comment, and publish again.`,
  })
}

/** False if the history of a repository is known as a whole, and has no such commit. @throws GitError, GitWriteError */
async function mayHold(
  commit: string,
  { home, refs }: Pick<PublisherQuestion, 'home' | 'refs'>,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<boolean> {
  const { repository } = home
  const isHere = async (): Promise<boolean> => (await gitWriter.mergeBase(repository, commit, commit)) !== undefined
  if (!COMMIT.test(commit) || (await isHere()) || (await git.history(repository)) !== 'whole') return true
  // a clone may have some of the branches
  const heads = [...refs.keys()].filter((name) => name.startsWith('refs/heads/'))
  await gitWriter.fetch(home, heads, HISTORY)
  return isHere()
}
