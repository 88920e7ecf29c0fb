import type { Environment } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'
import { comparedHost, type Reached } from '../transport/compared-address.ts'
import { credentialsProblem } from './credentials-problem.ts'

/** The variable that says what may be sent where: `host[:port]=NAME`, with commas or white space between. */
const ALLOWED = 'STACKMASON_ALLOWED_CREDENTIALS'

/**
 * Set where CI runs for a pull request: by GitHub, Gitea and Forgejo, GitLab, Bitbucket, Azure, Buildkite, CircleCI,
 * Jenkins, Woodpecker, Drone and Prow. One of them says `false` for other runs.
 */
const pullRequestVariables: readonly string[] = [
  'GITHUB_HEAD_REF',
  'CI_MERGE_REQUEST_IID',
  'CI_EXTERNAL_PULL_REQUEST_IID',
  'BITBUCKET_PR_ID',
  'SYSTEM_PULLREQUEST_PULLREQUESTID',
  'BUILDKITE_PULL_REQUEST',
  'CIRCLE_PULL_REQUEST',
  'CHANGE_ID',
  'CI_COMMIT_PULL_REQUEST',
  'DRONE_PULL_REQUEST',
  'PULL_NUMBER',
]

/** The server that a variable is for. */
export interface Receiver {
  /** `host[:port]`, as the fleet writes it. */
  readonly host: string
  readonly reached: Reached
  /** Where the fleet names the server. */
  readonly at: Span | undefined
}

/**
 * Demands that a variable may go to a server. The fleet names both, so a pull request could name any of CI's: the list
 * comes from outside of the repository. Without one all may go, but in a run for a pull request none.
 * @throws StackmasonError FETCH_CREDENTIALS
 */
export function requireAllowed(name: string, { host, reached, at }: Receiver, environment: Environment): void {
  const get = (variable: string): string => environment.get(variable)?.trim() ?? ''
  const list = get(ALLOWED)
  const isForPullRequest = pullRequestVariables.some((variable) => !['', 'false'].includes(get(variable)))
  if (list === '' && !isForPullRequest) return
  const wanted = comparedHost(host, reached)
  const isListed = list.split(/[\s,]+/).some((entry) => {
    const [, to = '', variable] = /^([^=]+)=(.+)$/.exec(entry) ?? []
    return variable === name && comparedHost(to, reached) === wanted
  })
  if (isListed) return
  const entry = `${host}=${name}`
  const [reason, step] =
    list === ''
      ? ['this run is for a pull request, which may name any host and variable', `set ${ALLOWED} to ${entry}`]
      : [`${ALLOWED} does not list ${entry}`, `add ${entry} to ${ALLOWED}`]
  throw credentialsProblem({
    message: `the variable ${name} is not sent to ${host}: ${reason}`,
    hint: `If ${host} may have it, ${step} in the settings of CI; else find out who named it in the fleet.`,
    at,
  })
}
