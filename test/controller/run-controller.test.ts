import { describe, expect, test } from 'vitest'
import { HttpError, type HttpResponse } from '../../src/model/http.ts'
import { settled } from '../support/fake-clock.ts'
import { answer, type FakeRun, startFakeRun } from './fake-run.ts'

const names = Array.from({ length: 5 }, (_, index) => `web-${String(index)}`)

function listed(path: string): object {
  const items = path.includes('/runtimevalues')
    ? names.map((name) => ({
        metadata: { name, namespace: 'a', uid: name, resourceVersion: '1', generation: 1 },
        spec: { clusterName: name, values: [], publish: { configMap: name } },
      }))
    : []
  return { metadata: { resourceVersion: '1' }, items }
}

test('a server that has too much to do is left alone for as long as it asks', async () => {
  const refused: number[] = []
  const run: FakeRun = startFakeRun(
    {
      exchange: async ({ path }) => {
        if (path.includes('limit=500')) return answer(200, listed(path))
        refused.push(run.clock.monotonic() - 1000)
        return answer(429, {}, [['retry-after', '20']])
      },
    },
    { kinds: ['RuntimeValues'] },
    'error',
  )
  await settled()
  await run.clock.advance(60_000)
  // one request for each object, each time
  expect(refused).toEqual([0, 20_000, 40_000, 60_000].flatMap((at) => names.map(() => at)))
  await run.stop()
})

const lease = { namespace: 'stackmason-system', times: { duration: 15_000, renewWithin: 10_000, retryEvery: 2000 } }
const held = {
  metadata: { name: 'stackmason-controller', namespace: 'stackmason-system' },
  spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 },
}
const forbidden = { message: 'leases "stackmason-controller" is forbidden: User "u" cannot get it' }

/** Asks it for as long, each quarter of a minute. */
async function readiness({ clock, probe }: FakeRun, minutes: number): Promise<readonly string[]> {
  const found: string[] = []
  for (let quarter = 0; quarter < minutes * 4; quarter++) {
    await clock.advance(15_000)
    const { status, text } = await probe('/readyz')
    found.push(`${String(status)} ${text.trim()}`)
  }
  return found
}

test('who may not see the lease is never ready, and says so once', async () => {
  let isAllowed = false
  const run = startFakeRun(
    { exchange: async () => (isAllowed ? answer(200, held) : answer(403, forbidden)) },
    { lease },
  )
  await settled()
  expect(new Set(await readiness(run, 20))).toEqual(
    new Set(['503 lease stackmason-controller: the API server does not allow it (403)']),
  )
  isAllowed = true
  expect(new Set(await readiness(run, 1))).toEqual(new Set(['200 ok']))
  await run.stop()
  const fields = '{"lease":"stackmason-controller","namespace":"stackmason-system"'
  expect(run.log).toEqual([
    'info answering probes {"port":1}',
    'info waiting for the lease {"namespace":"stackmason-system"}',
    `error the lease cannot be taken or renewed: nothing is done without it ${fields},"error":${JSON.stringify(forbidden.message)}}`,
    `info the lease can be seen again ${fields}}`,
  ])
})

test('who waits for the lease of another is ready while the API server answers', async () => {
  let isDown = false
  const run = startFakeRun(
    {
      exchange: async () => {
        if (isDown) throw new HttpError('refused', 'test refuses connections')
        return answer(200, held)
      },
    },
    { lease },
  )
  await settled()
  expect(await readiness(run, 1)).toEqual(Array.from({ length: 4 }, () => '200 ok'))
  isDown = true
  expect(await readiness(run, 1)).toEqual([
    '200 ok',
    '200 ok',
    ...Array.from({ length: 2 }, () => '503 lease stackmason-controller: the API server does not answer (refused)'),
  ])
  isDown = false
  expect(await readiness(run, 0.25)).toEqual(['200 ok'])
  await run.stop()
  const fields = '{"lease":"stackmason-controller","namespace":"stackmason-system"'
  const failed = `the lease cannot be taken or renewed: nothing is done without it ${fields},"error":"test refuses connections"}`
  expect(run.log.slice(2)).toEqual([`warn ${failed}`, `error ${failed}`, `info the lease can be seen again ${fields}}`])
})

