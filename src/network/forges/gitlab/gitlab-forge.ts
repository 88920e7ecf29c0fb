import type { Forge, PullRequest } from '../../../model/forge.ts'
import { composeForge } from '../compose-forge.ts'
import { changedTitle, draftTitle } from '../draft-title.ts'
import type { ForgeCalls } from '../forge-calls.ts'
import { parseForgeComment } from '../forge-comment.ts'
import { createForgeClient, type ForgeConnection, type ForgeRequest, readPages } from '../forge-client.ts'
import { type ForgeEvent, parseForgeEvent } from '../forge-events.ts'
import { mapOf, optionalTextAt, textAt } from '../forge-shape.ts'
import { enableGitLabAutoMerge } from './gitlab-auto-merge.ts'
import { parseGitLabMergeRequest } from './gitlab-merge-request.ts'
import { addGitLabPeople } from './gitlab-people.ts'
import type { GitLabProject } from './gitlab-project.ts'
import { readGitLabStatus, readGitLabStatuses } from './gitlab-status.ts'

/** The most that GitLab gives. */
const PER_PAGE = 100

/** Makes a forge of GitLab, with its API of version 4. */
export function createGitLabForge(connection: ForgeConnection): Forge {
  const client = createForgeClient(connection)
  const shown = connection.config.repository
  return composeForge(client, callsOf({ client, shown, root: `/projects/${encodeURIComponent(shown)}` }))
}

