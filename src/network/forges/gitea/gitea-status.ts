import type { NamedStatus } from '../../../model/forge.ts'
import type { StatusEntry, StatusKey } from '../forge-calls.ts'
import { readPages } from '../forge-client.ts'
import { ForgeShapeError, mapOf, optionalTextAt, textAt } from '../forge-shape.ts'
import type { GiteaRepository } from './gitea-repository.ts'

/** Gitea's states; it counts a warning as a failure where it combines them (`CommitStatusStates.Combine`). */
const states: ReadonlyMap<string, StatusEntry['state']> = new Map([
  ['pending', 'pending'],
  ['success', 'success'],
  ['skipped', 'skipped'],
  ['error', 'failure'],
  ['failure', 'failure'],
  ['warning', 'failure'],
])

interface Status {
  readonly context: string
  readonly entry: StatusEntry
}

/** The newest status of a name; undefined when there is none. */
export async function readGiteaStatus(
  repository: GiteaRepository,
  { commit, context }: StatusKey,
): Promise<StatusEntry | undefined> {
  const isIt = (status: Status): boolean => status.context === context
  const statuses = await readStatuses(repository, commit, (items) => items.some(isIt))
  return statuses.find(isIt)?.entry
}

/** The newest status of each name. */
export async function readGiteaStatuses(repository: GiteaRepository, commit: string): Promise<readonly NamedStatus[]> {
  const statuses = await readStatuses(repository, commit, () => false)
  return statuses.map(({ context, entry: { state } }) => ({ context, state }))
}

/** Gitea gives the newest of each name. */
async function readStatuses(
  { client, shown, root }: GiteaRepository,
  commit: string,
  isEnough: (items: readonly Status[]) => boolean,
): Promise<readonly Status[]> {
  return readPages(client, {
    purpose: `the statuses of ${commit} in ${shown}`,
    operation: 'readStatuses',
    path: (page) => `${root}/commits/${encodeURIComponent(commit)}/status?limit=50&page=${page}`,
    items: (value) => mapOf(value, 'the answer')['statuses'],
    parse: parseStatus,
    isEnough,
  })
}

function parseStatus(value: unknown): Status {
  const map = mapOf(value, 'a status')
  const state = states.get(textAt(map, 'status'))
  if (state === undefined) throw new ForgeShapeError('"status" is none of a commit status')
  return {
    context: textAt(map, 'context'),
    entry: { state, text: optionalTextAt(map, 'description'), url: optionalTextAt(map, 'target_url') },
  }
}