test('without a lease it is ready while its kinds can be watched', async () => {
  let status = 200
  const run = startFakeRun(
    {
      exchange: async ({ path }) => answer(status, status === 200 ? listed(path) : { message: 'not now' }),
      follow: async () => ({ status, headers: new Map(), chunks: ended() }),
    },
    { kinds: ['NodeImageGate'] },
  )
  await settled()
  expect(new Set(await readiness(run, 2))).toEqual(new Set(['200 ok']))
  status = 403
  expect((await readiness(run, 2)).at(-1)).toEqual('503 nodeimagegates: the API server does not allow it (403)')
  status = 500
  expect((await readiness(run, 2)).at(-1)).toEqual('503 nodeimagegates: the API server answers with status 500')
  status = 200
  expect((await readiness(run, 2)).at(-1)).toEqual('200 ok')
  await run.stop()
  expect(run.log.filter((line) => line.includes('watch'))).toEqual([
    'error a watch failed, and is tried again {"watched":"nodeimagegates","error":"not now"}',
    'warn a watch failed, and is tried again {"watched":"nodeimagegates","error":"not now"}',
    'error a watch failed, and is tried again {"watched":"nodeimagegates","error":"not now"}',
    'info a watch works again {"watched":"nodeimagegates"}',
  ])
})

/** A watch that the server ends in order. */
async function* ended(chunk: Uint8Array = new Uint8Array()): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(chunk)
}

test('a kind that we may not see is asked for ever more rarely, and no more once no Cluster names it', async () => {
  const paths: string[] = []
  let named: object = { apiGroup: 'infra.example.com', kind: 'Strange', name: 'web' }
  const web = (): object => ({ ...meta('web'), spec: { infrastructureRef: named } })
  const strange = '/apis/infra.example.com/v1/stranges'
  const answers: readonly (readonly [string, () => HttpResponse])[] = [
    ['/apis/infra.example.com/v1/', () => answer(403, { message: 'stranges is forbidden' })],
    ['/apis/cluster.x-k8s.io/v1/namespaces/a/clusters/web', () => answer(200, web())],
    ['/apis/cluster.x-k8s.io/v1/clusters', () => answer(200, { metadata: { resourceVersion: '1' }, items: [web()] })],
    ['/apis/cluster.x-k8s.io/v1', () => answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })],
    ['/apis/infra.example.com/v1', () => answer(200, { resources: [{ kind: 'Strange', name: 'stranges' }] })],
    ['/apis/cluster.x-k8s.io', () => answer(200, { versions: [{ version: 'v1' }] })],
    ['/apis/infra.example.com', () => answer(200, { versions: [{ version: 'v1' }] })],
    ['/api/v1/configmaps', () => answer(200, { metadata: { resourceVersion: '1' }, items: [] })],
    [
      '/apis/stackmason.dev/v1alpha1/runtimevalues',
      () => answer(200, { metadata: { resourceVersion: '1' }, items: [asked] }),
    ],
  ]
  const run: FakeRun = startFakeRun(
    {
      exchange: async ({ method, path }) => {
        paths.push(path)
        const found = answers.find(([start]) => method === 'GET' && path.startsWith(start))
        return found?.[1]() ?? (method === 'GET' ? answer(404, {}) : answer(200, asked))
      },
    },
    { kinds: ['RuntimeValues'] },
  )
  const asks = (): number => paths.filter((path) => path.startsWith(`${strange}?`)).length
  await settled()
  await run.clock.advance(600_000)
  const first = asks()
  await run.clock.advance(3_600_000)
  // each two and a half minutes in the middle
  expect([first, asks() - first]).toEqual([12, 24])
  expect(run.log.filter((line) => line.includes('a watch failed'))).toHaveLength(1)
  named = {}
  await run.clock.advance(600_000)
  const last = asks()
  await run.clock.advance(7_200_000)
  expect(asks()).toBe(last)
  await run.stop()
})

