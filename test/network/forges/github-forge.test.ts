import { expect, onTestFinished, test } from 'vitest'
import type { FindingsReport } from '../../../src/model/forge.ts'
import { type GitHubForge, startGitHubForge } from '../../../tools/servers/github-forge.ts'
import { type ForgeWorld, openWorld, refuseProblems, type WireFault } from './forge-lab.ts'
import { standInWorld } from './stand-in-world.ts'

type World = ForgeWorld & { readonly server: GitHubForge }

async function startWorld(options: { readonly isApp?: boolean } = {}): Promise<World> {
  const server = await startGitHubForge(options)
  onTestFinished(async () => {
    await server.close()
    refuseProblems(server.problems)
  })
  return standInWorld(server, 'github')
}

function reportOf(commit: string, count: number): FindingsReport {
  return {
    form: 'check' as const,
    commit,
    context: 'stackmason/check',
    conclusion: 'failure',
    title: `${count} errors`,
    summary: 'See below.',
    annotations: Array.from({ length: count }, (_, index) => ({
      level: 'failure',
      path: 'clusters/team-a/web/cluster.yaml',
      line: index + 1,
      title: 'CHECK_SCHEMA',
      message: `message ${index + 1}`,
    })),
  }
}

test.each([
  { count: 1, calls: ['POST'], leftOut: 0 },
  { count: 50, calls: ['POST'], leftOut: 0 },
  { count: 51, calls: ['POST', 'PATCH'], leftOut: 0 },
  { count: 700, calls: ['POST', ...Array<string>(9).fill('PATCH')], leftOut: 200 },
])('$count findings stand at their lines, 50 a call', async ({ count, calls: wanted, leftOut }) => {
  const world = await startWorld()
  const { forge, calls } = await openWorld(world)
  const commit = await world.addBranch('a')
  expect(await forge.reportFindings(reportOf(commit, count))).toEqual({ as: 'checkRun', outcome: 'created', leftOut })
  expect(calls.flatMap((call) => (call.startsWith('*') ? call.split(' ')[1] : []))).toEqual(wanted)
  const [run] = world.server.checkRuns
  expect(run).toMatchObject({ status: 'completed', conclusion: 'failure', name: 'stackmason/check', commit })
  expect(run?.annotations).toHaveLength(count - leftOut)
  expect(run?.annotations[0]).toEqual({
    path: 'clusters/team-a/web/cluster.yaml',
    start_line: 1,
    end_line: 1,
    annotation_level: 'failure',
    title: 'CHECK_SCHEMA',
    message: 'message 1',
  })
})

test('what was pushed merges by itself once the forge knows of the push', async () => {
  const world = await startWorld()
  const head = 'stackmason/pushed'
  await world.addBranch(head)
  await world.requireStatus('ci')
  const pushed = 'f'.repeat(40)
  const on = /^GET .*\/pulls\/\d+$/
  const learn = async (): Promise<void> => {
    world.server.state.branches.set(head, pushed)
  }
  const faults = [
    { on, fault: () => Promise.resolve(), times: 2 },
    { on, fault: learn },
  ]
  const { forge, slept } = await openWorld(world, { faults })
  const wanted = { title: 'Update', body: 'One change.', head, base: 'main', isDraft: false }
  const { number } = (await forge.createPullRequest(wanted)).pullRequest
  expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit: pushed })).toBe('enabled')
  expect(slept).toHaveLength(2)
  expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit: 'e'.repeat(40) })).toBe('outdated')
  expect(slept).toHaveLength(6)
})

test('a run that was killed between two calls is not taken for a complete one', async () => {
  const world = await startWorld()
  const commit = await world.addBranch('a')
  const faults: readonly WireFault[] = [{ on: /^PATCH /, fault: { status: 422 } }]
  const killed = await openWorld(world, { faults })
  await expect(killed.forge.reportFindings(reportOf(commit, 60))).rejects.toThrow('it answered 422')
  const { forge } = await openWorld(world)
  expect(await forge.statusOf(commit, 'stackmason/check')).toBe('pending')
  expect((await forge.reportFindings(reportOf(commit, 60))).outcome).toBe('updated')
  expect(await forge.statusOf(commit, 'stackmason/check')).toBe('failure')
})

