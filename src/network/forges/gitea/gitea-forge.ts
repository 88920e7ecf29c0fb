import type { Forge, PullRequest } from '../../../model/forge.ts'
import { askEach } from '../ask-each.ts'
import { composeForge } from '../compose-forge.ts'
import { changedTitle, draftTitle } from '../draft-title.ts'
import type { ForgeCalls } from '../forge-calls.ts'
import { parseForgeComment } from '../forge-comment.ts'
import { createForgeClient, type ForgeConnection, type ForgeRequest, readPages } from '../forge-client.ts'
import { endingOf, type ForgeEvent, parseForgeEvent } from '../forge-events.ts'
import { listOf, mapOf, namesAt, optionalTextAt, textAt } from '../forge-shape.ts'
import { enableGiteaAutoMerge } from './gitea-auto-merge.ts'
import { addGiteaLabels } from './gitea-labels.ts'
import { parseGiteaPullRequest } from './gitea-pull-request.ts'
import type { GiteaRepository } from './gitea-repository.ts'
import { readGiteaStatus, readGiteaStatuses } from './gitea-status.ts'

/** The most that Gitea gives where nobody has set another limit. */
const PER_PAGE = 50
/** Gitea cannot list by branch: so many of the newest are looked through. */
const NEWEST_PAGES = 20

/** Pages of what happened to a pull request since it was closed: who has commented on it that often has read it. */
const EVENT_PAGES = 20
/** Milliseconds before the closing in which the branch may have been deleted. */
const BEFORE_CLOSING = 60_000

/** Makes a forge of Gitea or Forgejo, with its API of version 1. */
export function createGiteaForge(connection: ForgeConnection): Forge {
  const client = createForgeClient(connection)
  const shown = connection.config.repository
  const root = `/repos/${shown.split('/').map(encodeURIComponent).join('/')}`
  return composeForge(client, callsOf({ client, shown, root }))
}

/** 500: somebody who may not see the repository. */
const UNASSIGNABLE: readonly number[] = [404, 422, 500]