function meta(name: string): object {
  return { metadata: { name, namespace: 'a', uid: name, resourceVersion: '1', generation: 1 } }
}

function labelsOf(namespace: string, name: string): object {
  return { 'stackmason.dev/cluster-namespace': namespace, 'stackmason.dev/cluster-name': name }
}

const asked = {
  ...meta('web'),
  spec: {
    values: [{ name: 'HOST', from: { kind: 'InfrastructureCluster', fieldPath: 'spec.host' }, type: 'host' }],
    publish: { configMap: 'web' },
  },
}

test.each([
  ['has no kind Cluster', false, false],
  ['no longer serves the version of Clusters', true, true],
])('what Argo CD was told of a cluster stays while the server %s', async (_, hasKind, isUnserved) => {
  const told = { 'app.kubernetes.io/managed-by': 'stackmason', ...labelsOf('a', 'web') }
  const secret = { metadata: { namespace: 'argocd', name: 'a.web', uid: 'u', resourceVersion: '1', labels: told } }
  const writes: string[] = []
  const object = { ...asked, spec: { ...asked.spec, publish: { argoCluster: true } } }
  const run: FakeRun = startFakeRun(
    {
      exchange: async ({ method, path }) => {
        if (method !== 'GET') {
          writes.push(`${method} ${path.replace(/\?.*/, '')}`)
          return answer(200, object)
        }
        if (path === '/api/v1/namespaces/argocd/secrets/a.web') return answer(200, secret)
        if (hasKind && path === '/apis/cluster.x-k8s.io') return answer(200, { versions: [{ version: 'v1' }] })
        if (hasKind && path === '/apis/cluster.x-k8s.io/v1')
          return answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })
        if (isUnserved && path.startsWith('/apis/cluster.x-k8s.io/v1/')) return answer(404, { reason: 'NotFound' })
        const items = path.startsWith('/apis/stackmason.dev/v1alpha1/runtimevalues') ? [object] : []
        return path.includes('/namespaces/') || path.startsWith('/apis/cluster.x-k8s.io')
          ? answer(404, { details: { name: path.split('/').at(-1) } })
          : answer(200, { metadata: { resourceVersion: '1' }, items })
      },
    },
    { kinds: ['RuntimeValues'], argoNamespace: 'argocd' },
  )
  await settled()
  await run.clock.advance(120_000)
  expect(writes.filter((write) => write.includes('/secrets'))).toEqual([])
  await run.stop()
})

