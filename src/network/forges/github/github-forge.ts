import type { Forge, PullRequest, PullRequestChange } from '../../../model/forge.ts'
import { askEach } from '../ask-each.ts'
import { composeForge } from '../compose-forge.ts'
import type { ForgeCalls } from '../forge-calls.ts'
import { parseForgeComment } from '../forge-comment.ts'
import { createForgeClient, type ForgeConnection, refusedBy } from '../forge-client.ts'
import { endingOf, parseForgeEvent } from '../forge-events.ts'
import { mapOf, namesAt, textAt } from '../forge-shape.ts'
import { enableGitHubAutoMerge, setGitHubDraft } from './github-auto-merge.ts'
import { writeGitHubCheckRun } from './github-check-run.ts'
import { askGitHub, type GitHubQuestion, type GitHubRepository, listGitHub } from './github-client.ts'
import { parseGitHubPullRequest } from './github-pull-request.ts'
import { readGitHubCheckRun, readGitHubStatus, readGitHubStatuses } from './github-status.ts'

/** The most that GitHub gives; the fewer requests, the later the rate limit. */
const PER_PAGE = 100

/** Makes a forge of GitHub, or GitHub Enterprise, with its REST API of 2022-11-28. */
export function createGitHubForge(connection: ForgeConnection): Forge {
  const client = createForgeClient(connection)
  const [owner = '', repo = ''] = connection.config.repository.split('/')
  return composeForge(client, callsOf({ client, owner, repo }))
}