test('who is no app reports by a status and a comment', async () => {
  const world = await startWorld({ isApp: false })
  const { forge } = await openWorld(world)
  const commit = await world.addBranch('a')
  const wanted = { title: 't', body: '', head: 'a', base: 'main', isDraft: false }
  const { number } = (await forge.createPullRequest(wanted)).pullRequest
  const report = { ...reportOf(commit, 3), pullRequest: number }
  expect(await forge.reportFindings(report)).toEqual({ as: 'status', outcome: 'created', leftOut: 3 })
  expect(await forge.reportFindings(report)).toEqual({ as: 'status', outcome: 'unchanged', leftOut: 3 })
  expect(world.server.state.pullRequests[0]?.comments).toEqual([
    { id: expect.any(Number), body: '<!-- stackmason:findings stackmason/check -->\nSee below.' },
  ])
})

const json = new Map([['content-type', 'application/json']])
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const wanted = { title: 't', body: 'b', head: 'a', base: 'main', isDraft: false }

test.each<{ name: string; fault: WireFault; waits: (slept: readonly number[]) => boolean }>([
  {
    name: 'the secondary limit with a time',
    fault: {
      on: /^POST /,
      fault: { status: 403, headers: new Map([...json, ['retry-after', '7']]), body: bytes({ message: 'slow down' }) },
    },
    waits: ([first = 0]) => first >= 7000 && first < 8000,
  },
  {
    name: 'the secondary limit without one',
    fault: {
      on: /^POST /,
      fault: { status: 403, headers: json, body: bytes({ message: 'You have exceeded a secondary rate limit.' }) },
    },
    waits: ([first = 0]) => first >= 60_000 && first < 61_000,
  },
  {
    name: '429',
    fault: { on: /^POST /, fault: { status: 429, headers: new Map([['retry-after', '3']]) }, times: 2 },
    waits: (slept) => slept.length === 2 && slept.every((pause) => pause >= 3000),
  },
  {
    name: 'a gateway that was gone',
    fault: { on: /^GET /, fault: { status: 502 } },
    waits: (slept) => slept.length === 1,
  },
])('$name only takes time', async ({ fault, waits }) => {
  const world = await startWorld()
  await world.addBranch('a')
  const { forge, slept } = await openWorld(world, { faults: [fault] })
  expect(await forge.openPullRequests('')).toEqual([])
  expect((await forge.createPullRequest(wanted)).outcome).toBe('created')
  expect(waits(slept)).toBe(true)
  expect(await forge.openPullRequests('')).toHaveLength(1)
})

test.each([
  {
    name: 'with a token',
    options: {},
    hint: 'Wait, and run again: the limit is that of the credentials that were sent, and others who use them count.',
  },
  {
    name: 'without one',
    options: { token: '' },
    hint: expect.stringMatching(
      /^Wait and run again, or set .*, or spec\.publish\.forge\.credentialsFrom: with a token the limit is higher\.$/,
    ),
  },
])('a limit of requests $name says what to do', async ({ options, hint }) => {
  const world = await startWorld()
  const fault = { status: 429, headers: new Map([['retry-after', '99999']]) }
  const { forge } = await openWorld(world, { ...options, faults: [{ on: /^GET /, fault, times: 9 }] })
  await expect(forge.openPullRequests('')).rejects.toMatchObject({
    diagnostics: [{ code: 'FETCH_RATE_LIMITED', hint }],
  })
})

test.each<{ name: string; body: string; want: string }>([
  { name: 'no JSON', body: '<html>', want: 'the answer is not JSON' },
  { name: 'a list', body: '[]', want: 'a pull request is not an object' },
  { name: 'null', body: 'null', want: 'a pull request is not an object' },
  { name: 'no number', body: '{"head":{},"base":{}}', want: '"number" is not a whole number' },
  {
    name: 'an address that is none',
    body: '{"number":1,"html_url":"javascript:alert(1)","head":{},"base":{}}',
    want: '"html_url" is not an address of the web',
  },
  {
    name: 'a title of another type',
    body: '{"number":1,"html_url":"https://example.org/1","title":{},"head":{},"base":{}}',
    want: '"title" is not text',
  },
])('an answer of the wrong shape is refused: $name', async ({ body, want }) => {
  const world = await startWorld()
  const fault = { status: 200, headers: json, body: new TextEncoder().encode(body) }
  const { forge } = await openWorld(world, { faults: [{ on: /pulls\/1$/, fault }] })
  await expect(forge.pullRequest(1)).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'FETCH_INVALID',
        message: `${world.url}/api/v3 does not answer as GitHub does when asked for the pull request 1 of acme/fleet: ${want}`,
      },
    ],
  })
})