test('what is left of a cluster is removed as soon as the server allows it', async () => {
  const left = new Map<string, object>([
    ['a/secrets/web-generated-secrets', { 'stackmason.dev/runtime-values': 'web' }],
    ['argocd/secrets/a.web', labelsOf('a', 'web')],
  ])
  let [isGone, isAllowed] = [false, false]
  const deleted = [new TextEncoder().encode(`${JSON.stringify({ type: 'DELETED', object: asked })}\n`)]
  const secretOf = (key: string, labels: object): HttpResponse => {
    const [namespace, , name] = key.split('/')
    const own = { 'app.kubernetes.io/managed-by': 'stackmason', ...labels }
    return answer(200, { metadata: { namespace, name, uid: key, resourceVersion: '1', labels: own } })
  }
  const remove = (key: string): HttpResponse => {
    if (!isAllowed) return answer(403, { reason: 'Forbidden', message: 'the webhook repeats s3cret' })
    left.delete(key)
    return answer(200, {})
  }
  const run: FakeRun = startFakeRun(
    {
      exchange: async ({ method, path }) => {
        const key = path.replace('/api/v1/namespaces/', '').replace(/\?.*/, '')
        const labels = left.get(key)
        if (labels !== undefined) return method === 'DELETE' ? remove(key) : secretOf(key, labels)
        if (path === '/apis/cluster.x-k8s.io') return answer(200, { versions: [{ version: 'v1' }] })
        if (path === '/apis/cluster.x-k8s.io/v1')
          return answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })
        const items = path.startsWith('/apis/stackmason.dev/v1alpha1/runtimevalues') && !isGone ? [asked] : []
        return path.includes('/namespaces/')
          ? answer(404, { details: { name: path.split('/').at(-1) } })
          : answer(200, { metadata: { resourceVersion: '1' }, items })
      },
      follow: async (path) => ({
        status: 200,
        headers: new Map(),
        chunks: ended(isGone && path.includes('/runtimevalues') ? deleted.splice(0)[0] : undefined),
      }),
    },
    { kinds: ['RuntimeValues'], argoNamespace: 'argocd' },
  )
  await settled()
  isGone = true
  await run.clock.advance(120_000)
  expect(left.size).toBe(2)
  expect(run.log.filter((line) => line.includes('s3cret'))).toEqual([])
  expect(run.log.filter((line) => line.includes('removing Secret'))).toHaveLength(1)
  isAllowed = true
  await run.clock.advance(600_000)
  expect([...left.keys()]).toEqual([])
  await run.stop()
})

describe('what Argo CD was told of a cluster whose object goes first', () => {
  /** A controller beside a Cluster with a cluster Secret, which may be asked for by an object. */
  function startLeaving({
    hasObject,
    namespaces = [],
  }: {
    readonly hasObject: boolean
    readonly namespaces?: readonly string[]
  }): { readonly run: FakeRun; readonly left: Map<string, object>; readonly end: (change: string) => void } {
    const told = { 'app.kubernetes.io/managed-by': 'stackmason', 'argocd.argoproj.io/secret-type': 'cluster' }
    const labels = { ...told, ...labelsOf('a', 'web') }
    const secret = { metadata: { namespace: 'argocd', name: 'a.web', uid: 'u', resourceVersion: '1', labels } }
    const object = { ...asked, spec: { ...asked.spec, publish: {} } }
    const left = new Map<string, object>([
      ['argocd/secrets/a.web', secret],
      ['a/clusters/web', meta('web')],
      ...(hasObject ? [['a/runtimevalues/web', object] as const] : []),
    ])
    const changes = new Map<string, object>()
    const run = startFakeRun(
      {
        exchange: async ({ method, path }) => {
          const key = path.replace(/\?.*/, '').replace(/^.*\/namespaces\//, '')
          if (path === '/apis/cluster.x-k8s.io') return answer(200, { versions: [{ version: 'v1' }] })
          if (path === '/apis/cluster.x-k8s.io/v1')
            return answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })
          const found = left.get(key)
          if (method === 'DELETE') left.delete(key)
          if (method !== 'GET') return answer(200, object)
          if (found !== undefined) return answer(200, found)
          const plural = `/${key.split('/').at(-1) ?? ''}/`
          const items = [...left].flatMap(([name, item]) => (name.includes(plural) ? [item] : []))
          const isList = path.includes('limit=') || path.includes('resourceVersion=')
          return isList
            ? answer(200, { metadata: { resourceVersion: '1' }, items })
            : answer(404, { details: { name: key.split('/').at(-1) } })
        },
        follow: async (path) => {
          const [change] = [...changes.keys()].filter((plural) => path.includes(`/${plural}`))
          const told = change === undefined ? undefined : changes.get(change)
          changes.delete(change ?? '')
          const line = told && new TextEncoder().encode(`${JSON.stringify({ type: 'DELETED', object: told })}\n`)
          return { status: 200, headers: new Map(), chunks: ended(line) }
        },
      },
      { kinds: ['RuntimeValues'], argoNamespace: 'argocd', namespaces },
    )
    const end = (plural: string): void => {
      const gone = left.get(`a/${plural}/web`)
      left.delete(`a/${plural}/web`)
      if (gone !== undefined) changes.set(plural, gone)
    }
    return { run, left, end }
  }
  const secret = 'argocd/secrets/a.web'

  test('stays with the Cluster, and goes with it', async () => {
    const { run, left, end } = startLeaving({ hasObject: true })
    left.set('a/runtimevalues/web', { ...asked, spec: { ...asked.spec, publish: { argoCluster: true } } })
    await settled()
    end('runtimevalues')
    await run.clock.advance(3_600_000)
    expect([...left.keys()]).toEqual([secret, 'a/clusters/web'])
    end('clusters')
    await run.clock.advance(60_000)
    expect([...left.keys()]).toEqual([])
    await run.stop()
    expect(run.log.filter((line) => line.includes('no longer {'))).toEqual([
      'info told Argo CD of the cluster no longer {"kind":"RuntimeValues","key":"a/web","secret":"argocd/a.web"}',
    ])
  })

  test.each([
    ['goes with the Cluster', [], []],
    ['goes with the Cluster, in a namespace that is worked on', ['a'], []],
    ['is left alone in a namespace that is not worked on', ['b'], [secret]],
  ])('while no controller runs %s', async (_, namespaces, want) => {
    const { run, left, end } = startLeaving({ hasObject: false, namespaces })
    await settled()
    await run.clock.advance(60_000)
    expect([...left.keys()]).toEqual([secret, 'a/clusters/web'])
    end('clusters')
    await run.clock.advance(60_000)
    expect([...left.keys()]).toEqual(want)
    await run.stop()
  })
})

