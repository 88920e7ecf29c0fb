import { expect, test } from 'vitest'
import type { HttpResponse } from '../../src/model/http.ts'
import { ApiServer } from '../../src/kube/api-server.ts'
import { Discovery } from '../../src/kube/discovery.ts'
import { readFound, readObject, readSurely } from '../../src/kube/read-object.ts'
import { TokenBucket } from '../../src/kube/token-bucket.ts'
import { FakeClock } from '../support/fake-clock.ts'

type HttpAnswer = Pick<HttpResponse, 'status' | 'headers' | 'body'>

const key = { namespace: 'team-a', name: 'web' }
const query = { group: 'cluster.x-k8s.io', kind: 'Cluster', version: '' }

function answer(status: number, body: unknown): HttpAnswer {
  return { status, headers: new Map<string, string>(), body: new TextEncoder().encode(JSON.stringify(body)) }
}

/** A server, by what it answers to a path. */
function serverWith(answers: (path: string) => HttpAnswer): { readonly api: ApiServer; readonly clock: FakeClock } {
  const clock = new FakeClock()
  const connection = {
    host: 'test',
    exchange: ({ path }: { readonly path: string }) => Promise.resolve(answers(path)),
    follow: () => Promise.reject(new Error('is not followed')),
    close: () => Promise.resolve(),
    reopen: () => expect.fail(),
  }
  const limit = new TokenBucket({ perSecond: 100, burst: 100 }, clock)
  return { api: new ApiServer(connection, { timeout: 1000, userAgent: 'test', limit, count: () => undefined }), clock }
}

test('a Cluster whose version is no longer served has not gone, and is found in another one', async () => {
  let served = 'v1beta2'
  let isThere = true
  const { api, clock } = serverWith((path) => {
    if (path === '/apis/cluster.x-k8s.io')
      return answer(200, { versions: [{ version: served }], preferredVersion: { version: served } })
    if (path === `/apis/cluster.x-k8s.io/${served}`)
      return answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })
    if (path.startsWith(`/apis/cluster.x-k8s.io/${served}/namespaces/`))
      return isThere ? answer(200, { metadata: key }) : answer(404, { reason: 'NotFound', details: { name: 'web' } })
    return answer(404, { message: 'the server could not find the requested resource' })
  })
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

test.each([
  ['nothing', {}],
  ['a list', { kind: 'SecretList', items: null }],
  ['another object', { metadata: { ...key, name: 'other' } }],
  ['an object of another namespace', { metadata: { ...key, namespace: 'team-b' } }],
  ['a text', 'welcome'],
])('an object is not absent where a server answers 200 with %s', async (_, body) => {
  const { api } = serverWith(() => answer(200, body))
  const { signal } = new AbortController()
  const resource = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', isNamespaced: true }
  for (const read of [readObject, readSurely])
    await expect(read(api, { resource, key }, signal)).rejects.toMatchObject({
      reason: 'protocol',
      message: 'the server answers with something that is not the object',
    })
})
