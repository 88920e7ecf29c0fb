import { expect, test } from 'vitest'
import type { HttpResponse } from '../../../src/model/http.ts'
import { settled } from '../../support/fake-clock.ts'
import { answer, type FakeRun, startFakeRun } from '../fake-run.ts'

const SECOND = 1000

function labelled(name: string, labels: object, more: object = {}): Record<string, unknown> {
  const own = { 'app.kubernetes.io/managed-by': 'stackmason', ...labels }
  return { metadata: { name, namespace: 'a', uid: name, resourceVersion: '1', labels: own, ...more } }
}

/** A management cluster with one RuntimeValues object, its Cluster, and what else lies beside it, by paths. */
class World {
  readonly objects = new Map<string, Record<string, unknown>>()
  readonly writes: string[] = []
  /** What is answered to a write; undefined: it is carried out. */
  refuse: (write: string) => HttpResponse | undefined = () => undefined
  readonly run: FakeRun

  constructor(
    spec: object,
    { status = {}, cluster = {} }: { readonly status?: object; readonly cluster?: object } = {},
  ) {
    const meta = { namespace: 'a', name: 'web', resourceVersion: '1', generation: 1 }
    this.objects.set('runtimevalues/web', { metadata: { ...meta, uid: 'web' }, spec, status })
    this.objects.set('clusters/web', {
      metadata: { ...meta, uid: 'now' },
      status: { initialization: { controlPlaneInitialized: true } },
      ...cluster,
    })
    this.run = startFakeRun(
      { exchange: async ({ method, path, body }) => this.#answer(method, path, body) },
      { kinds: ['RuntimeValues'] },
    )
  }

  /** Conditions, as `type=status reason`. */
  get conditions(): readonly string[] {
    const { conditions = [] } = Object(this.objects.get('runtimevalues/web')?.['status'])
    return Array.from(conditions, (one) => {
      const { type, status, reason } = Object(one)
      return [`${String(type)}=${String(status)}`, String(reason)].join(' ')
    })
  }

  #answer(method: string, path: string, body: Uint8Array | undefined): HttpResponse {
    if (path === '/apis/cluster.x-k8s.io') return answer(200, { versions: [{ version: 'v1' }] })
    if (path === '/apis/cluster.x-k8s.io/v1') return answer(200, { resources: [{ kind: 'Cluster', name: 'clusters' }] })
    const key = path.replace(/\?.*/, '').replace(/^.*\/namespaces\/a\//, '')
    const found = this.objects.get(key.replace('/status', ''))
    if (method !== 'GET') return this.#write(`${method} ${key}`, found, JSON.parse(new TextDecoder().decode(body)))
    if (!path.includes('/namespaces/')) {
      const plural = key.split('/').at(-1) ?? ''
      const items = [...this.objects].flatMap(([id, object]) => (id.startsWith(`${plural}/`) ? [object] : []))
      return answer(200, { metadata: { resourceVersion: '1' }, items })
    }
    return found === undefined ? answer(404, { details: { name: key.split('/').at(-1) } }) : answer(200, found)
  }

  #write(write: string, found: Record<string, unknown> | undefined, body: object): HttpResponse {
    const { metadata: _, status } = Object(body)
    if (write.endsWith('/status')) {
      const old = Object(found?.['status'])
      const kept = Object.entries({ ...old, ...Object(status) }).filter(([, value]) => value !== null)
      if (found !== undefined) found['status'] = Object.fromEntries(kept)
      return answer(200, found ?? {})
    }
    if (!write.endsWith(' events')) this.writes.push(write)
    return this.refuse(write) ?? answer(200, found ?? {})
  }
}

const host = {
  clusterName: 'web',
  values: [{ name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' }],
  publish: { configMap: 'web' },
}
const known = { spec: { controlPlaneEndpoint: { host: 'now.example' } } }

test('Secrets that are asked for no longer are taken back as soon as the workload cluster can be reached', async () => {
  const secrets = [{ namespace: 'kube-system', name: 'login', delivered: true }]
  const world = new World({ clusterName: 'web', values: [], publish: {} }, { status: { secrets } })
  await settled()
  expect(world.conditions).toEqual([
    'Ready=False KubeconfigNotFound',
    'SourcesResolved=True Succeeded',
    'Published=True Succeeded',
    'SecretsDelivered=False KubeconfigNotFound',
    'Reconciling=True KubeconfigNotFound',
  ])
  // that they were there stays known
  expect(world.objects.get('runtimevalues/web')?.['status']).toMatchObject({ secrets })
  await world.run.stop()
})

test('who is refused by a conflict again and again says so, and tries ever more rarely', async () => {
  const world = new World(host, { cluster: known })
  world.refuse = () => answer(409, { reason: 'Conflict', message: 'the object has been modified' })
  await settled()
  await world.run.clock.advance(SECOND)
  expect(world.conditions).toEqual([])
  await world.run.clock.advance(6 * SECOND)
  expect(world.conditions).toEqual(['Ready=False Conflict', 'Reconciling=True Conflict'])
  await world.run.clock.advance(3600 * SECOND)
  expect(world.writes.length).toBeLessThan(30)
  world.refuse = () => undefined
  await world.run.clock.advance(600 * SECOND)
  expect(world.conditions[0]).toBe('Ready=True Succeeded')
  await world.run.stop()
})

test('a webhook that answers a write with 409 refuses it', async () => {
  const world = new World(host, { cluster: known })
  world.refuse = () => answer(409, { reason: 'Conflict', message: 'admission webhook "x" denied the request: no' })
  await settled()
  expect(world.conditions[0]).toBe('Ready=False Rejected')
  await world.run.stop()
})

const map = (uid: string, more: object = {}): Record<string, unknown> => ({
  ...labelled(
    'web',
    { 'stackmason.dev/runtime-values': 'web' },
    { annotations: { 'stackmason.dev/cluster-uid': uid }, ...more },
  ),
  data: { HOST: 'old.example' },
})
const dying = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/backup'] }

test.each([
  [
    'that goes at once',
    {},
    map('other'),
    answer(200, { kind: 'Status', status: 'Success' }),
    ['DELETE'],
    'WaitingForSource',
  ],
  ['that finalizers hold back', {}, map('other'), answer(200, map('other', dying)), ['DELETE'], 'BeingDeleted'],
  ['that is being deleted already', {}, map('other', dying), undefined, [], 'BeingDeleted'],
  ['that is being deleted, with the values of now', known, map('other', dying), undefined, ['PATCH'], 'BeingDeleted'],
  ['of the same Cluster that somebody deletes', known, map('now', dying), undefined, ['PATCH'], 'BeingDeleted'],
] as const)('a ConfigMap of values %s', async (_, cluster, live, answered, writes, reason) => {
  const world = new World(host, { cluster })
  world.objects.set('configmaps/web', live)
  world.refuse = () => answered
  await settled()
  expect([...new Set(world.writes)]).toEqual(writes.map((method) => `${method} configmaps/web`))
  expect(world.conditions.slice(0, 3)).toEqual([
    `Ready=False ${'spec' in cluster ? reason : 'FieldMissing'}`,
    'spec' in cluster ? 'SourcesResolved=True Succeeded' : 'SourcesResolved=False FieldMissing',
    `Published=False ${reason}`,
  ])
  expect(world.run.log.some((line) => line.includes('took published values back'))).toBe(reason === 'WaitingForSource')
  await world.run.stop()
})
