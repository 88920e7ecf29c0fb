import type { NamedStatus } from '../../../model/forge.ts'
import type { StatusEntry, StatusKey } from '../forge-calls.ts'
import { readPages } from '../forge-client.ts'
import { countAt, mapOf, optionalTextAt, textAt } from '../forge-shape.ts'
import type { GitLabProject } from './gitlab-project.ts'

/** Those that have ended; a job that may fail has failed all the same. */
const states: ReadonlyMap<string, StatusEntry['state']> = new Map([
  ['success', 'success'],
  ['skipped', 'skipped'],
  ['failed', 'failure'],
  ['canceled', 'failure'],
  ['canceling', 'failure'],
])

interface Status {
  readonly id: number
  readonly name: string
  readonly entry: StatusEntry
}

/** The newest status of a name, among them jobs of pipelines; undefined when there is none. */
export async function readGitLabStatus(
  project: GitLabProject,
  { commit, context }: StatusKey,
): Promise<StatusEntry | undefined> {
  const statuses = await readStatuses(project, commit, `name=${encodeURIComponent(context)}&`)
  return newestByName(statuses).get(context)?.entry
}

/** The newest status of each name, among them jobs of pipelines. */
export async function readGitLabStatuses(project: GitLabProject, commit: string): Promise<readonly NamedStatus[]> {
  const newest = newestByName(await readStatuses(project, commit, ''))
  return Array.from(newest, ([context, { entry }]) => ({ context, state: entry.state }))
}

async function readStatuses(
  { client, shown, root }: GitLabProject,
  commit: string,
  query: string,
): Promise<readonly Status[]> {
  const statuses = `${root}/repository/commits/${encodeURIComponent(commit)}/statuses`
  return readPages(client, {
    purpose: `the statuses of ${commit} in ${shown}`,
    operation: 'readStatuses',
    path: (page) => `${statuses}?${query}per_page=100&page=${page}`,
    parse: parseStatus,
  })
}

function newestByName(statuses: readonly Status[]): ReadonlyMap<string, Status> {
  return new Map(statuses.toSorted((a, b) => a.id - b.id).map((status) => [status.name, status]))
}

/** Reads a status: one that has not ended is pending, whatever it is called. */
function parseStatus(value: unknown): Status {
  const map = mapOf(value, 'a status')
  return {
    id: countAt(map, 'id'),
    name: textAt(map, 'name'),
    entry: {
      state: states.get(textAt(map, 'status')) ?? 'pending',
      text: optionalTextAt(map, 'description'),
      url: optionalTextAt(map, 'target_url'),
    },
  }
}
