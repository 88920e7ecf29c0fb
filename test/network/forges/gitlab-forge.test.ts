import { expect, onTestFinished, test } from 'vitest'
import { type ForgeServer } from '../../../tools/servers/forge-state.ts'
import { gitlabProblems } from '../../../tools/servers/gitlab-description.ts'
import { startGitLabForge } from '../../../tools/servers/gitlab-forge.ts'
import { type ForgeWorld, openWorld, refuseProblems, type WireFault } from './forge-lab.ts'
import { standInWorld } from './stand-in-world.ts'

type World = ForgeWorld & { readonly server: ForgeServer }

async function startWorld(): Promise<World> {
  const server = await startGitLabForge()
  onTestFinished(async () => {
    await server.close()
    refuseProblems(server.problems)
  })
  return standInWorld(server, 'gitlab')
}

const json = new Map([['content-type', 'application/json']])
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const wanted = { title: 't', body: 'b', head: 'a', base: 'main', isDraft: false }
const refusal = (status: number, message: string, times = 1): WireFault => ({
  on: /\/merge$/,
  fault: { status, headers: json, body: bytes({ message }) },
  times,
})

test.each<{ name: string; faults: readonly WireFault[]; want: string; waits: number }>([
  { name: 'is enabled', faults: [], want: 'enabled', waits: 0 },
  {
    name: 'is enabled once GitLab is ready for it',
    faults: [refusal(405, '405 Method Not Allowed', 2)],
    want: 'enabled',
    waits: 2,
  },
  {
    name: 'is given up where it is not allowed',
    faults: [refusal(405, '405 Method Not Allowed', 9)],
    want: 'notAllowed',
    waits: 3,
  },
  { name: 'is not of another commit', faults: [refusal(409, 'SHA does not match')], want: 'outdated', waits: 0 },
  {
    name: 'is not of who may not merge',
    faults: [refusal(401, '401 Unauthorized')],
    want: 'PUBLISH_PERMISSION',
    waits: 0,
  },
])('merging by itself $name', { timeout: 30_000 }, async ({ faults, want, waits }) => {
  const world = await startWorld()
  const headCommit = await world.addBranch('a')
  await world.requireStatus('ci')
  const { forge, slept } = await openWorld(world, { faults })
  const { number } = (await forge.createPullRequest(wanted)).pullRequest
  const outcome = await forge
    .enableAutoMerge(number, { method: 'squash', headCommit })
    .catch((error: { readonly diagnostics: readonly { readonly code: string }[] }) => error.diagnostics[0]?.code)
  expect(outcome).toBe(want)
  expect(slept).toHaveLength(waits)
})

test('one reviewer is kept without a licence, and the others are told', async () => {
  const world = await startWorld()
  await world.addBranch('a')
  const { forge } = await openWorld(world)
  const { number } = (await forge.createPullRequest(wanted)).pullRequest
  const held = world.server.state.pullRequests[0]!
  Object.defineProperty(held, 'reviewers', { get: () => ['alice'] })
  expect(await forge.requestReviewers(number, { users: ['Alice', 'bot'], teams: [] })).toEqual(['bot'])
})

test('a job that may fail has failed, one that was skipped shows nothing, and the newest counts', async () => {
  const world = await startWorld()
  const commit = await world.addBranch('a')
  const status = (id: number, state: string, allow_failure = false): object => ({
    id,
    name: 'lint',
    status: state,
    allow_failure,
    description: null,
    target_url: null,
  })
  const states = []
  for (const list of [
    [status(1, 'success'), status(3, 'failed'), status(2, 'success')],
    [status(1, 'failed', true)],
    [status(1, 'canceled')],
    [status(1, 'manual')],
    [status(1, 'skipped')],
    [],
  ]) {
    const fault = { status: 200, headers: json, body: bytes(list) }
    const { forge } = await openWorld(world, { faults: [{ on: /statuses/, fault }] })
    states.push(await forge.statusOf(commit, 'lint'))
  }
  expect(states).toEqual(['failure', 'failure', 'failure', 'pending', 'skipped', 'missing'])
})

test.each([
  { body: { iid: 0, state: 'opened' }, want: '"title" is not text' },
  { body: { state: 'gone' }, want: '"state" is none of a merge request' },
  { body: [], want: 'a merge request is not an object' },
])('an answer of the wrong shape is refused: $want', async ({ body, want }) => {
  const world = await startWorld()
  const fault = { status: 200, headers: json, body: bytes(body) }
  const { forge } = await openWorld(world, { faults: [{ on: /merge_requests\/1$/, fault }] })
  await expect(forge.pullRequest(1)).rejects.toMatchObject({
    diagnostics: [{ code: 'FETCH_INVALID', message: expect.stringContaining(want) }],
  })
})

test('a token of a job is told from a wrong one', async () => {
  const world = await startWorld()
  await world.addBranch('a')
  const { forge } = await openWorld(world, { token: 'of_a_job' })
  await expect(forge.createPullRequest(wanted)).rejects.toMatchObject({
    diagnostics: [{ hint: expect.stringContaining('or that of a job, which may not use merge requests') }],
  })
})

test('what GitLab would not read, or not say, is seen', () => {
  const exchange = { query: new URLSearchParams(), status: 201, answer: { id: 1 } }
  const path = '/projects/acme%2Ffleet/merge_requests'
  expect(
    gitlabProblems({ ...exchange, method: 'POST', path, body: { source_branch: 'a', title: 't', draft: true } }),
  ).toEqual(
    expect.arrayContaining([
      " must have required property 'target_branch'",
      ' must NOT have additional properties',
      " must have required property 'iid'",
    ]),
  )
  expect(gitlabProblems({ ...exchange, method: 'GET', path: '/projects/2', body: null })).toEqual([
    'no GET /projects/2',
  ])
})