function callsOf(project: GitLabProject): ForgeCalls {
  const { client, shown, root } = project
  const draftPrefix = client.abilities.draftPrefix ?? ''
  const one = async <Result>(request: ForgeRequest, parse: (value: unknown) => Result): Promise<Result> => {
    const { value } = await client.send(request)
    return client.read(request.purpose, () => parse(value))
  }
  const list = (query: string, maxPages?: number): Promise<readonly PullRequest[]> =>
    readPages(client, {
      purpose: `the merge requests of ${shown}`,
      operation: 'readPullRequests',
      path: (page) => `${root}/merge_requests?${query}&page=${page}`,
      parse: parseGitLabMergeRequest,
      isAlwaysList: true,
      maxPages,
    })
  const edit = (number: number, body: object): Promise<PullRequest> =>
    one(
      {
        method: 'PUT',
        path: `${root}/merge_requests/${number}`,
        purpose: `the changed merge request ${number} of ${shown}`,
        operation: 'writePullRequests',
        body,
      },
      parseGitLabMergeRequest,
    )
  return {
    defaultBranch: () =>
      one({ method: 'GET', path: root, purpose: `the project ${shown}`, operation: 'readPullRequests' }, (value) =>
        textAt(mapOf(value, 'a project'), 'default_branch'),
      ),
    openPullRequests: () => list(`state=opened&order_by=created_at&sort=asc&per_page=${PER_PAGE}`),
    pullRequest: (number) =>
      one(
        {
          method: 'GET',
          path: `${root}/merge_requests/${number}`,
          purpose: `the merge request ${number} of ${shown}`,
          operation: 'readPullRequests',
          accept: 'not-found',
        },
        (value) => (value === undefined ? undefined : parseGitLabMergeRequest(value)),
      ),
    latestPullRequest: async (head, isWanted = () => true) => {
      const branch = encodeURIComponent(head)
      const found = await list(`source_branch=${branch}&state=all&order_by=created_at&sort=desc&per_page=20`, 1)
      return found.find((one) => one.head === head && !one.isFromFork && isWanted(one))
    },
    createPullRequest: ({ title, body, head, base, isDraft }) =>
      one(
        {
          method: 'POST',
          path: `${root}/merge_requests`,
          purpose: `the merge request for ${head} in ${shown}`,
          operation: 'writePullRequests',
          body: {
            source_branch: head,
            target_branch: base,
            title: draftTitle(title, { isDraft, prefix: draftPrefix }),
            description: body,
            remove_source_branch: true,
          },
        },
        parseGitLabMergeRequest,
      ),
    updatePullRequest: (current, changed) => {
      const { body, base } = changed
      return edit(current.number, {
        title: changedTitle(current, changed, draftPrefix),
        description: body,
        target_branch: base,
      })
    },
    closePullRequest: async (number, body) => {
      await edit(number, { state_event: 'close', description: body })
    },
    ending: async (number) => {
      const closed = await one(
        {
          method: 'GET',
          path: `${root}/merge_requests/${number}`,
          purpose: `the merge request ${number} of ${shown}`,
          operation: 'readPullRequests',
        },
        (value) => optionalTextAt(mapOf(value, 'a merge request'), 'closed_at'),
      )
      const notes = await readPages(client, {
        purpose: `the events of merge request ${number} of ${shown}`,
        operation: 'readPullRequests',
        path: (page) => `${root}/merge_requests/${number}/notes?sort=desc&per_page=${PER_PAGE}&page=${page}`,
        parse: (value) => ({
          ...parseForgeEvent(value, 'body'),
          isOfSystem: mapOf(value, 'a comment')['system'] === true,
        }),
        isEnough: (found) => found.some(isDeletion),
      })
      const branchDeleted = notes.find(isDeletion)?.at
      // GitLab notes it only where the merge request was open, once it has closed it
      return { closed: closed === '' ? undefined : closed, branchDeleted, window: { before: 0, after: 60 } }
    },
    addLabels: async (number, labels) => {
      await client.send({
        method: 'PUT',
        path: `${root}/merge_requests/${number}`,
        purpose: `the labels of merge request ${number} of ${shown}`,
        operation: 'addLabels',
        body: { add_labels: labels.join(',') },
      })
    },
    addAssignees: (number, names) => addGitLabPeople(project, { number, names, as: 'assignee' }),
    requestReviewers: async (number, { users, teams }) => [
      ...(users.length === 0 ? [] : await addGitLabPeople(project, { number, names: users, as: 'reviewer' })),
      // groups approve by rules of the project, not by being asked
      ...teams,
    ],
    enableAutoMerge: (current, wanted) => enableGitLabAutoMerge(project, { current, wanted }),
    comments: async (number) => {
      const comments = await readPages(client, {
        purpose: `the comments on merge request ${number} of ${shown}`,
        operation: 'readPullRequests',
        path: (page) => `${root}/merge_requests/${number}/notes?sort=asc&per_page=${PER_PAGE}&page=${page}`,
        parse: (value) => ({ ...parseForgeComment(value), isOfSystem: mapOf(value, 'a comment')['system'] === true }),
      })
      return comments.filter(({ isOfSystem }) => !isOfSystem)
    },
    createComment: (number, body) =>
      one(
        {
          method: 'POST',
          path: `${root}/merge_requests/${number}/notes`,
          purpose: `a comment on merge request ${number} of ${shown}`,
          operation: 'writeComments',
          body: { body },
        },
        parseForgeComment,
      ),
    editComment: async ({ number, id }, body) => {
      await client.send({
        method: 'PUT',
        path: `${root}/merge_requests/${number}/notes/${id}`,
        purpose: `the comment on merge request ${number} of ${shown}`,
        operation: 'writeComments',
        body: { body },
      })
    },
    readStatus: (key) => readGitLabStatus(project, key),
    readStatuses: (commit) => readGitLabStatuses(project, commit),
    writeStatus: async ({ commit, context }, { state, text, url }) => {
      await client.send({
        method: 'POST',
        path: `${root}/statuses/${encodeURIComponent(commit)}`,
        purpose: `the status ${context} of ${commit}`,
        operation: 'reportFindings',
        body: {
          state: state === 'failure' ? 'failed' : state,
          name: context,
          description: text,
          target_url: url || undefined,
        },
        repeatable: true,
      })
    },
  }
}

function isDeletion({ isOfSystem, kind }: ForgeEvent & { readonly isOfSystem: boolean }): boolean {
  return isOfSystem && kind.startsWith('deleted source branch ')
}
