import { expect, test } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { Code } from '../../../src/model/error-codes.ts'
import type { NewPullRequest, PullRequest } from '../../../src/model/forge.ts'
import { createOrFind } from '../../../src/network/forges/create-or-find.ts'

const wanted: NewPullRequest = { title: 't', body: 'b', head: 'stackmason/fleet', base: 'main', isDraft: false }

function pullRequest(number: number, more: Partial<PullRequest> = {}): PullRequest {
  return {
    ...wanted,
    number,
    url: `https://forge.example/pulls/${number}`,
    headCommit: 'a'.repeat(40),
    isFromFork: false,
    state: 'open',
    labels: [],
    ...more,
  }
}

interface Case {
  readonly name: string
  /** What each try throws; the one after them succeeds. */
  readonly throws: readonly Code[]
  /** What each look finds. */
  readonly finds?: readonly (readonly PullRequest[])[]
  readonly want: string
  readonly calls: readonly string[]
}

test.each<Case>([
  { name: 'opens one', throws: [], want: 'created 7', calls: ['create'] },
  {
    name: 'finds what was opened, though the answer was lost',
    throws: ['FETCH_TIMEOUT'],
    finds: [[pullRequest(3)]],
    want: 'found 3',
    calls: ['create', 'look stackmason/fleet'],
  },
  {
    name: 'tries again what had no effect',
    throws: ['FETCH_REFUSED', 'FETCH_FAILED'],
    finds: [[], [pullRequest(4, { head: 'stackmason/fleet-b' })]],
    want: 'created 7',
    calls: ['create', 'look stackmason/fleet', 'create', 'look stackmason/fleet', 'create'],
  },
  {
    name: 'finds what takes effect between two tries',
    throws: ['FETCH_TIMEOUT', 'FETCH_REFUSED'],
    finds: [[], [pullRequest(5)]],
    want: 'found 5',
    calls: ['create', 'look stackmason/fleet', 'create', 'look stackmason/fleet'],
  },
  {
    name: 'takes the one into the same base first',
    throws: ['FETCH_REFUSED'],
    finds: [[pullRequest(1, { base: 'stable' }), pullRequest(2)]],
    want: 'found 2',
    calls: ['create', 'look stackmason/fleet'],
  },
  {
    name: 'gives up after three tries',
    throws: ['FETCH_FAILED', 'FETCH_FAILED', 'FETCH_FAILED', 'FETCH_FAILED'],
    finds: [[], [], []],
    want: 'FETCH_FAILED',
    calls: ['create', 'look stackmason/fleet', 'create', 'look stackmason/fleet', 'create', 'look stackmason/fleet'],
  },
  {
    name: 'does not try again what will not pass',
    throws: ['FETCH_INVALID'],
    finds: [[]],
    want: 'FETCH_INVALID',
    calls: ['create', 'look stackmason/fleet'],
  },
  { name: 'does not look after what had no effect', throws: ['FETCH_TLS'], want: 'FETCH_TLS', calls: ['create'] },
])('a pull request: $name', async ({ throws, finds = [], want, calls }) => {
  const made: string[] = []
  const errors = [...throws]
  const looks = [...finds]
  const creation = {
    wanted,
    create: (): Promise<PullRequest> => {
      made.push('create')
      const code = errors.shift()
      if (code === undefined) return Promise.resolve(pullRequest(7))
      return Promise.reject(new StackmasonError({ code, severity: 'error', message: code }))
    },
    forge: {
      openPullRequests: (prefix: string): Promise<readonly PullRequest[]> => {
        made.push(`look ${prefix}`)
        return Promise.resolve(looks.shift() ?? [])
      },
    },
  }
  const ports = {
    clock: { monotonic: () => 0, now: () => 0, sleep: () => Promise.resolve() },
    random: { bytes: (length: number) => new Uint8Array(length) },
  }
  const done = await createOrFind(creation, ports).then(
    (created) => `${created.outcome} ${created.pullRequest.number}`,
    (error: unknown) => (error instanceof StackmasonError ? error.diagnostics[0]?.code : error),
  )
  expect(done).toBe(want)
  expect(made).toEqual(calls)
})