test.each<{ name: string; body: string; want: string }>([
  { name: 'nothing', body: '', want: 'the answer is not a list' },
  { name: 'null', body: 'null', want: 'the answer is not a list' },
  { name: 'text', body: '"x"', want: 'the answer is not a list' },
  { name: 'empty text', body: '""', want: 'the answer is not a list' },
  { name: 'a number', body: '7', want: 'the answer is not a list' },
  { name: 'false', body: 'false', want: 'the answer is not a list' },
  { name: 'an object', body: '{"message":"x"}', want: 'the answer is not a list' },
  { name: 'a count without a list', body: '{"total_count":1}', want: 'the answer is not a list' },
  { name: 'a count with text', body: '{"total_count":1,"items":"x"}', want: '"items" is not a list' },
  { name: 'a count with null', body: '{"items":null,"total_commits":1}', want: '"items" is not a list' },
])('a list of the wrong shape is refused: $name', async ({ body, want }) => {
  const world = await startWorld()
  const fault = { status: 200, headers: json, body: new TextEncoder().encode(body) }
  const { forge } = await openWorld(world, { faults: [{ on: /pulls\?/, fault }] })
  await expect(forge.openPullRequests('')).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'FETCH_INVALID',
        message: `${world.url}/api/v3 does not answer as GitHub does when asked for the pull requests of acme/fleet: ${want}`,
      },
    ],
  })
})

test('a next page on another server is refused, and gets no token', async () => {
  const world = await startWorld()
  const headers = new Map([...json, ['link', '<https://example.org/next>; rel="next"']])
  const { forge, calls } = await openWorld(world, {
    faults: [{ on: /pulls\?/, fault: { status: 200, headers, body: bytes([]) } }],
  })
  await expect(forge.openPullRequests('')).rejects.toThrow('it leads to another server')
  expect(calls).toHaveLength(1)
})

test('a body that GitHub finds too long tells the limit', async () => {
  const world = await startWorld()
  await world.addBranch('a')
  const message = 'body is too long (maximum is 65536 characters)'
  const errors = [{ resource: 'Issue', code: 'custom', field: 'body', message }]
  const fault = { status: 422, headers: json, body: bytes({ message: 'Validation Failed', errors }) }
  const { forge } = await openWorld(world, { faults: [{ on: /^POST /, fault }] })
  await expect(forge.createPullRequest(wanted)).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'PUBLISH_TOO_LONG',
        message: `cannot send the pull request for a in acme/fleet to ${new URL(world.url).host}: it answered 422, "${message}"; bodies have 65536 characters at most`,
      },
    ],
  })
})

test.each([
  { said: 'Pull request Pull request is in clean status', want: 'nothingToWaitFor' },
  { said: 'Pull request Pull request is in unstable status', want: 'nothingToWaitFor' },
  { said: 'Pull request Auto merge is not allowed for this repository', want: 'notAllowed' },
  { said: 'Merge method squash merging is not allowed on this repository', want: 'notAllowed' },
  { said: 'Head branch was modified. Review and try the merge again.', want: 'outdated' },
])('auto-merge: "$said" means $want', async ({ said, want }) => {
  const world = await startWorld()
  const headCommit = await world.addBranch('a')
  const fault = {
    status: 200,
    headers: json,
    body: bytes({ data: null, errors: [{ type: 'UNPROCESSABLE', message: said }] }),
  }
  const { forge } = await openWorld(world, { faults: [{ on: /graphql$/, fault }] })
  const { number } = (await forge.createPullRequest(wanted)).pullRequest
  expect(await forge.enableAutoMerge(number, { method: 'squash', headCommit })).toBe(want)
})

test.each([
  { type: 'FORBIDDEN', said: 'Resource not accessible by integration', code: 'PUBLISH_PERMISSION' },
  { type: 'UNPROCESSABLE', said: 'Something new', code: 'PUBLISH_REFUSED' },
])('auto-merge: $type is an error', async ({ type, said, code }) => {
  const world = await startWorld()
  const headCommit = await world.addBranch('a')
  const fault = { status: 200, headers: json, body: bytes({ data: null, errors: [{ type, message: said }] }) }
  const { forge } = await openWorld(world, { faults: [{ on: /graphql$/, fault }] })
  const { number } = (await forge.createPullRequest(wanted)).pullRequest
  await expect(forge.enableAutoMerge(number, { method: 'merge', headCommit })).rejects.toMatchObject({
    diagnostics: [{ code, message: expect.stringContaining(said) }],
  })
})