function callsOf(repository: GiteaRepository): ForgeCalls {
  const { client, shown, root } = repository
  const draftPrefix = client.abilities.draftPrefix ?? ''
  const one = async <Result>(request: ForgeRequest, parse: (value: unknown) => Result): Promise<Result> => {
    const { value } = await client.send(request)
    return client.read(request.purpose, () => parse(value))
  }
  const list = (query: string): Parameters<typeof readPages<PullRequest>>[1] => ({
    purpose: `the pull requests of ${shown}`,
    operation: 'readPullRequests',
    path: (page) => `${root}/pulls?${query}&limit=${PER_PAGE}&page=${page}`,
    parse: parseGiteaPullRequest,
    isAlwaysList: true,
  })
  const edit = (number: number, body: object): Promise<PullRequest> =>
    one(
      {
        method: 'PATCH',
        path: `${root}/pulls/${number}`,
        purpose: `the changed pull request ${number} of ${shown}`,
        operation: 'writePullRequests',
        body,
        repeatable: true,
      },
      parseGiteaPullRequest,
    )
  return {
    defaultBranch: () =>
      one({ method: 'GET', path: root, purpose: `the repository ${shown}`, operation: 'readPullRequests' }, (value) =>
        textAt(mapOf(value, 'a repository'), 'default_branch'),
      ),
    openPullRequests: () => readPages(client, list('state=open&sort=oldest')),
    pullRequest: (number) =>
      one(
        {
          method: 'GET',
          path: `${root}/pulls/${number}`,
          purpose: `the pull request ${number} of ${shown}`,
          operation: 'readPullRequests',
          accept: 'not-found',
        },
        (value) => (value === undefined ? undefined : parseGiteaPullRequest(value)),
      ),
    latestPullRequest: async (head, isWanted = () => true) => {
      const isIt = (found: PullRequest): boolean => found.head === head && !found.isFromFork && isWanted(found)
      const found = await readPages(client, {
        ...list('state=all'),
        isEnough: (items) => items.some(isIt),
        maxPages: NEWEST_PAGES,
      })
      return found.find(isIt)
    },
    createPullRequest: ({ title, body, head, base, isDraft }) =>
      one(
        {
          method: 'POST',
          path: `${root}/pulls`,
          purpose: `the pull request for ${head} in ${shown}`,
          operation: 'writePullRequests',
          body: { title: draftTitle(title, { isDraft, prefix: draftPrefix }), body, head, base },
        },
        parseGiteaPullRequest,
      ),
    updatePullRequest: (current, changed) => {
      const { body, base } = changed
      return edit(current.number, { title: changedTitle(current, changed, draftPrefix), body, base })
    },
    closePullRequest: async (number, body) => {
      await edit(number, { state: 'closed', body })
    },
    ending: async (number) => {
      const purpose = `the events of pull request ${number} of ${shown}`
      const asked = { purpose, operation: 'readPullRequests', accept: 'not-found' } as const
      const closed = await one({ ...asked, method: 'GET', path: `${root}/pulls/${number}` }, (value) =>
        value === undefined ? '' : optionalTextAt(mapOf(value, 'a pull request'), 'closed_at'),
      )
      const since = shortlyBefore(closed)
      const events: ForgeEvent[] = []
      // the answer names no next page, and an entry that is left out makes a page shorter
      for (let page = 1; page <= EVENT_PAGES; page++) {
        const path = `${root}/issues/${number}/timeline?${since}limit=${PER_PAGE}&page=${page}`
        const found = await one({ ...asked, method: 'GET', path }, (value) =>
          listOf(value ?? [], 'the answer').map((item) => parseForgeEvent(item, 'type')),
        )
        if (found.length === 0) break
        events.push(...found)
      }
      // who deletes the branch of one that is closed does so by the button on its page
      return endingOf(events, { closed: 'close', branchDeleted: 'delete_branch' }, { before: 1, after: 1 })
    },
    addLabels: (number, labels) => addGiteaLabels(repository, number, labels),
    addAssignees: async (number, users) => {
      const purpose = `the assignees of pull request ${number} of ${shown}`
      const request = { path: `${root}/pulls/${number}`, purpose, operation: 'requestReviewers' } as const
      let present = await one({ ...request, method: 'GET' }, (value) =>
        namesAt(mapOf(value, 'a pull request'), 'assignees', 'login'),
      )
      const assign = async (names: readonly string[]): Promise<void> => {
        // those that are given take the place of those that are there
        const assignees = [...new Set([...present, ...names])]
        await client.send({ ...request, method: 'PATCH', body: { assignees }, repeatable: true })
        present = assignees
      }
      return askEach(
        () => assign(users),
        users.map((name) => ({ name, ask: () => assign([name]) })),
        UNASSIGNABLE,
      )
    },
    requestReviewers: (number, { users, teams }) => {
      const request = async (reviewers: readonly string[], team_reviewers: readonly string[]): Promise<void> => {
        await client.send({
          method: 'POST',
          path: `${root}/pulls/${number}/requested_reviewers`,
          purpose: `the reviewers of pull request ${number} of ${shown}`,
          operation: 'requestReviewers',
          body: { reviewers, team_reviewers },
          repeatable: true,
        })
      }
      return askEach(
        () => request(users, teams),
        [
          ...users.map((name) => ({ name, ask: () => request([name], []) })),
          ...teams.map((name) => ({ name, ask: () => request([], [name]) })),
        ],
      )
    },
    enableAutoMerge: (current, wanted) => enableGiteaAutoMerge(repository, { current, wanted }),
    // all of them at once: there are no pages
    comments: (number) =>
      readPages(client, {
        purpose: `the comments on pull request ${number} of ${shown}`,
        operation: 'readPullRequests',
        path: () => `${root}/issues/${number}/comments`,
        parse: parseForgeComment,
        maxPages: 1,
      }),
    createComment: (number, body) =>
      one(
        {
          method: 'POST',
          path: `${root}/issues/${number}/comments`,
          purpose: `a comment on pull request ${number} of ${shown}`,
          operation: 'writeComments',
          body: { body },
        },
        parseForgeComment,
      ),
    editComment: async ({ number, id }, body) => {
      await client.send({
        method: 'PATCH',
        path: `${root}/issues/comments/${id}`,
        purpose: `the comment on pull request ${number} of ${shown}`,
        operation: 'writeComments',
        body: { body },
        repeatable: true,
      })
    },
    readStatus: (key) => readGiteaStatus(repository, key),
    readStatuses: (commit) => readGiteaStatuses(repository, commit),
    writeStatus: async ({ commit, context }, { state, text, url }) => {
      await client.send({
        method: 'POST',
        path: `${root}/statuses/${encodeURIComponent(commit)}`,
        purpose: `the status ${context} of ${commit}`,
        operation: 'reportFindings',
        body: { state, context, description: text, target_url: url },
        repeatable: true,
      })
    },
  }
}

/** The part of a query that leaves out what happened earlier; '' for a time that nobody can read. */
function shortlyBefore(time: string): string {
  const instant = Date.parse(time)
  if (Number.isNaN(instant)) return ''
  return `since=${encodeURIComponent(new Date(instant - BEFORE_CLOSING).toISOString())}&`
}
