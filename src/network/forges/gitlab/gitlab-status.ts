import type { StatusEntry, StatusPlace } from '../forge-calls.ts'
import { readPages } from '../forge-client.ts'
import { countAt, mapOf, optionalTextAt, textAt } from '../forge-shape.ts'
import type { GitLabProject } from './gitlab-project.ts'

const good: ReadonlySet<string> = new Set(['success', 'skipped'])
const bad: ReadonlySet<string> = new Set(['failed', 'canceled', 'canceling'])

interface Status {
  readonly id: number
  readonly name: string
  readonly entry: StatusEntry
}

/** The newest status of a name, among them jobs of pipelines; undefined when there is none. */
export async function readGitLabStatus(
  { client, shown, root }: GitLabProject,
  { commit, context }: StatusPlace,
): Promise<StatusEntry | undefined> {
  const place = `${root}/repository/commits/${encodeURIComponent(commit)}/statuses`
  const statuses = await readPages(client, {
    purpose: `the statuses of ${commit} in ${shown}`,
    operation: 'readStatuses',
    path: (page) => `${place}?name=${encodeURIComponent(context)}&per_page=100&page=${page}`,
    parse: parseStatus,
  })
  const named = statuses.filter(({ name }) => name === context)
  return named.toSorted((a, b) => b.id - a.id)[0]?.entry
}

/** What has not ended is awaited, whatever it is called. */
function parseStatus(value: unknown): Status {
  const map = mapOf(value, 'a status')
  const status = textAt(map, 'status')
  // a job that may fail fails nothing
  const isFine = good.has(status) || (status === 'failed' && map['allow_failure'] === true)
  return {
    id: countAt(map, 'id'),
    name: textAt(map, 'name'),
    entry: {
      state: isFine ? 'success' : bad.has(status) ? 'failure' : 'pending',
      text: optionalTextAt(map, 'description'),
      url: optionalTextAt(map, 'target_url'),
    },
  }
}