test('a check run counts where there is no status of its name', async () => {
  const world = await startWorld()
  const commit = await world.addBranch('a')
  const { forge } = await openWorld(world)
  await forge.reportFindings(reportOf(commit, 1))
  expect(await forge.statusOf(commit, 'stackmason/check')).toBe('failure')
  await world.setStatus(commit, 'Stackmason/Check', 'success')
  expect(await forge.statusOf(commit, 'stackmason/check')).toBe('success')
})

test('a job that was skipped shows nothing, and a status hides no check run of its name', async () => {
  const world = await startWorld()
  const commit = await world.addBranch('a')
  await world.setStatus(commit, 'skipped', 'success')
  const conclusions = ['success', 'failure', 'neutral', 'skipped', 'cancelled', 'stale']
  const runs = conclusions.map((conclusion, id) => ({ id, name: conclusion, status: 'completed', conclusion }))
  const fault = {
    status: 200,
    headers: json,
    body: bytes({
      total_count: 7,
      check_runs: [...runs, { id: 9, name: 'queued', status: 'queued', conclusion: null }],
    }),
  }
  const { forge } = await openWorld(world, { faults: [{ on: /check-runs/, fault }] })
  const statuses = await forge.statusesOf(commit)
  expect(statuses.map(({ context, state }) => `${context} ${state}`)).toEqual([
    'skipped success',
    'success success',
    'failure failure',
    'neutral skipped',
    'skipped skipped',
    'cancelled failure',
    'stale failure',
    'queued pending',
  ])
})

const push = { id: 1, name: 'smoke', status: 'completed', started_at: '2026-11-30T10:00:00Z', app: { id: 7 } }
const dispatched = { ...push, id: 2, started_at: '2026-11-30T12:00:00Z', conclusion: 'success' }
const ofSuites: readonly { readonly name: string; readonly runs: readonly object[]; readonly want: string }[] = [
  {
    name: 'one that was skipped, if a later one is well',
    runs: [dispatched, { ...push, conclusion: 'skipped' }],
    want: 'success',
  },
  {
    name: 'one that was skipped, if a later one waits to be started',
    runs: [
      { ...push, conclusion: 'skipped' },
      { ...dispatched, status: 'queued', started_at: null },
    ],
    want: 'pending',
  },
  {
    name: 'one that was skipped, if one with a greater number was well in the same second',
    runs: [dispatched, { ...push, started_at: dispatched.started_at, conclusion: 'skipped' }],
    want: 'success',
  },
  {
    name: 'none: the last was skipped',
    runs: [
      { ...push, conclusion: 'success' },
      { ...dispatched, conclusion: 'skipped' },
    ],
    want: 'success, skipped',
  },
  {
    name: 'none: a later one failed',
    runs: [
      { ...push, conclusion: 'skipped' },
      { ...dispatched, conclusion: 'failure' },
    ],
    want: 'skipped, failure',
  },
  {
    name: 'none: one that failed is not made good by another event',
    runs: [dispatched, { ...push, conclusion: 'failure' }],
    want: 'success, failure',
  },
  {
    name: 'none: an older one still runs',
    runs: [dispatched, { ...push, status: 'in_progress' }],
    want: 'success, pending',
  },
  {
    name: 'none: that is another app',
    runs: [dispatched, { ...push, app: { id: 8 }, conclusion: 'skipped' }],
    want: 'success, skipped',
  },
]
test.each(ofSuites)('of check runs with one name is left out $name', async ({ runs, want }) => {
  const world = await startWorld()
  const commit = await world.addBranch('a')
  const fault = { status: 200, headers: json, body: bytes({ total_count: runs.length, check_runs: runs }) }
  const { forge } = await openWorld(world, { faults: [{ on: /check-runs/, fault }] })
  const statuses = await forge.statusesOf(commit)
  expect(statuses).toEqual(want.split(', ').map((state) => ({ context: 'smoke', state })))
})
