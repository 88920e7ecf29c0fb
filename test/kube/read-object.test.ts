import { expect, test } from 'vitest'
import type { HttpResponse } from '../../src/model/http.ts'
import { ApiError, isConflict } from '../../src/kube/api-error.ts'
import { ApiServer } from '../../src/kube/api-server.ts'
import { Discovery } from '../../src/kube/discovery.ts'
import { isGone, readFound, readObject } from '../../src/kube/read-object.ts'
import { TokenBucket } from '../../src/kube/token-bucket.ts'
import { FakeClock } from '../support/fake-clock.ts'

type HttpAnswer = Pick<HttpResponse, 'status' | 'headers' | 'body'>

const key = { namespace: 'team-a', name: 'web' }
const query = { group: 'cluster.x-k8s.io', kind: 'Cluster', version: '' }

test('a Cluster whose version is no longer served has not gone, and is found in another one', async () => {
  let served = 'v1beta2'
  let isThere = true
  const answer = (status: number, body: object): HttpAnswer => ({
    status,
    headers: new Map<string, string>(),
    body: new TextEncoder().encode(JSON.stringify(body)),
  })
  const clock = new FakeClock()
  const api = new ApiServer(
    {
      host: 'test',
      exchange: ({ path }) => {
        if (path === '/apis/cluster.x-k8s.io')
          return Promise.resolve(
            answer(200, { versions: [{ version: served }], preferredVersion: { version: served } }),
          )
        if (path === `/apis/cluster.x-k8s.io/${served}`)
          return Promise.resolve(answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] }))
        if (path.startsWith(`/apis/cluster.x-k8s.io/${served}/namespaces/`))
          return Promise.resolve(
            isThere ? answer(200, { metadata: key }) : answer(404, { reason: 'NotFound', details: { name: 'web' } }),
          )
        return Promise.resolve(answer(404, { message: 'the server could not find the requested resource' }))
      },
      follow: () => Promise.reject(new Error('is not followed')),
      close: () => Promise.resolve(),
      reopen: () => expect.fail(),
    },
    {
      timeout: 1000,
      userAgent: 'test',
      limit: new TokenBucket({ perSecond: 100, burst: 100 }, clock),
      count: () => undefined,
    },
  )
  const discovery = new Discovery(api, clock)
  const { signal } = new AbortController()
  const read = async (): Promise<string | undefined> => {
    const resource = await discovery.find(query, signal)
    if (resource === undefined) throw new Error('no such kind')
    const found = await readFound({ api, discovery }, { resource, key }, signal)
    return found === undefined ? undefined : `${resource.version} ${found.name}`
  }
  expect(await read()).toBe('v1beta2 web')
  served = 'v1beta1'
  await expect(read()).rejects.toMatchObject({ status: 404 })
  expect(await read()).toBe('v1beta1 web')
  isThere = false
  expect(await read()).toBeUndefined()
  const resource = await discovery.find(query, signal)
  expect(resource && (await readObject(api, { resource: { ...resource, version: 'v9' }, key }, signal))).toBeUndefined()
})

const resource = { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster', plural: 'clusters' }
const denied = 'admission webhook "w.example.com" denied the request: not found'

test.each([
  ['names it', { subject: 'web', subjectKind: 'clusters' }, true],
  ['names it, and no kind', { subject: 'web' }, true],
  ['names another', { subject: 'app', subjectKind: 'clusters' }, false],
  ['names something else of its name', { subject: 'web', subjectKind: 'namespaces' }, false],
  ['names nothing', {}, false],
  ['is of a webhook', { subject: 'web', subjectKind: 'clusters', message: denied }, false],
  ['is of a webhook whose words are dropped', { subject: 'web', webhook: 'w.example.com' }, false],
])('an object has gone where a 404 %s: %#', (_, given, is) => {
  const refusal = { reason: 'NotFound', message: '', retryAfter: 0, ...given }
  expect(isGone(new ApiError(404, refusal), { resource, key })).toBe(is)
  expect(isGone(new ApiError(410, refusal), { resource, key })).toBe(false)
})

test.each([
  ['the server says so', 409, { message: 'the object has been modified' }, true],
  ['a webhook says so', 409, { message: denied }, false],
  ['a webhook says so whose words are dropped', 409, { webhook: 'w.example.com' }, false],
  ['it is refused otherwise', 422, {}, false],
])('an object has changed meanwhile where %s: %#', (_, status, given, is) => {
  expect(isConflict(new ApiError(status, { reason: '', message: '', retryAfter: 0, ...given }))).toBe(is)
})
