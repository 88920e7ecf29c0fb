import { expect, test } from 'vitest'
import { nodeImageGateReconciler } from '../../../src/controller/node-image-gate/reconcile.ts'
import { EventRecorder } from '../../../src/controller/objects/event-recorder.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { Discovery } from '../../../src/kube/discovery.ts'
import { readKubeObject } from '../../../src/kube/kube-object.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import { FakeClock } from '../../support/fake-clock.ts'

type Answers = (method: string, path: string) => { readonly status: number; readonly body: unknown }

interface Trial {
  readonly pass: (status?: object) => Promise<unknown>
  /** Bodies of what was written to the status, each with its path. */
  readonly written: readonly unknown[]
  readonly followed: readonly string[]
  readonly clock: FakeClock
}

const groups: Answers = (_, path) => {
  if (path === '/apis/openstack.k-orc.cloud') {
    return { status: 200, body: { versions: [{ version: 'v1alpha1' }], preferredVersion: { version: 'v1alpha1' } } }
  }
  if (path === '/apis/openstack.k-orc.cloud/v1alpha1') {
    return { status: 200, body: { resources: [{ name: 'images', kind: 'Image' }] } }
  }
  return { status: 404, body: { details: { name: path.split('/').at(-1) } } }
}

function start(spec: object, answers: Answers): Trial {
  const clock = new FakeClock()
  const written: unknown[] = []
  const api = new ApiServer(
    {
      host: 'test',
      exchange: async ({ method, path, body }) => {
        if (method === 'PATCH' && path.includes('/nodeimagegates/')) {
          written.push(JSON.parse(new TextDecoder().decode(body)))
        }
        const found = answers(method, path)
        const { status, body: said } = found.status === 404 && method !== 'PATCH' ? groups(method, path) : found
        return { status, headers: new Map(), body: new TextEncoder().encode(JSON.stringify(said)) }
      },
      follow: async () => Promise.reject(new Error('no watches')),
      close: async () => undefined,
      reopen: () => expect.fail(),
    },
    {
      timeout: 1000,
      userAgent: 'test',
      limit: new TokenBucket({ perSecond: 100, burst: 100 }, clock),
      count: () => undefined,
    },
  )
  const followed: string[] = []
  const reconciler = nodeImageGateReconciler({
    api,
    discovery: new Discovery(api, clock),
    clock,
    events: new EventRecorder({ api, clock, controller: 'c', instance: 'i', onFailure: () => undefined }),
    follow: (_, resource, { namespace, name }) => followed.push(`${resource.kind} ${namespace}/${name}`),
    followAll: (_, resource, namespace) => followed.push(`${resource.kind} ${namespace}/*`),
    onWrite: () => undefined,
    states: { state: () => undefined, paused: () => undefined },
  })
  const metadata = { name: 'g', namespace: 'a', uid: 'u', resourceVersion: '1', generation: 3 }
  return {
    pass: async (status = {}) => {
      const object = readKubeObject({ metadata, spec, status })
      if (object === undefined) throw new Error('no object')
      return reconciler.reconcile(object, new AbortController().signal)
    },
    written,
    followed,
    clock,
  }
}

const ok = { status: 200, body: {} }
const absent = { status: 404, body: {} }
const firstCondition = (body: unknown): unknown =>
  expect.objectContaining({ status: expect.objectContaining({ conditions: expect.arrayContaining([body]) }) })

test('follows an object before it reads it, and looks at stalledAfter when it is due', async () => {
  const order: string[] = []
  const trial = start({ images: [{ orcImage: 'x' }], stalledAfter: '1m' }, (method, path) => {
    if (path.includes('/images/')) order.push(...trial.followed, path)
    return method === 'PATCH' ? ok : absent
  })
  expect(await trial.pass()).toEqual({ again: 60_000 })
  expect(order).toEqual(['Image a/x', '/apis/openstack.k-orc.cloud/v1alpha1/namespaces/a/images/x'])
  const since = new Date(trial.clock.now() - 59_900).toISOString()
  const conditions = [{ type: 'Ready', status: 'False', reason: 'ImageNotFound', lastTransitionTime: since }]
  expect(await trial.pass({ conditions })).toEqual({ again: 1000 })
  await trial.clock.advance(100)
  expect(await trial.pass({ conditions })).toEqual({ again: 1_800_000 })
  const message = 'x: there is no such Image object in the namespace'
  expect(trial.written).toEqual([
    firstCondition(expect.objectContaining({ type: 'Reconciling', message })),
    firstCondition(expect.objectContaining({ type: 'Reconciling', message })),
    firstCondition(expect.objectContaining({ type: 'Stalled', message: `${message}; for longer than 1m` })),
  ])
})

test('a kind that is not there is asked for again, also when that has taken too long', async () => {
  const trial = start({ images: [{ orcImage: 'x' }], stalledAfter: '0s' }, (method) =>
    method === 'PATCH' ? ok : { status: 200, body: {} },
  )
  expect(await trial.pass()).toEqual({ again: 30_000 })
  expect(trial.followed).toEqual([])
})

test('follows all objects of a namespace for a name, page by page', async () => {
  const image = { metadata: { name: 'o', generation: 1 }, spec: { resource: { name: 'Ubuntu' } } }
  const good = {
    ...image,
    status: { id: 'x', conditions: [{ type: 'Available', status: 'True', observedGeneration: 1 }] },
  }
  const trial = start({ images: [{ name: 'Ubuntu' }] }, (method, path) => {
    if (method === 'PATCH') return ok
    if (path.includes('continue=more')) return { status: 200, body: { metadata: {}, items: [image] } }
    if (!path.includes('images?')) return absent
    return { status: 200, body: { metadata: { continue: 'more' }, items: [good] } }
  })
  await trial.pass()
  expect(trial.followed).toEqual(['Image a/*'])
  // two objects describe the image, and one of them does not find it yet
  expect(trial.written).toEqual([firstCondition(expect.objectContaining({ type: 'Ready', reason: 'Progressing' }))])
})

test('says that it may not look, and comes back later', async () => {
  const trial = start({ images: [{ orcImage: 'x' }] }, (method, path) => {
    if (method === 'PATCH') return ok
    return path.includes('/images/') ? { status: 403, body: { message: 'images is forbidden' } } : absent
  })
  expect(await trial.pass()).toEqual({ again: 300_000 })
  expect(trial.written).toEqual([
    firstCondition(
      expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'Forbidden', message: 'images is forbidden' }),
    ),
  ])
})

test('somebody else was faster', async () => {
  const trial = start({ none: true }, (method) => (method === 'PATCH' ? { status: 409, body: {} } : absent))
  expect(await trial.pass()).toEqual({ again: 1000 })
})

const message = 'admission webhook "w.example.com" denied the request: locked'

test.each([
  ['a webhook that answers with 409', 409, { message }],
  ['a webhook that answers with 404', 404, { message, details: { name: 'g', kind: 'locks' } }],
  ['a server that does not serve the kind yet', 404, {}],
])('%s ends the pass with an error: it is logged, and tried again less and less often', async (_, status, body) => {
  const trial = start({ none: true }, (method) => (method === 'PATCH' ? { status, body } : absent))
  await expect(trial.pass()).rejects.toMatchObject({ status })
})

test('a gate that has gone meanwhile needs nothing more', async () => {
  const body = { details: { name: 'g', kind: 'nodeimagegates' } }
  const trial = start({ none: true }, (method) => (method === 'PATCH' ? { status: 404, body } : absent))
  expect(await trial.pass()).toEqual({ again: 1_800_000 })
})
