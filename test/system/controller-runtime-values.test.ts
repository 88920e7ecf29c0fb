import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { waitFor } from '../../tools/servers/flux.ts'
import { accountWithAllRights, busyFor, refusedAsBusy } from '../../tools/servers/busy-server.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import {
  cluster,
  conditionsOf,
  installKinds,
  readyIs,
  type RunningController,
  runtimeValues,
  startController,
  valuesMap,
} from './controller-world.ts'

const host = {
  name: 'HOST',
  from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' },
  type: 'host',
  assumptions: [{ isSet: true }, { notEqual: 'auto.example' }],
}
const port = { name: 'PORT', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.port' }, type: 'port' }

describe.runIf(hasKube())('the controller on a real API server', () => {
  let kube: Kube
  let controller: RunningController

  const apply = async (...objects: Parameters<Kube['apply']>[0] & readonly unknown[]): Promise<void> => {
    expect(refusals(await kube.apply(objects))).toEqual([])
  }
  const dataOf = async (name: string): Promise<unknown> => fieldOf(await kube.get(valuesMap(name)), 'data')

  beforeAll(async () => {
    kube = await startKube()
    await kube.createNamespaces(['team-a', 'team-b'])
    await installKinds(kube)
    controller = await startController(kube)
  })
  afterAll(async () => {
    await controller.stop()
    await kube.close()
  })

  test('publishes all values once all are there, for Flux to take up', async () => {
    const object = runtimeValues('web', { values: [host, port], publish: { configMap: 'web' } })
    await apply(object)
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False SourceNotFound'))).toEqual([
      'Ready=False SourceNotFound: HOST: the Cluster is not there; PORT: the Cluster is not there',
      'SourcesResolved=False SourceNotFound: HOST: the Cluster is not there; PORT: the Cluster is not there',
      'Published=False WaitingForSource: Not all values are known; nothing is published',
      'Reconciling=True SourceNotFound: HOST: the Cluster is not there; PORT: the Cluster is not there',
    ])
    await apply(cluster('web', { controlPlaneEndpoint: { host: '192.0.2.10', port: 0 } }))
    const waiting = await readyIs(kube, object, 'Ready=False FieldMissing')
    expect(fieldOf(waiting, 'status.values')).toEqual([
      { name: 'HOST', resolved: true },
      { name: 'PORT', resolved: false, reason: 'FieldMissing' },
    ])
    expect(await kube.get(valuesMap('web'))).toBeUndefined()
    await apply(cluster('web', { controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 } }))
    const ready = await readyIs(kube, object, 'Ready=True')
    expect(conditionsOf(ready)).toEqual([
      'Ready=True Succeeded: Published in ConfigMap web: HOST, PORT',
      'SourcesResolved=True Succeeded: All values are known: 2',
      'Published=True Succeeded: Published in ConfigMap web: HOST, PORT',
    ])
    expect(JSON.stringify(ready)).not.toContain('192.0.2.10')
    expect(fieldOf(ready, 'status.inventory')).toEqual({ entries: [{ id: 'team-a_web__ConfigMap', v: 'v1' }] })
    expect(await kube.get(valuesMap('web'))).toMatchObject({
      metadata: {
        labels: {
          'app.kubernetes.io/managed-by': 'stackmason',
          'reconcile.fluxcd.io/watch': 'Enabled',
          'stackmason.dev/runtime-values': 'web',
        },
        annotations: { 'stackmason.dev/cluster-uid': fieldOf(await kube.get(cluster('web', {})), 'metadata.uid') },
        ownerReferences: [{ kind: 'RuntimeValues', name: 'web', uid: fieldOf(ready, 'metadata.uid') }],
      },
      data: { HOST: '192.0.2.10', PORT: '6443' },
    })
  })

  test('follows a change, and puts right what somebody else has changed', async () => {
    await apply(cluster('web', { controlPlaneEndpoint: { host: '192.0.2.11', port: 6443 } }))
    await waitFor(kube, valuesMap('web'), { until: (map) => fieldOf(map, 'data.HOST') === '192.0.2.11' })
    await apply({ ...valuesMap('web'), data: { HOST: '198.51.100.1', OTHER: 'stays' } })
    await waitFor(kube, valuesMap('web'), { until: (map) => fieldOf(map, 'data.HOST') === '192.0.2.11' })
    expect(await dataOf('web')).toEqual({ HOST: '192.0.2.11', PORT: '6443', OTHER: 'stays' })
    await kube.remove(valuesMap('web'))
    await waitFor(kube, valuesMap('web'), { until: (map) => map !== undefined })
    expect(await dataOf('web')).toEqual({ HOST: '192.0.2.11', PORT: '6443' })
  })

  test('takes out what is asked for no longer', async () => {
    const object = runtimeValues('web', { values: [host], publish: { configMap: 'web' } })
    await apply(object)
    await waitFor(kube, valuesMap('web'), { until: (map) => fieldOf(map, 'data.PORT') === undefined })
    expect(await dataOf('web')).toEqual({ HOST: '192.0.2.11' })
    await apply(runtimeValues('web', { values: [host], publish: { configMap: 'renamed' } }))
    await waitFor(kube, valuesMap('renamed'), { until: (map) => map !== undefined })
    await waitFor(kube, valuesMap('web'), { until: (map) => map === undefined })
    await apply(object)
    await waitFor(kube, valuesMap('renamed'), { until: (map) => map === undefined })
    await readyIs(kube, object, 'Ready=True')
  })

  test('keeps the last good values when the source goes, and drops them for another Cluster of the name', async () => {
    const object = runtimeValues('web', { values: [host], publish: { configMap: 'web' } })
    await kube.remove(cluster('web', {}))
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False SourceNotFound'))).toContain(
      'Published=False WaitingForSource: Not all values are known; ConfigMap web keeps the values that it has',
    )
    expect(await dataOf('web')).toEqual({ HOST: '192.0.2.11' })
    await apply(cluster('web', {}))
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False FieldMissing'))[2]).toMatch(
      /^Published=False WaitingForSource: Not all values are known; (?:ConfigMap web is gone, for|nothing is published)/,
    )
    expect(await kube.get(valuesMap('web'))).toBeUndefined()
    await apply(cluster('web', { controlPlaneEndpoint: { host: '192.0.2.12', port: 6443 } }))
    await readyIs(kube, object, 'Ready=True')
    expect(await dataOf('web')).toEqual({ HOST: '192.0.2.12' })
  })

  test('leaves the ConfigMap of somebody else alone, until it is handed over', async () => {
    const object = runtimeValues('theirs', { values: [host], publish: { configMap: 'theirs' } })
    await apply(
      { ...valuesMap('theirs'), data: { HOST: 'by-hand' } },
      cluster('theirs', { controlPlaneEndpoint: { host: '192.0.2.20', port: 6443 } }),
      object,
    )
    const refused = conditionsOf(await readyIs(kube, object, 'Ready=False NotOurs'))
    expect(refused.map((line) => line.split(':')[0])).toEqual([
      'Ready=False NotOurs',
      'SourcesResolved=True Succeeded',
      'Published=False NotOurs',
      'Stalled=True NotOurs',
    ])
    expect(await dataOf('theirs')).toEqual({ HOST: 'by-hand' })
    await apply({
      ...valuesMap('theirs'),
      metadata: {
        ...valuesMap('theirs').metadata,
        labels: { 'app.kubernetes.io/managed-by': 'stackmason', 'stackmason.dev/runtime-values': 'theirs' },
      },
      data: { HOST: 'by-hand' },
    })
    await readyIs(kube, object, 'Ready=True')
    expect(await dataOf('theirs')).toEqual({ HOST: '192.0.2.20' })
  })

  test.each(['v1beta1', 'v1beta2'] as const)('reads what a Cluster of %s names', async (version) => {
    const name = `refs-${version}`
    const group = 'infrastructure.cluster.x-k8s.io'
    const infra = { kind: 'TestCluster', name: `${name}-infra` }
    const plane = { kind: 'TestControlPlane', name: `${name}-plane` }
    const references =
      version === 'v1beta1'
        ? {
            infrastructureRef: { ...infra, apiVersion: `${group}/v1alpha6`, namespace: 'team-b' },
            controlPlaneRef: { ...plane, apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2' },
          }
        : {
            infrastructureRef: { ...infra, apiGroup: group },
            controlPlaneRef: { ...plane, apiGroup: 'controlplane.cluster.x-k8s.io' },
          }
    const object = runtimeValues(name, {
      values: [
        { name: 'API', from: { kind: 'InfrastructureCluster', fieldPath: 'apiVersion' }, type: 'string' },
        {
          name: 'NODE',
          from: { kind: 'InfrastructureCluster', fieldPath: "status.addresses[type=InternalIP]['example.com/ip']" },
          type: 'host',
        },
        { name: 'READY', from: { kind: 'ControlPlane', fieldPath: 'status.replicas' }, type: 'integer' },
        { name: 'ENCODED', from: { kind: 'ControlPlane', fieldPath: 'status.id' }, type: 'id', encode: 'base64' },
      ],
      publish: { configMap: name },
    })
    await apply(object, cluster(name, references, version), {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'TestControlPlane',
      metadata: { name: plane.name, namespace: 'team-a' },
    })
    await readyIs(kube, object, 'Ready=False SourceNotFound')
    await apply({
      apiVersion: `${group}/v1beta9`,
      kind: 'TestCluster',
      metadata: { name: infra.name, namespace: 'team-a' },
    })
    await kube.applyStatus({
      apiVersion: `${group}/v1beta9`,
      kind: 'TestCluster',
      metadata: { name: infra.name, namespace: 'team-a' },
      status: {
        addresses: [
          { type: 'ExternalIP', 'example.com/ip': '192.0.2.30' },
          { type: 'InternalIP', 'example.com/ip': '10.0.0.30' },
        ],
      },
    })
    await kube.applyStatus({
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'TestControlPlane',
      metadata: { name: plane.name, namespace: 'team-a' },
      status: { replicas: 0, id: 'a:b/c' },
    })
    await readyIs(kube, object, 'Ready=True')
    expect(await dataOf(name)).toEqual({
      API: `${group}/${version === 'v1beta1' ? 'v1alpha6' : 'v1alpha7'}`,
      NODE: '10.0.0.30',
      READY: '0',
      ENCODED: 'YTpiL2M=',
    })
  })

  test('says that the API server does not take the values, and keeps the ones before', async () => {
    const long = (text: string): KubeObject => cluster('long', { text })
    const value = (name: string): object => ({
      name,
      type: 'string',
      from: { kind: 'Cluster', fieldPath: 'spec.text' },
    })
    const object = runtimeValues('long', { values: [value('A'), value('B')], publish: { configMap: 'long' } })
    await apply(long('x'.repeat(600_000)), object)
    const said = 'together they are too long, or an admission webhook or policy is against them'
    const refused = await readyIs(kube, object, 'Ready=False Rejected')
    expect(conditionsOf(refused)).toEqual([
      `Ready=False Rejected: The API server refuses ConfigMap long with these values: ${said}; nothing is published`,
      'SourcesResolved=True Succeeded: All values are known: 2',
      `Published=False Rejected: The API server refuses ConfigMap long with these values: ${said}; nothing is published`,
      `Stalled=True Rejected: The API server refuses ConfigMap long with these values: ${said}; nothing is published`,
    ])
    expect(fieldOf(refused, 'status.inventory')).toEqual({ entries: [] })
    await apply(long('short'))
    await readyIs(kube, object, 'Ready=True')
    await apply(long('x'.repeat(600_000)))
    const outdated = await readyIs(kube, object, 'Ready=False Rejected')
    expect(conditionsOf(outdated)[2]).toMatch(/^Published=False Rejected: .*; it keeps the values that it has$/)
    expect(fieldOf(outdated, 'status.inventory.entries')).toHaveLength(1)
    expect(await dataOf('long')).toEqual({ A: 'short', B: 'short' })
    // values of a Cluster that has gone are of no use to the next one
    await kube.remove(long(''))
    await readyIs(kube, object, 'Ready=False SourceNotFound')
    await apply(long('x'.repeat(600_000)))
    await waitFor(kube, valuesMap('long'), { until: (map) => map === undefined })
    await kube.remove(object)
  })

  test('says nothing of an object that goes while it is worked on', async () => {
    await controller.stop()
    const object = runtimeValues('brief', { values: [host], publish: { configMap: 'brief' } })
    let removed: unknown
    controller = await startController(
      kube,
      {},
      {
        before: async ({ method, path }) => {
          if (removed !== undefined || method !== 'PATCH' || !path.includes('/runtimevalues/brief/status?')) return
          removed = object
          await kube.remove(object)
        },
      },
    )
    await apply(object)
    await vi.waitFor(() => expect(removed).toBeDefined(), 20_000)
    const last = runtimeValues('after', { values: [host], publish: { configMap: 'after' } })
    await apply(last)
    await readyIs(kube, last, 'Ready=False SourceNotFound')
    expect(controller.log.filter((line) => line.includes('a pass failed'))).toEqual([])
  })

  test('does nothing while the Cluster is paused', async () => {
    const object = runtimeValues('paused', { values: [host], publish: { configMap: 'paused' } })
    await apply(cluster('paused', { paused: true, controlPlaneEndpoint: { host: '192.0.2.40', port: 1 } }), object)
    const paused = await waitFor(kube, object, { until: (seen) => conditionsOf(seen).length > 0 })
    expect(conditionsOf(paused)).toEqual(['Paused=True Paused: The Cluster or this object is paused'])
    expect(fieldOf(paused, 'status.observedGeneration')).toBe(-1)
    expect(await kube.get(valuesMap('paused'))).toBeUndefined()
    await apply(cluster('paused', { paused: false, controlPlaneEndpoint: { host: '192.0.2.40', port: 1 } }))
    const ready = await readyIs(kube, object, 'Ready=True')
    expect(conditionsOf(ready).some((line) => line.startsWith('Paused'))).toBe(false)
  })

  test('writes nothing where nothing has changed', async () => {
    const names = ['web', 'theirs', 'paused', 'refs-v1beta1', 'refs-v1beta2']
    const versions = async (): Promise<readonly unknown[]> =>
      Promise.all(
        names
          .flatMap((name) => [valuesMap(name), runtimeValues(name, {})])
          .map(async (object) => fieldOf(await kube.get(object), 'metadata.resourceVersion')),
      )
    const before = await versions()
    await controller.stop()
    controller = await startController(kube)
    // the last of them comes after all that was there before
    const last = runtimeValues('zz', { values: [host], publish: { configMap: 'zz' } })
    await apply(cluster('zz', { controlPlaneEndpoint: { host: '192.0.2.50', port: 1 } }), last)
    await readyIs(kube, last, 'Ready=True')
    await waitFor(kube, last, { until: () => controller.log.filter((line) => line.includes('"a write"')).length >= 12 })
    expect(await versions()).toEqual(before)
    expect(controller.log.filter((line) => line.includes('192.0.2.'))).toEqual([])
  })

  test('leaves a ConfigMap alone that somebody makes right before it does', async () => {
    await controller.stop()
    const theirs = { ...valuesMap('raced'), data: { MINE: 'by-hand' } }
    let made: unknown
    controller = await startController(
      kube,
      {},
      {
        before: async ({ method, path }) => {
          if (made !== undefined || method === 'GET' || !path.includes('/configmaps')) return
          made = theirs
          await apply(theirs)
          made = await kube.get(theirs)
        },
      },
    )
    const object = runtimeValues('raced', { values: [host], publish: { configMap: 'raced' } })
    await apply(cluster('raced', { controlPlaneEndpoint: { host: '192.0.2.60', port: 1 } }), object)
    await readyIs(kube, object, 'Ready=False NotOurs')
    expect(fieldOf(made, 'data')).toEqual({ MINE: 'by-hand' })
    expect(await kube.get(theirs)).toEqual(made)
  })

  test('goes on when the API server is killed and comes back', async () => {
    const object = runtimeValues('down', { values: [host], publish: { configMap: 'down' } })
    await apply(cluster('down', { controlPlaneEndpoint: { host: '192.0.2.70', port: 1 } }), object)
    await readyIs(kube, object, 'Ready=True')
    const before = await kube.get(valuesMap('down'))
    const starts = controller.log.length
    const failed = (): readonly string[] =>
      controller.log.slice(starts).filter((line) => line.includes('a watch failed'))
    await kube.restartApiServer(() => vi.waitFor(() => expect(failed().length).toBeGreaterThan(3), 60_000))
    expect(await kube.get(valuesMap('down'))).toEqual(before)
    await apply(cluster('down', { controlPlaneEndpoint: { host: '192.0.2.71', port: 1 } }))
    await waitFor(kube, valuesMap('down'), { until: (map) => fieldOf(map, 'data.HOST') === '192.0.2.71' })
    expect(await dataOf('down')).toEqual({ HOST: '192.0.2.71' })
    expect(controller.log.slice(starts).filter((line) => /"(working|stopped)"/.test(line))).toEqual([])
  })

  test('leaves an API server alone that refuses it for having too much to do, and goes on after it', async () => {
    const account = { namespace: 'team-b', name: 'busy' }
    const token = await accountWithAllRights(kube, account)
    const busy = await startController(kube, { kinds: ['RuntimeValues'], shard: 'busy' }, { token })
    try {
      const names = ['busy-a', 'busy-b', 'busy-c']
      const objects = names.map((name) => {
        const object = runtimeValues(name, { values: [host], publish: { configMap: name } })
        return { ...object, metadata: { ...object.metadata, labels: { 'stackmason.dev/shard': 'busy' } } }
      })
      const move = async (address: string): Promise<void> =>
        apply(...names.map((name) => cluster(name, { controlPlaneEndpoint: { host: address, port: 1 } })))
      await apply(...objects)
      await move('192.0.2.80')
      for (const object of objects) await readyIs(kube, object, 'Ready=True')
      await apply(...busyFor(account))
      // the server takes a level up a moment later
      await vi.waitFor(async () => {
        await move(`192.0.2.${String(81 + (busy.requests() % 50))}`)
        expect(await refusedAsBusy(kube, account)).toBeGreaterThan(0)
      }, 20_000)
      const [asked, refused] = [busy.requests(), await refusedAsBusy(kube, account)]
      await move('192.0.2.200')
      // a server that has refused much asks for a longer pause, of up to 32 seconds
      let seconds = 0
      while (seconds < 3 || (seconds < 60 && (await refusedAsBusy(kube, account)) === refused)) {
        await new Promise((resolve) => {
          setTimeout(resolve, 1000)
        })
        seconds++
      }
      expect(await refusedAsBusy(kube, account)).toBeGreaterThan(refused)
      // one request for each object in a second, which is what the server asks for, and one for each change that a watch tells of
      expect((busy.requests() - asked) / (seconds + 1)).toBeLessThanOrEqual(6)
      for (const object of busyFor(account).toReversed()) await kube.remove(object)
      for (const name of names) {
        await waitFor(kube, valuesMap(name), { until: (map) => fieldOf(map, 'data.HOST') === '192.0.2.200' })
      }
    } finally {
      await busy.stop()
    }
  })

  test('leaves objects of other shards and filters alone, and goes on with one that is moved to it', async () => {
    const labelled = (name: string, labels: Readonly<Record<string, string>>): KubeObject => {
      const object = runtimeValues(name, { values: [host], publish: { configMap: name } })
      return { ...object, metadata: { ...object.metadata, labels } }
    }
    const shard = await startController(kube, { kinds: ['RuntimeValues'], shard: 'eu', watchFilter: 'mine' })
    try {
      const [ofShard, ofFilter] = [{ 'stackmason.dev/shard': 'eu' }, { 'cluster.x-k8s.io/watch-filter': 'mine' }]
      for (const name of ['moved', 'unfiltered', 'elsewhere']) {
        await apply(cluster(name, { controlPlaneEndpoint: { host: '192.0.2.90', port: 1 } }))
      }
      const unfiltered = labelled('unfiltered', ofShard)
      const elsewhere = labelled('elsewhere', { 'stackmason.dev/shard': 'us', ...ofFilter })
      const moved = labelled('moved', { ...ofShard, ...ofFilter })
      await apply(unfiltered, elsewhere, moved)
      await readyIs(kube, moved, 'Ready=True')
      for (const object of [unfiltered, elsewhere]) {
        expect(fieldOf(await kube.get(object), 'status.observedGeneration')).toBe(-1)
      }
    } finally {
      await shard.stop()
    }
    const before = await kube.get(valuesMap('moved'))
    await apply(labelled('moved', {}), cluster('moved', { controlPlaneEndpoint: { host: '192.0.2.91', port: 1 } }))
    const after = await waitFor(kube, valuesMap('moved'), {
      until: (map) => fieldOf(map, 'data.HOST') === '192.0.2.91',
    })
    expect(fieldOf(after, 'metadata.uid')).toBe(fieldOf(before, 'metadata.uid'))
  })

  test('tells of it by an event, once', async () => {
    const events = await kube.list('events.k8s.io/v1', 'Event', 'team-a')
    const told = events.filter((event) => fieldOf(event, 'regarding.name') === 'theirs')
    expect(told.map((event) => `${String(event['type'])} ${String(event['reason'])}`).sort()).toEqual([
      'Normal Succeeded',
      'Warning NotOurs',
    ])
  })
})
