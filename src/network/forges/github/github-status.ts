import type { CommitStatus, NamedStatus } from '../../../model/forge.ts'
import type { StatusEntry, StatusKey } from '../forge-calls.ts'
import { countAt, ForgeShapeError, isMap, type JsonMap, mapOf, optionalTextAt, textAt } from '../forge-shape.ts'
import { type GitHubRepository, listGitHub } from './github-client.ts'

const conclusions: ReadonlyMap<string, StatusEntry['state']> = new Map([
  ['success', 'success'],
  ['neutral', 'skipped'],
  ['skipped', 'skipped'],
])

/** A check run, as far as it is of use. */
export interface GitHubCheckRun {
  readonly state: StatusEntry['state']
  readonly isCompleted: boolean
  /** The id that we gave it; '' for none. */
  readonly externalId: string
}

/** The newest status of a name, which GitHub takes in any case of letters; undefined when there is none. */
export async function readGitHubStatus(
  repository: GitHubRepository,
  { commit, context }: StatusKey,
): Promise<StatusEntry | undefined> {
  const name = context.toLowerCase()
  const isIt = ({ context: other }: Status): boolean => other.toLowerCase() === name
  const statuses = await readStatuses(repository, commit, (items) => items.some(isIt))
  return statuses.find(isIt)?.entry
}

/**
 * The newest status of each name, and the check runs, of which several may have one name. One does not hide the other:
 * what a status says, no job has seen.
 */
export async function readGitHubStatuses(
  repository: GitHubRepository,
  commit: string,
): Promise<readonly NamedStatus[]> {
  const statuses = await readStatuses(repository, commit, () => false)
  const runs = inForce(await readCheckRuns(repository, commit))
  const named = statuses.map(({ context, entry: { state } }) => ({ context, state }))
  return [...named, ...runs.map(({ context, state }) => ({ context, state }))]
}

interface NamedCheckRun extends NamedStatus {
  readonly id: number
  /** The id of the app that reports it; 0 for none. */
  readonly app: number
  /** In milliseconds; undefined before its start. */
  readonly started: number | undefined
}

/**
 * The check runs that count. GitHub gives the newest of each suite, and each event that starts a job makes a suite of
 * its own: one that is skipped there may run in another, later. One that failed is made good in its own suite only.
 */
function inForce(runs: readonly NamedCheckRun[]): readonly NamedCheckRun[] {
  const keyOf = ({ app, context }: NamedCheckRun): string => `${app} ${context}`
  const newest = new Map<string, NamedCheckRun>()
  for (const run of runs.filter(({ state }) => state === 'success' || state === 'pending')) {
    const known = newest.get(keyOf(run))
    if (known === undefined || isNewer(run, known)) newest.set(keyOf(run), run)
  }
  return runs.filter((run) => {
    const later = run.state === 'skipped' ? newest.get(keyOf(run)) : undefined
    return later === undefined || !isNewer(later, run)
  })
}

function isNewer(run: NamedCheckRun, other: NamedCheckRun): boolean {
  const isDated = run.started !== undefined && other.started !== undefined
  return isDated && run.started !== other.started ? run.started > other.started : run.id > other.id
}

interface Status {
  readonly context: string
  readonly entry: StatusEntry
}

/** GitHub gives the newest of each name. */
async function readStatuses(
  { client, owner, repo }: GitHubRepository,
  commit: string,
  isEnough: (items: readonly Status[]) => boolean,
): Promise<readonly Status[]> {
  return listGitHub(
    client,
    { purpose: `the statuses of ${commit} in ${owner}/${repo}`, operation: 'readStatuses' },
    {
      ask: (octokit) =>
        octokit.paginate.iterator('GET /repos/{owner}/{repo}/commits/{ref}/status', {
          owner,
          repo,
          ref: commit,
          per_page: 100,
        }),
      items: (data) => mapOf(data, 'the answer')['statuses'],
      parse: parseStatus,
      isEnough,
    },
  )
}

async function readCheckRuns(
  { client, owner, repo }: GitHubRepository,
  commit: string,
): Promise<readonly NamedCheckRun[]> {
  return listGitHub(
    client,
    { purpose: `the check runs of ${commit} in ${owner}/${repo}`, operation: 'readStatuses' },
    {
      ask: (octokit) =>
        octokit.paginate.iterator('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
          owner,
          repo,
          ref: commit,
          filter: 'latest',
          per_page: 100,
        }),
      parse: parseNamedCheckRun,
    },
  )
}

/** The state of the newest check run of a name. */
export async function readGitHubCheckRun(repository: GitHubRepository, key: StatusKey): Promise<CommitStatus> {
  return (await latestGitHubCheckRun(repository, key))?.state ?? 'missing'
}

/** The newest check run of a name; undefined when there is none. */
export async function latestGitHubCheckRun(
  { client, owner, repo }: GitHubRepository,
  { commit, context }: StatusKey,
): Promise<GitHubCheckRun | undefined> {
  const [newest] = await listGitHub(
    client,
    { purpose: `the check runs of ${commit} in ${owner}/${repo}`, operation: 'readStatuses' },
    {
      ask: (octokit) =>
        octokit.paginate.iterator('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
          owner,
          repo,
          ref: commit,
          check_name: context,
          filter: 'latest',
          per_page: 1,
        }),
      parse: parseCheckRun,
      isEnough: () => true,
    },
  )
  return newest
}

function parseStatus(value: unknown): Status {
  const map = mapOf(value, 'a status')
  return {
    context: textAt(map, 'context'),
    entry: {
      state: stateOf(map),
      text: optionalTextAt(map, 'description'),
      url: optionalTextAt(map, 'target_url'),
    },
  }
}

function stateOf(map: JsonMap): StatusEntry['state'] {
  const state = textAt(map, 'state')
  if (state === 'success' || state === 'pending' || state === 'failure') return state
  if (state === 'error') return 'failure'
  throw new ForgeShapeError('"state" is none of a commit status')
}

/** GitHub skips a job when one that it needs has failed: that says nothing. What else did not end well has failed. */
function parseCheckRun(value: unknown): GitHubCheckRun {
  const map = mapOf(value, 'a check run')
  const isCompleted = textAt(map, 'status') === 'completed'
  const ended = conclusions.get(optionalTextAt(map, 'conclusion')) ?? 'failure'
  return {
    isCompleted,
    state: isCompleted ? ended : 'pending',
    externalId: optionalTextAt(map, 'external_id'),
  }
}

function parseNamedCheckRun(value: unknown): NamedCheckRun {
  const map = mapOf(value, 'a check run')
  const started = Date.parse(optionalTextAt(map, 'started_at'))
  return {
    context: textAt(map, 'name'),
    state: parseCheckRun(value).state,
    id: countAt(map, 'id'),
    app: isMap(map['app']) ? countAt(map['app'], 'id') : 0,
    started: Number.isNaN(started) ? undefined : started,
  }
}
