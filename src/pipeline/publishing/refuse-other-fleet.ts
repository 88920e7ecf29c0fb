import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import { findOtherPublisher } from '../../write/check-owner.ts'
import { type NamesakeQuestion, refuseNamesake } from './refuse-namesake.ts'

/** A tree on a branch of another repository, or apart from the fleet's files, and the fleet that publishes it. */
export interface PublisherQuestion extends Omit<NamesakeQuestion, 'commits'> {
  /** The newest commit of the branch. */
  readonly target: string
  /** The folder of the tree, from the root of the repository. */
  readonly path: string
  /** Name of the fleet. */
  readonly fleet: string
}

/**
 * Refuses a tree that another fleet publishes: the last commit that changed it says so, or the file of its owner.
 * @throws StackmasonError WRITE_OTHER_FLEET
 */
export async function refuseOtherFleet(
  { target, path, fleet, ...question }: PublisherQuestion,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<void> {
  const { remote, branch } = question
  const { repository } = remote
  const last = await gitWriter.lastChange(repository, target, path)
  if (last !== undefined) {
    const commits = await gitWriter.commitsBetween(repository, { from: undefined, to: last, limit: 1 })
    await refuseNamesake({ ...question, commits }, { gitWriter })
  }
  const file = path === '' ? OWNER_FILE : joinPath(path, OWNER_FILE)
  const owner = await gitWriter.treeOf(repository, target, file)
  const text = owner === undefined ? undefined : (await git.readBlobs(repository, [owner])).get(owner)
  if (text === undefined) return
  const other = findOtherPublisher({ text: decodeUtf8(text), file, branch, fleet })
  if (other !== undefined) throw new StackmasonError(other)
}
