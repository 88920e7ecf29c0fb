import type { StatusEntry, StatusPlace } from '../forge-calls.ts'
import { readPages } from '../forge-client.ts'
import { ForgeShapeError, mapOf, optionalTextAt, textAt } from '../forge-shape.ts'
import type { GiteaRepository } from './gitea-repository.ts'

/** Gitea's states; it counts a warning as a failure where it combines them (`CommitStatusStates.Combine`). */
const states: ReadonlyMap<string, StatusEntry['state']> = new Map([
  ['pending', 'pending'],
  ['success', 'success'],
  ['skipped', 'success'],
  ['error', 'failure'],
  ['failure', 'failure'],
  ['warning', 'failure'],
])

/** The newest status of a name; undefined when there is none. */
export async function readGiteaStatus(
  { client, shown, root }: GiteaRepository,
  { commit, context }: StatusPlace,
): Promise<StatusEntry | undefined> {
  const isIt = (status: { readonly context: string }): boolean => status.context === context
  const statuses = await readPages(client, {
    purpose: `the statuses of ${commit} in ${shown}`,
    operation: 'readStatuses',
    path: (page) => `${root}/commits/${encodeURIComponent(commit)}/status?limit=50&page=${page}`,
    items: (value) => mapOf(value, 'the answer')['statuses'],
    parse: parseStatus,
    isEnough: (items) => items.some(isIt),
  })
  return statuses.find(isIt)?.entry
}

function parseStatus(value: unknown): { readonly context: string; readonly entry: StatusEntry } {
  const map = mapOf(value, 'a status')
  const state = states.get(textAt(map, 'status'))
  if (state === undefined) throw new ForgeShapeError('"status" is none of a commit status')
  return {
    context: textAt(map, 'context'),
    entry: { state, text: optionalTextAt(map, 'description'), url: optionalTextAt(map, 'target_url') },
  }
}