test.each([
  { status: 409, what: 'somebody else writes first', within: 2000 },
  { status: 403, what: 'a write is not allowed', within: 331_000 },
])('the pass after one in which $what reads and watches all that one did not reach', async ({ status, within }) => {
  const web = { ...meta('web'), spec: { controlPlaneEndpoint: { host: 'a.example' } } }
  const from = { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }
  const object = {
    ...meta('web'),
    spec: { values: [{ name: 'HOST', from, type: 'host' }], publish: { configMap: 'web', argoCluster: true } },
  }
  const list = (...items: readonly object[]): HttpResponse => answer(200, { metadata: { resourceVersion: '1' }, items })
  const asked: string[] = []
  let refusals = 0
  const run: FakeRun = startFakeRun(
    {
      exchange: async ({ method, path }) => {
        if (path.includes('/secrets')) asked.push(path.replace(/\?.*/, '?'))
        if (method !== 'GET')
          return path.includes('/namespaces/a/configmaps') && refusals++ === 0
            ? answer(status, { message: 'not now' })
            : answer(200, object)
        if (path === '/apis/cluster.x-k8s.io') return answer(200, { versions: [{ version: 'v1' }] })
        if (path === '/apis/cluster.x-k8s.io/v1')
          return answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })
        if (path.endsWith('/clusters/web')) return answer(200, web)
        if (path.startsWith('/apis/stackmason.dev/v1alpha1/runtimevalues')) return list(object)
        return path.includes('/namespaces/') && !path.includes('?') ? answer(404, {}) : list()
      },
    },
    { kinds: ['RuntimeValues'], argoNamespace: 'argocd' },
  )
  await settled()
  // what objects left behind that went while no controller ran
  expect(asked.splice(0)).toEqual(['/api/v1/namespaces/argocd/secrets?'])
  await run.clock.advance(within)
  // watched before it is read: whatever has changed since is in what is read
  expect(asked).toEqual(['/api/v1/secrets?', '/api/v1/secrets?', '/api/v1/namespaces/argocd/secrets/a.web'])
  await run.stop()
})
