import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ForgeKind } from '../../../src/model/forge.ts'
import { openWorld } from './forge-lab.ts'
import { forgeWorlds, type RunningWorld } from './forge-worlds.ts'

/** All calls of each step; those that write have a star. */
type Calls = Readonly<Record<string, readonly string[]>>

const wanted: Readonly<Record<ForgeKind, Calls>> = {
  github: {
    'look, nothing there': ['GET /pulls?state=open&sort=created&direction=asc&per_page=100'],
    open: ['* POST /pulls'],
    'two new labels': ['* POST /issues/1/labels'],
    'a reviewer': ['* POST /pulls/1/requested_reviewers'],
    'the same body': ['GET /pulls/1'],
    'another body': ['GET /pulls/1', '* PATCH /pulls/1'],
    'a draft': ['GET /pulls/1', 'GET /pulls/1', '* POST /api/graphql'],
    'a comment': ['GET /issues/1/comments?per_page=100', '* POST /issues/1/comments'],
    'the same comment': ['GET /issues/1/comments?per_page=100'],
    findings: ['GET /commits/<commit>/check-runs?check_name=check&filter=latest&per_page=1', '* POST /check-runs'],
    'the same findings': ['GET /commits/<commit>/check-runs?check_name=check&filter=latest&per_page=1'],
    'a status': [
      'GET /commits/<commit>/status?per_page=100',
      'GET /commits/<commit>/check-runs?check_name=check&filter=latest&per_page=1',
    ],
    close: ['GET /pulls/1', '* PATCH /pulls/1'],
    'close again': ['GET /pulls/1'],
  },
  gitea: {
    'look, nothing there': ['GET /pulls?state=open&sort=oldest&limit=50&page=1'],
    open: ['* POST /pulls'],
    'two new labels': [
      'GET /labels?limit=50&page=1',
      'GET /orgs/acme/labels?limit=50&page=1',
      '* POST /labels',
      '* POST /labels',
      '* POST /issues/1/labels',
    ],
    'a reviewer': ['* POST /pulls/1/requested_reviewers'],
    'the same body': ['GET /pulls/1'],
    'another body': ['GET /pulls/1', '* PATCH /pulls/1'],
    'a draft': ['GET /pulls/1', '* PATCH /pulls/1'],
    'a comment': ['GET /issues/1/comments', '* POST /issues/1/comments'],
    'the same comment': ['GET /issues/1/comments'],
    findings: [
      'GET /commits/<commit>/status?limit=50&page=1',
      '* POST /statuses/<commit>',
      'GET /issues/1/comments',
      '* POST /issues/1/comments',
    ],
    'the same findings': ['GET /commits/<commit>/status?limit=50&page=1', 'GET /issues/1/comments'],
    'a status': ['GET /commits/<commit>/status?limit=50&page=1'],
    close: ['GET /pulls/1', '* PATCH /pulls/1'],
    'close again': ['GET /pulls/1'],
  },
  gitlab: {
    'look, nothing there': ['GET /merge_requests?state=opened&order_by=created_at&sort=asc&per_page=100&page=1'],
    open: ['* POST /merge_requests'],
    'two new labels': ['* PUT /merge_requests/1'],
    'a reviewer': ['GET /merge_requests/1', 'GET /users?username=alice', '* PUT /merge_requests/1'],
    'the same body': ['GET /merge_requests/1'],
    'another body': ['GET /merge_requests/1', '* PUT /merge_requests/1'],
    'a draft': ['GET /merge_requests/1', '* PUT /merge_requests/1'],
    'a comment': ['GET /merge_requests/1/notes?sort=asc&per_page=100&page=1', '* POST /merge_requests/1/notes'],
    'the same comment': ['GET /merge_requests/1/notes?sort=asc&per_page=100&page=1'],
    findings: [
      'GET /repository/commits/<commit>/statuses?name=check&per_page=100&page=1',
      '* POST /statuses/<commit>',
      'GET /merge_requests/1/notes?sort=asc&per_page=100&page=1',
      '* POST /merge_requests/1/notes',
    ],
    'the same findings': [
      'GET /repository/commits/<commit>/statuses?name=check&per_page=100&page=1',
      'GET /merge_requests/1/notes?sort=asc&per_page=100&page=1',
    ],
    'a status': ['GET /repository/commits/<commit>/statuses?name=check&per_page=100&page=1'],
    close: ['GET /merge_requests/1', '* PUT /merge_requests/1'],
    'close again': ['GET /merge_requests/1'],
  },
}

describe.each(forgeWorlds)('on $kind', ({ kind, start, isThere }) => {
  let world: RunningWorld

  beforeAll(async () => {
    if (isThere) world = await start()
  }, 120_000)
  afterAll(async () => {
    if (isThere) await world.server.close()
  })

  test.skipIf(!isThere)('each step asks no more than it must', { timeout: 60_000 }, async () => {
    const { forge, calls } = await openWorld(world)
    const head = 'stackmason/fleet'
    const commit = await world.addBranch(head)
    const made: Record<string, readonly string[]> = {}
    const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
      calls.length = 0
      const result = await work()
      made[name] = calls.map((call) => shown(call, commit))
      return result
    }
    await step('look, nothing there', () => forge.openPullRequests('stackmason/'))
    const create = { title: 'Update', body: 'One.', head, base: 'main', isDraft: false }
    const { number } = (await step('open', () => forge.createPullRequest(create))).pullRequest
    await step('two new labels', () => forge.addLabels(number, ['a', 'b']))
    await step('a reviewer', () => forge.requestReviewers(number, { users: ['alice'], teams: [] }))
    await step('the same body', () => forge.updatePullRequest(number, { body: 'One.' }))
    await step('another body', () => forge.updatePullRequest(number, { body: 'Two.' }))
    await step('a draft', () => forge.updatePullRequest(number, { isDraft: true }))
    const comment = { marker: '<!-- m -->', body: 'Hm.' }
    await step('a comment', () => forge.upsertComment(number, comment))
    await step('the same comment', () => forge.upsertComment(number, comment))
    const report = {
      form: 'check' as const,
      commit,
      context: 'check',
      conclusion: 'failure' as const,
      title: 'One error',
      summary: 'One.',
      annotations: [{ level: 'failure' as const, path: 'a.yaml', line: 1, title: 'A', message: 'a' }],
      pullRequest: number,
    }
    await step('findings', () => forge.reportFindings(report))
    await step('the same findings', () => forge.reportFindings(report))
    await step('a status', () => forge.statusOf(commit, 'check'))
    await step('close', () => forge.closePullRequest(number))
    await step('close again', () => forge.closePullRequest(number))
    expect(made).toEqual(wanted[kind])
  })
})

/** Without what differs from run to run. */
function shown(call: string, commit: string): string {
  return call
    .replace(commit, '<commit>')
    .replace(/\/api\/v\d(?:\/(?:repos\/acme\/fleet|projects\/acme%2Ffleet))?/, '')
    .replace(/(comments|notes)\/\d+/, '$1/<id>')
}