function callsOf(repository: GitHubRepository): ForgeCalls {
  const { client, owner, repo } = repository
  const shown = `${owner}/${repo}`
  const one = async <Result>(
    question: GitHubQuestion,
    ask: Parameters<typeof askGitHub>[2],
    parse: (value: unknown) => Result,
  ): Promise<Result> => {
    const data = await askGitHub(client, question, ask)
    return client.read(question.purpose, () => parse(data))
  }
  const pullRequest = (number: number): Promise<PullRequest | undefined> =>
    one(
      { purpose: `the pull request ${number} of ${shown}`, operation: 'readPullRequests', accept: 'not-found' },
      (octokit) =>
        octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { owner, repo, pull_number: number }),
      (value) => (value === undefined ? undefined : parseGitHubPullRequest(value)),
    )
  const edit = (
    number: number,
    changed: Readonly<{ title?: string; body?: string; base?: string; state?: 'closed' }>,
  ): Promise<PullRequest> =>
    one(
      { purpose: `the changed pull request ${number} of ${shown}`, operation: 'writePullRequests', repeatable: true },
      (octokit) =>
        octokit.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
          owner,
          repo,
          pull_number: number,
          ...changed,
        }),
      parseGitHubPullRequest,
    )
  return {
    defaultBranch: () =>
      one(
        { purpose: `the repository ${shown}`, operation: 'readPullRequests' },
        (octokit) => octokit.request('GET /repos/{owner}/{repo}', { owner, repo }),
        (value) => textAt(mapOf(value, 'a repository'), 'default_branch'),
      ),
    openPullRequests: () =>
      listGitHub(
        client,
        { purpose: `the pull requests of ${shown}`, operation: 'readPullRequests' },
        {
          ask: (octokit) =>
            octokit.paginate.iterator('GET /repos/{owner}/{repo}/pulls', {
              owner,
              repo,
              state: 'open',
              sort: 'created',
              direction: 'asc',
              per_page: PER_PAGE,
            }),
          parse: parseGitHubPullRequest,
        },
      ),
    pullRequest,
    latestPullRequest: async (head, isWanted = () => true) => {
      const isIt = (found: PullRequest): boolean => found.head === head && !found.isFromFork && isWanted(found)
      const found = await listGitHub(
        client,
        { purpose: `the pull requests of ${shown} for ${head}`, operation: 'readPullRequests' },
        {
          ask: (octokit) =>
            octokit.paginate.iterator('GET /repos/{owner}/{repo}/pulls', {
              owner,
              repo,
              state: 'all',
              head: `${owner}:${head}`,
              sort: 'created',
              direction: 'desc',
              per_page: 10,
            }),
          parse: parseGitHubPullRequest,
          isEnough: (items) => items.some(isIt),
        },
      )
      return found.find(isIt)
    },
    createPullRequest: ({ title, body, head, base, isDraft }) =>
      one(
        { purpose: `the pull request for ${head} in ${shown}`, operation: 'writePullRequests' },
        (octokit) =>
          octokit.request('POST /repos/{owner}/{repo}/pulls', { owner, repo, title, body, head, base, draft: isDraft }),
        parseGitHubPullRequest,
      ),
    updatePullRequest: (current, changed) => update(repository, { current, changed, edit }),
    closePullRequest: async (number, body) => {
      await edit(number, { state: 'closed', ...(body !== undefined && { body }) })
    },
    ending: async (number) => {
      const events = await listGitHub(
        client,
        { purpose: `the events of pull request ${number} of ${shown}`, operation: 'readPullRequests' },
        {
          ask: (octokit) =>
            octokit.paginate.iterator('GET /repos/{owner}/{repo}/issues/{issue_number}/events', {
              owner,
              repo,
              issue_number: number,
              per_page: PER_PAGE,
            }),
          parse: (value) => parseForgeEvent(value, 'event'),
        },
      )
      // whoever closes it before he deletes the branch does so in a second of its own
      return endingOf(events, { closed: 'closed', branchDeleted: 'head_ref_deleted' }, { before: 5, after: 0 })
    },
    addLabels: async (number, labels) => {
      await askGitHub(
        client,
        { purpose: `the labels of pull request ${number} of ${shown}`, operation: 'addLabels', repeatable: true },
        (octokit) =>
          octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
            owner,
            repo,
            issue_number: number,
            labels: [...labels],
          }),
      )
    },
    addAssignees: async (number, users) => {
      const assigned = await one(
        {
          purpose: `the assignees of pull request ${number} of ${shown}`,
          operation: 'requestReviewers',
          repeatable: true,
        },
        (octokit) =>
          octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/assignees', {
            owner,
            repo,
            issue_number: number,
            assignees: [...users],
          }),
        (value) => namesAt(mapOf(value, 'an issue'), 'assignees', 'login').map((name) => name.toLowerCase()),
      )
      // GitHub says nothing of those whom it leaves out
      return users.filter((name) => !assigned.includes(name.toLowerCase()))
    },
    requestReviewers: (number, { users, teams }) => {
      const request = async (reviewers: readonly string[], team_reviewers: readonly string[]): Promise<void> => {
        await askGitHub(
          client,
          {
            purpose: `the reviewers of pull request ${number} of ${shown}`,
            operation: 'requestReviewers',
            repeatable: true,
          },
          (octokit) =>
            octokit.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', {
              owner,
              repo,
              pull_number: number,
              reviewers: [...reviewers],
              team_reviewers: [...team_reviewers],
            }),
        )
      }
      return askEach(
        () => request(users, teams),
        [
          ...users.map((name) => ({ name, ask: () => request([name], []) })),
          ...teams.map((name) => ({ name, ask: () => request([], [name]) })),
        ],
      )
    },
    enableAutoMerge: (current, wanted) => enableGitHubAutoMerge(repository, { current, wanted }),
    comments: (number) =>
      listGitHub(
        client,
        { purpose: `the comments on pull request ${number} of ${shown}`, operation: 'readPullRequests' },
        {
          ask: (octokit) =>
            octokit.paginate.iterator('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
              owner,
              repo,
              issue_number: number,
              per_page: PER_PAGE,
            }),
          parse: parseForgeComment,
        },
      ),
    createComment: (number, body) =>
      one(
        { purpose: `a comment on pull request ${number} of ${shown}`, operation: 'writeComments' },
        (octokit) =>
          octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            owner,
            repo,
            issue_number: number,
            body,
          }),
        parseForgeComment,
      ),
    editComment: async ({ number, id }, body) => {
      await askGitHub(
        client,
        { purpose: `the comment on pull request ${number} of ${shown}`, operation: 'writeComments', repeatable: true },
        (octokit) =>
          octokit.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
            owner,
            repo,
            comment_id: id,
            body,
          }),
      )
    },
    readStatus: (key) => readGitHubStatus(repository, key),
    readStatuses: (commit) => readGitHubStatuses(repository, commit),
    writeStatus: async ({ commit, context }, { state, text, url }) => {
      await askGitHub(
        client,
        { purpose: `the status ${context} of ${commit}`, operation: 'reportFindings', repeatable: true },
        (octokit) =>
          octokit.request('POST /repos/{owner}/{repo}/statuses/{sha}', {
            owner,
            repo,
            sha: commit,
            state,
            context,
            description: text,
            ...(url !== '' && { target_url: url }),
          }),
      )
    },
    readCheckRun: (key) => readGitHubCheckRun(repository, key),
    writeCheckRun: (report) => writeGitHubCheckRun(repository, report),
  }
}

interface Update {
  readonly current: PullRequest
  readonly changed: PullRequestChange
  readonly edit: (
    number: number,
    changed: Readonly<{ title?: string; body?: string; base?: string }>,
  ) => Promise<PullRequest>
}

async function update(
  repository: GitHubRepository,
  { current, changed: { title, body, base, isDraft }, edit }: Update,
): Promise<PullRequest> {
  const hasTexts = title !== undefined || body !== undefined || base !== undefined
  const edited = hasTexts
    ? await edit(current.number, {
        ...(title !== undefined && { title }),
        ...(body !== undefined && { body }),
        ...(base !== undefined && { base }),
      })
    : current
  if (isDraft === undefined || isDraft === edited.isDraft || edited.state !== 'open') return edited
  const said = await setGitHubDraft(repository, edited.number, isDraft)
  if (said !== undefined) throw refusedBy(repository.client, `a change of the draft ${edited.number}`, said)
  return { ...edited, isDraft }
}
