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

/** Commits of people on top of one that was published. */
const COMMITS = 50
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
  const file = path === '' ? OWNER_FILE : joinPath(path, OWNER_FILE)
  const owner = await gitWriter.treeOf(repository, target, file)
  const text = owner === undefined ? undefined : (await git.readBlobs(repository, [owner])).get(owner)
  if (text === undefined) return
  const other = findOtherPublisher({ text: decodeUtf8(text), file, branch, fleet })
  if (other !== undefined) throw new StackmasonError(other)
  const published = await sourceOf(file, { repository, target, path }, ports)
  if (published === undefined || (await mayHold(published, { home, refs }, ports))) return
  throw new StackmasonError({
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `branch ${branch} holds the tree of a fleet of this name (${file}), published from commit ${shortCommit(published)}, which ${shownUrl(home.url)} does not have`,
    hint: `Give each fleet a metadata.name of its own, and a branch or a folder. If the history of this fleet was rewritten, or it takes over that tree, say so by a change of ${file} on that branch, such as a comment, and publish again.`,
  })
}

/** The commit that a tree was last published from; undefined where somebody has changed the file of its owner since. */
async function sourceOf(
  file: string,
  { repository, target, path }: { readonly repository: string; readonly target: string; readonly path: string },
  { gitWriter }: Pick<Ports, 'gitWriter'>,
): Promise<string | undefined> {
  const changed = await gitWriter.lastChange(repository, target, file)
  let at: string | undefined = target
  // other fleets may publish to other folders of the branch
  for (let count = 0; at !== undefined && count < COMMITS; count++) {
    const last: string | undefined = await gitWriter.lastChange(repository, at, path)
    if (last === undefined) return undefined
    const [commit] = await gitWriter.commitsBetween(repository, { from: undefined, to: last, limit: 1 })
    const source = commit === undefined ? undefined : trailerOf(commit.message, trailers.source)
    if (source !== undefined || last === changed) return source
    at = commit?.parents[0]
  }
  return undefined
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
