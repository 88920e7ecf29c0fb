import type { AutoMerge, AutoMergeOutcome, MergeMethod, PullRequest } from '../../../model/forge.ts'
import { type ForgePurpose, refusedBy } from '../forge-client.ts'
import { mapOf, textAt } from '../forge-shape.ts'
import { askGitHub, askGraphql, type GitHubRepository } from './github-client.ts'

/** The mutations, by GitHub's GraphQL schema. */
const mutations = {
  enable: `mutation ($id: ID!, $method: PullRequestMergeMethod!, $commit: GitObjectID!) {
  enablePullRequestAutoMerge(input: { pullRequestId: $id, mergeMethod: $method, expectedHeadOid: $commit }) {
    clientMutationId
  }
}`,
  draft: 'mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { clientMutationId } }',
  ready: 'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }',
} as const

const methods: Readonly<Record<MergeMethod, string>> = { merge: 'MERGE', squash: 'SQUASH', rebase: 'REBASE' }

/** The meanings of GitHub's messages. */
const meanings: readonly (readonly [RegExp, AutoMergeOutcome])[] = [
  // clean: it could be merged at once; unstable: only checks that nobody requires are left
  [/\bis in (?:clean|unstable|has_hooks) status/i, 'nothingToWaitFor'],
  [/protected branch rules not configured/i, 'nothingToWaitFor'],
  [
    /auto[- ]?merge is not allowed|merge method .* not allowed|(?:commits|merging) (?:is|are) not allowed/i,
    'notAllowed',
  ],
  [/head (?:sha|oid|branch was modified)|does not match|expected head/i, 'outdated'],
  [/is closed|is already merged|not open/i, 'notOpen'],
]

/**
 * Asks GitHub to merge once all that is required has come, with this commit at its head and no other.
 * @throws StackmasonError PUBLISH_REFUSED for a reason that GitHub has not had before
 */
export async function enableGitHubAutoMerge(
  repository: GitHubRepository,
  { current, wanted }: { readonly current: PullRequest; readonly wanted: AutoMerge },
): Promise<AutoMergeOutcome> {
  const { client, owner, repo } = repository
  const question: ForgePurpose = {
    purpose: `auto-merge of pull request ${current.number} of ${owner}/${repo}`,
    operation: 'enableAutoMerge',
  }
  const { id, isEnabled } = await look(repository, current.number)
  if (isEnabled) return 'enabled'
  const variables = { id, method: methods[wanted.method], commit: wanted.headCommit }
  const said = await askGraphql(client, question, { query: mutations.enable, variables })
  if (said === undefined) return 'enabled'
  const meaning = meanings.find(([pattern]) => pattern.test(said))
  if (meaning === undefined) throw refusedBy(client, question.purpose, said)
  return meaning[1]
}

/**
 * Makes a pull request a draft, or ready for review.
 * @returns what GitHub says against it; undefined when it is done
 */
export async function setGitHubDraft(
  repository: GitHubRepository,
  number: number,
  isDraft: boolean,
): Promise<string | undefined> {
  const { client, owner, repo } = repository
  const { id } = await look(repository, number)
  return askGraphql(
    client,
    { purpose: `the draft ${number} of ${owner}/${repo}`, operation: 'writePullRequests' },
    { query: isDraft ? mutations.draft : mutations.ready, variables: { id } },
  )
}

/** The name that GraphQL has for it, and whether it is to merge by itself. */
async function look(
  { client, owner, repo }: GitHubRepository,
  number: number,
): Promise<{ readonly id: string; readonly isEnabled: boolean }> {
  const purpose = `the pull request ${number} of ${owner}/${repo}`
  const value = await askGitHub(client, { purpose, operation: 'readPullRequests' }, (octokit) =>
    octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { owner, repo, pull_number: number }),
  )
  return client.read(purpose, () => {
    const map = mapOf(value, 'a pull request')
    return { id: textAt(map, 'node_id'), isEnabled: (map['auto_merge'] ?? null) !== null }
  })
}
