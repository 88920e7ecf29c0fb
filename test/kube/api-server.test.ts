import { expect, test } from 'vitest'
import { ApiServer } from '../../src/kube/api-server.ts'
import { TokenBucket } from '../../src/kube/token-bucket.ts'
import { FakeClock } from '../support/fake-clock.ts'

test.each([
  ['GET', ['GET'], 'answered'],
  ['POST', [], 'not now'],
  ['PUT', [], 'not now'],
  ['PATCH', [], 'not now'],
  ['DELETE', [], 'not now'],
] as const)('%s is held back where nothing may be written, unless it only reads', async (method, sent, end) => {
  const seen: string[] = []
  const api = new ApiServer(
    {
      host: 'test',
      exchange: async (request) => {
        seen.push(request.method)
        return { status: 200, headers: new Map(), body: new TextEncoder().encode('{}') }
      },
      follow: () => Promise.reject(new Error('no watch')),
      reopen: () => Promise.reject(new Error('one is enough')),
      close: async () => undefined,
    },
    {
      timeout: 8000,
      userAgent: 'test',
      limit: new TokenBucket({ perSecond: 100, burst: 100 }, new FakeClock()),
      count: () => undefined,
      beforeWrite: () => {
        throw new Error('not now')
      },
    },
  )
  const ended = api.send({ method, path: '/x' }, new AbortController().signal).then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  )
  expect([await ended, seen]).toEqual([end, sent])
})
