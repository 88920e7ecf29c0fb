import { fieldAt, textAt } from '../model/field.ts'
import type { Environment } from '../model/ports.ts'
import { GoInt, type Value } from '../model/value.ts'

/** The systems of CI that are known by their variables; `other` says that it is one. */
export type CiSystem = 'github' | 'gitea' | 'gitlab' | 'other'

/** The pull request that a run of CI is about. */
export interface PullRequestRun {
  readonly number: number
  /** The author's branch. */
  readonly head: string
  readonly base: string
  /** The repository that has the branch: nobody may push from here into a fork, or into a namesake of its branch. */
  readonly lies: 'repository' | 'fork' | 'unknown'
  /** The ref of the repository itself that has the author's commits. */
  readonly headRef: string
}

/** Where the program runs. */
export interface PublishContext {
  /** Undefined: on somebody's machine. */
  readonly ci: CiSystem | undefined
  readonly pullRequest?: PullRequestRun | undefined
  /** The commit that people look at: of a pull request its newest, and not what it would be merged to. */
  readonly commit?: string | undefined
  /** The page of this run. */
  readonly runUrl?: string | undefined
  /** The host of the forge that started the run. */
  readonly host?: string
  /** A file that takes `name=value` for later steps. */
  readonly outputFile?: string | undefined
}

type Get = (name: string) => string

/** The file in which GitHub's runner, and those like it, tell of the event. */
export function eventFile(environment: Environment): string | undefined {
  const file = environment.get('GITHUB_EVENT_PATH') ?? ''
  return environment.get('GITHUB_ACTIONS') === 'true' && file !== '' ? file : undefined
}

/** Reads where the program runs; `event` is what {@link eventFile} holds. */
export function readContext(environment: Environment, event: Value): PublishContext {
  const get: Get = (name) => environment.get(name)?.trim() ?? ''
  if (get('GITLAB_CI') === 'true') return readGitlab(get)
  if (get('GITHUB_ACTIONS') === 'true') return readActions(get, event)
  const isCi = !['', 'false', '0'].includes(get('CI').toLowerCase())
  return { ci: isCi ? 'other' : undefined }
}

function readActions(get: Get, event: Value): PublishContext {
  const isGitea = get('GITEA_ACTIONS') === 'true' || get('FORGEJO_ACTIONS') === 'true'
  const [server, repository, run] = [get('GITHUB_SERVER_URL'), get('GITHUB_REPOSITORY'), get('GITHUB_RUN_ID')]
  const pullRequest = readPullRequest(get, event)
  const commit = pullRequest === undefined ? get('GITHUB_SHA') : textAt(event, 'pull_request', 'head', 'sha')
  return {
    ci: isGitea ? 'gitea' : 'github',
    pullRequest,
    commit: commit || undefined,
    runUrl:
      server !== '' && repository !== '' && run !== '' ? `${server}/${repository}/actions/runs/${run}` : undefined,
    ...hostOf(server),
    outputFile: get('GITHUB_OUTPUT') || undefined,
  }
}

function readPullRequest(get: Get, event: Value): PullRequestRun | undefined {
  if (!/^pull_request(?:_target)?$/.test(get('GITHUB_EVENT_NAME'))) return undefined
  const number = Number(/^refs\/pull\/(\d+)\//.exec(get('GITHUB_REF'))?.[1] ?? numberIn(event))
  const head = textAt(event, 'pull_request', 'head', 'ref') || get('GITHUB_HEAD_REF')
  const base = textAt(event, 'pull_request', 'base', 'ref') || get('GITHUB_BASE_REF')
  if (!Number.isSafeInteger(number) || head === '' || base === '') return undefined
  const [from, to] = ['head', 'base'].map((side) => textAt(event, 'pull_request', side, 'repo', 'full_name'))
  // a deleted fork has no name
  const lies = whereIs({ from, to })
  return { number, head, base, lies, headRef: `refs/pull/${String(number)}/head` }
}

/** The number of the pull request, which some events name only there. */
function numberIn(event: Value): number | undefined {
  const number = fieldAt(event, 'pull_request', 'number')
  return number instanceof GoInt ? Number(number.value) : typeof number === 'number' ? number : undefined
}

/** Tells by the names of both; a branch of the same name tells nothing, for forks have any. */
function whereIs({
  from,
  to,
}: {
  readonly from: string | undefined
  readonly to: string | undefined
}): PullRequestRun['lies'] {
  if (to === undefined || to === '') return 'unknown'
  return from === to ? 'repository' : 'fork'
}

function readGitlab(get: Get): PublishContext {
  const number = Number(get('CI_MERGE_REQUEST_IID'))
  const head = get('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')
  const base = get('CI_MERGE_REQUEST_TARGET_BRANCH_NAME')
  const [from, to] = [get('CI_MERGE_REQUEST_SOURCE_PROJECT_ID'), get('CI_MERGE_REQUEST_PROJECT_ID')]
  const lies = from === '' ? 'unknown' : whereIs({ from, to })
  const headRef = `refs/merge-requests/${String(number)}/head`
  const isKnown = number > 0 && head !== '' && base !== ''
  // the first is set where the pipeline runs on what it would be merged to
  const commit = get('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') || get('CI_COMMIT_SHA')
  return {
    ci: 'gitlab',
    pullRequest: isKnown ? { number, head, base, lies, headRef } : undefined,
    commit: commit || undefined,
    runUrl: get('CI_JOB_URL') || undefined,
    ...hostOf(get('CI_SERVER_URL')),
  }
}

function hostOf(url: string): Pick<PublishContext, 'host'> {
  return URL.canParse(url) ? { host: new URL(url).host } : {}
}
