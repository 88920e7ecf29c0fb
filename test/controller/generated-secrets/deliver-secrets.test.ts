import { describe, expect, test } from 'vitest'
import { deliverSecrets } from '../../../src/controller/generated-secrets/deliver-secrets.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import type { HttpResponse } from '../../../src/model/http.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { answer } from '../fake-run.ts'

const { signal } = new AbortController()
const web = { namespace: 'team-a', name: 'web' }
const asked = {
  namespace: 'apps',
  name: 'login',
  labels: new Map<string, string>(),
  annotations: new Map<string, string>(),
  data: [{ key: 'password', generator: 'password', part: 'value' }],
}

/** The status that a server answers a request with that it refuses. */
interface Refused {
  readonly code: number
  readonly body: object
}

const hook = (code: number, reason: string): Refused => {
  const message = 'admission webhook "guard.example.com" denied the request: s3cret'
  return { code, body: { code, reason, message } }
}
const absent = (name: string): Refused => ({ code: 404, body: { code: 404, reason: 'NotFound', details: { name } } })

/** Delivers `login` unless nothing is asked for, and removes `old`, in a cluster that refuses one kind of requests. */
async function deliver(
  refused: { readonly method: string; readonly how: Refused },
  isAsked: boolean = true,
): Promise<{ readonly asked: string; readonly leftover: string; readonly told: readonly string[] }> {
  const labels = {
    'app.kubernetes.io/managed-by': 'stackmason',
    'stackmason.dev/cluster-namespace': 'team-a',
    'stackmason.dev/cluster-name': 'web',
  }
  const old = { metadata: { namespace: 'apps', name: 'old', uid: 'u', resourceVersion: '1', labels } }
  const exchange = async (request: { readonly method: string; readonly path: string }): Promise<HttpResponse> => {
    const { method, path } = request
    const kind = method === 'GET' && path.includes('limit=') ? 'LIST' : method
    if (kind === refused.method) return answer(refused.how.code, refused.how.body)
    if (kind === 'LIST') return answer(200, { metadata: { resourceVersion: '1' }, items: [old] })
    return method === 'GET' ? answer(404, absent('login').body) : answer(200, {})
  }
  const clock = new FakeClock()
  const api = new ApiServer(
    {
      host: 'test',
      exchange,
      follow: () => Promise.reject(new Error('no watch')),
      reopen: () => Promise.reject(new Error('no other')),
      close: async () => undefined,
    },
    { timeout: 1000, userAgent: 'test', limit: new TokenBucket({ perSecond: 9, burst: 9 }, clock), count: () => {} },
  )
  const told: string[] = []
  const found = await deliverSecrets(
    {
      owner: web,
      cluster: web,
      asked: isAsked ? [asked] : [],
      generators: [],
      sources: { parts: new Map([['password', new Map([['value', 'x']])]]), values: new Map() },
      isThere: async () => false,
    },
    {
      tools: {
        workloadClusters: Object.assign(Object.create(null), {
          within: async (_: unknown, work: (to: ApiServer) => unknown) => work(api),
        }),
        workloadWatches: { follow: () => undefined, forget: () => undefined },
        enqueue: () => undefined,
        onWrite: () => undefined,
        tell: (_, deed) => told.push(deed),
      },
      signal,
      manager: 'test',
    },
  )
  const line = (problem: { readonly reason: string; readonly message: string } | undefined): string =>
    problem === undefined ? '' : `${problem.reason} ${problem.message}`
  return { asked: line(found.asked[0]?.problem), leftover: line(found.leftover), told }
}

describe('a Secret that the workload cluster does not take', () => {
  const writing = 'writing Secret apps/login is refused by'
  const leaving = {
    code: 403,
    body: { code: 403, reason: 'Forbidden', details: { name: 'login', causes: [{ reason: 'NamespaceTerminating' }] } },
  }
  test.each([
    [
      'a webhook answers 409',
      hook(409, 'Conflict'),
      `Rejected ${writing} an admission webhook or policy: 409 Conflict`,
    ],
    [
      'a webhook answers 404',
      hook(404, 'NotFound'),
      `Rejected ${writing} an admission webhook or policy: 404 NotFound`,
    ],
    [
      'a webhook answers 403',
      hook(403, 'Forbidden'),
      `Rejected ${writing} an admission webhook or policy: 403 Forbidden`,
    ],
    ['a webhook answers 500', hook(500, ''), `Rejected ${writing} an admission webhook or policy: 500`],
    [
      'a policy answers 401',
      {
        code: 401,
        body: {
          message: `secrets "login" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no`,
        },
      },
      `Rejected ${writing} an admission webhook or policy: 401`,
    ],
    ['its namespace is not there', absent('apps'), 'NamespaceNotFound namespace apps is not there yet'],
    ['its namespace is being deleted', leaving, 'NamespaceNotFound namespace apps is being deleted'],
    ['something else answers', { code: 404, body: {} }, `ClusterUnreachable ${writing} the API server: 404`],
    [
      'rights are missing',
      { code: 403, body: { code: 403, reason: 'Forbidden', details: { name: 'login' } } },
      'Forbidden the kubeconfig of the Cluster does not allow to write Secret apps/login there',
    ],
  ])('%s', async (_, how, problem) => {
    const told = ['removed a Secret that is no longer asked for']
    expect(await deliver({ method: 'POST', how })).toEqual({ asked: problem, leftover: '', told })
  })
})

describe('a Secret that is asked for no longer', () => {
  const removing = 'removing Secret apps/old is refused by'
  test.each([
    ['has gone', absent('old'), '', true],
    [
      'a webhook answers 404',
      hook(404, 'NotFound'),
      `Rejected ${removing} an admission webhook or policy: 404 NotFound`,
    ],
    ['a webhook answers 409', hook(409, ''), `Rejected ${removing} an admission webhook or policy: 409`],
    ['something else answers', { code: 404, body: {} }, `ClusterUnreachable ${removing} the API server: 404`],
    ['rights are missing', { code: 403, body: {} }, `Forbidden ${removing} the API server: 403`],
  ])('%s', async (_, how, leftover, isGone = false) => {
    const told = ['delivered a Secret', ...(isGone ? ['removed a Secret that is no longer asked for'] : [])]
    expect(await deliver({ method: 'DELETE', how })).toEqual({ asked: '', leftover, told })
  })

  test('may not be looked for', async () => {
    const refused = { method: 'LIST', how: { code: 403, body: {} } }
    const leftover = 'Forbidden listing Secrets is refused by the API server: 403'
    expect(await deliver(refused, false)).toEqual({ asked: '', leftover, told: [] })
    expect(await deliver(refused)).toEqual({ asked: '', leftover: '', told: ['delivered a Secret'] })
  })
})
