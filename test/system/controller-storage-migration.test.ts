import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ControllerOptions } from '../../src/controller/controller-options.ts'
import type { ConnectionRequest } from '../../src/model/server-connection.ts'
import { type StoredKind, storedKind } from '../../tools/fleets/stored-kinds.ts'
import { accountWithAllRights, busyFor, refusedAsBusy } from '../../tools/servers/busy-server.ts'
import { type ConversionWebhook, startConversionWebhook } from '../../tools/servers/conversion-webhook.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import {
  cluster,
  conditionsOf,
  type Fate,
  installKinds,
  readyIs,
  type RunningController,
  startController,
  toldOf,
} from './controller-world.ts'

function migration(name: string, spec: object): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'StorageMigration',
    metadata: { name, namespace: 'team-a' },
    spec: { objectsPerSecond: 1000, ...spec },
  }
}

function isPrune({ method, path }: ConnectionRequest): boolean {
  return method === 'PATCH' && path.includes('/customresourcedefinitions/')
}

describe.runIf(hasKube())('storage migration on a real API server', () => {
  let kube: Kube
  let webhook: ConversionWebhook
  let controllers: RunningController[] = []
  let objects: KubeObject[] = []

  const apply = async (...given: readonly KubeObject[]): Promise<void> => {
    expect(refusals(await kube.apply(given))).toEqual([])
  }
  const start = async (fate: Fate = {}, options: Partial<ControllerOptions> = {}): Promise<RunningController> => {
    const controller = await startController(kube, { kinds: ['StorageMigration'], ...options }, fate)
    controllers.push(controller)
    return controller
  }
  const stop = async (): Promise<void> => {
    await Promise.all(controllers.map((controller) => controller.stop()))
    controllers = []
  }
  /** Asks for a migration of a kind. */
  const ask = async (kind: StoredKind, spec: object = {}): Promise<KubeObject> => {
    const object = migration(kind.name.split('.')[0] ?? '', { customResourceDefinitions: [kind.name], ...spec })
    await apply(object)
    objects.push(object)
    return object
  }
  const stated = (object: KubeObject | undefined, field: string): unknown =>
    fieldOf(object, `status.customResourceDefinitions.0.${field}`)
  /** What etcd holds at the moment of each prune, which is what must be right. */
  const pruning = (kind: StoredKind): { readonly seen: unknown[]; readonly before: NonNullable<Fate['before']> } => {
    const seen: unknown[] = []
    return { seen, before: async (request) => void (isPrune(request) && seen.push(await kind.inEtcd())) }
  }
  /** Objects in two old versions. */
  const filled = async (name: string, count: number, conversion?: object): Promise<StoredKind> => {
    const kind = storedKind(kube, name)
    const further = conversion === undefined ? {} : { conversion }
    await kind.define({ storage: 'v1alpha1', ...further })
    await kind.settle()
    await kind.fill('a', count / 2, { password: 'hunter2' })
    await kind.define({ storage: 'v1beta1', ...further })
    await kind.settle()
    await kind.fill('b', count / 2, { password: 'hunter2' })
    await kind.define({ storage: 'v1', ...further })
    expect(await kind.inEtcd()).toEqual({ v1alpha1: count / 2, v1beta1: count / 2 })
    expect(await kind.storedVersions()).toEqual(['v1alpha1', 'v1beta1', 'v1'])
    return kind
  }

  beforeAll(async () => {
    kube = await startKube()
    webhook = await startConversionWebhook()
    await kube.createNamespaces(['team-a'])
    await installKinds(kube)
  })
  afterEach(async () => {
    await stop()
    webhook.become({})
    for (const object of objects) await kube.remove(object)
    objects = []
  })
  afterAll(async () => {
    await webhook.close()
    await kube.close()
  })

  test('leaves no object in an old version, page by page, and says that', async () => {
    const kind = await filled('widget', 150)
    const object = await ask(kind, { preflight: true })
    const lists: string[] = []
    const { seen, before } = pruning(kind)
    const controller = await start({
      before: async (request) => {
        const { method, path } = request
        if (method === 'GET' && /\/v1\/widgets\?/.test(path)) lists.push(/limit=\d+/.exec(path)?.[0] ?? '')
        await before(request)
      },
    })
    const checked = await readyIs(kube, object, 'Ready=True')
    expect(conditionsOf(checked)).toEqual([
      'Ready=True Succeeded: widgets.stored.example.com: 150 objects, none of which would be refused',
      'StorageMigrated=False PreflightPassed: Nothing was written; widgets.stored.example.com: 150 objects, none of which would be refused',
    ])
    expect(await kind.inEtcd()).toEqual({ v1alpha1: 75, v1beta1: 75 })
    expect(await kind.storedVersions()).toEqual(['v1alpha1', 'v1beta1', 'v1'])
    expect(stated(checked, 'versions')).toEqual([
      {
        name: 'v1alpha1',
        removable: false,
        message:
          'objects may be stored in it, by storedVersions; it is served: first set served to false, and see that nobody asks for it',
      },
      {
        name: 'v1beta1',
        removable: false,
        message:
          'objects may be stored in it, by storedVersions; it is served: first set served to false, and see that nobody asks for it',
      },
      { name: 'v1', removable: false, message: 'objects are stored in it' },
    ])
    await ask(kind)
    const done = await waitFor(kube, object, { until: (found) => stated(found, 'migrated') === true })
    expect(conditionsOf(done)).toEqual([
      'Ready=True Succeeded: widgets.stored.example.com: 150 objects rewritten, 0 already in v1',
      'StorageMigrated=True Succeeded: widgets.stored.example.com: 150 objects rewritten, 0 already in v1',
    ])
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([{ v1: 150 }, ['v1'], [{ v1: 150 }]])
    expect(lists).toEqual(Array.from({ length: 6 }, () => 'limit=50'))
    // servers that have had the time to settle are not waited for
    expect(toldOf(controller, 'team-a/widgets').filter((line) => !line.includes('"Settling"'))).toEqual([
      'info StorageMigration checked a definition {"definition":"widgets.stored.example.com","rewritten":0,"alreadyCurrent":150}',
      'info StorageMigration ready',
      'info StorageMigration migrated a definition {"definition":"widgets.stored.example.com","rewritten":150,"alreadyCurrent":0}',
    ])
    // a version that is no longer served may go when nothing of the objects names it
    await kube.apply([{ ...ofVersion(kind, 'v1alpha1', 'a-0'), metadata: { name: 'a-0', annotations: { a: 'b' } } }], {
      fieldManager: 'flux',
    })
    await kind.define({ storage: 'v1', served: ['v1', 'v1beta1'] })
    const cleared = await waitFor(kube, object, { until: (found) => stated(found, 'versions.0.removable') === true })
    expect(stated(cleared, 'versions.0')).toEqual({
      name: 'v1alpha1',
      removable: true,
      message: 'nothing is in the way',
    })
    const managers = fieldOf(await kube.get(ofVersion(kind, 'v1', 'a-0')), 'metadata.managedFields')
    expect([managers].flat().map((entry) => fieldOf(entry, 'apiVersion'))).toEqual(['stored.example.com/v1'])
  })

  test('that comes before its definition changes waits for that', async () => {
    const kind = storedKind(kube, 'early')
    await kind.define({ storage: 'v1beta1' })
    await kind.fill('a', 6, {})
    const object = await ask(kind, { storageVersion: 'v1' })
    const controller = await start()
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False WaitingForStorageVersion'))[0]).toBe(
      `Ready=False WaitingForStorageVersion: ${kind.name}: its storage version is v1beta1: waits until it is v1`,
    )
    await kind.define({ storage: 'v1' })
    await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions()]).toEqual([{ v1: 6 }, ['v1']])
    const waits = (reason: string, message: string): readonly string[] => [
      `info StorageMigration a definition waits ${JSON.stringify({ definition: kind.name, reason, message })}`,
      `info StorageMigration waits ${JSON.stringify({ reason, message: `${kind.name}: ${message}` })}`,
    ]
    expect(toldOf(controller, 'team-a/earlys')).toEqual([
      ...waits('WaitingForStorageVersion', 'its storage version is v1beta1: waits until it is v1'),
      ...waits('Settling', 'waits until all API servers must have learned of the storage version'),
      'info StorageMigration migrated a definition {"definition":"earlys.stored.example.com","rewritten":6,"alreadyCurrent":0}',
      'info StorageMigration ready',
    ])
  })

  test('is the same in the end, at whichever request it dies', { timeout: 180_000 }, async () => {
    const kind = await filled('gear', 4)
    const { seen, before } = pruning(kind)
    const ends: unknown[] = []
    let requests = 0
    for (let round = 0; round === 0 || round <= requests; round++) {
      const object = await ask(kind)
      const killed = await start({ before, ...(round > 0 && { lives: round }) })
      if (round === 0) {
        await readyIs(kube, object, 'Ready=True')
        requests = killed.requests()
      } else {
        await waitFor(kube, object, {
          until: (found) => killed.requests() >= round || stated(found, 'migrated') === true,
        })
        await stop()
        const { seen: again, before: look } = pruning(kind)
        await start({ before: look })
        await readyIs(kube, object, 'Ready=True')
        seen.push(...again)
      }
      const done = await waitFor(kube, object, { until: (found) => stated(found, 'migrated') === true })
      await stop()
      ends.push([
        round,
        await kind.inEtcd(),
        await kind.storedVersions(),
        Number(stated(done, 'rewritten')) + Number(stated(done, 'alreadyCurrent')),
        stated(done, 'failed'),
      ])
      await kube.remove(object)
      const next = round % 2 === 0 ? 'v1beta1' : 'v1'
      await kind.define({ storage: next })
    }
    expect(requests).toBeGreaterThan(15)
    expect(ends).toEqual(
      ends.map((_, round) => {
        const version = round % 2 === 0 ? 'v1' : 'v1beta1'
        return [round, { [version]: 4 }, [version], 4, 0]
      }),
    )
    expect(new Set(seen.map((counts) => JSON.stringify(counts)))).toEqual(new Set(['{"v1":4}', '{"v1beta1":4}']))
  })

  test('names the one object that cannot be converted, and prunes nothing for it', async () => {
    const kind = await filled('wheel', 20, webhook.conversion)
    webhook.become({ refused: ['a-3'], delay: 20 })
    const object = await ask(kind)
    const { seen, before } = pruning(kind)
    const controller = await start({ before })
    const refused = await readyIs(kube, object, 'Ready=False ConversionFailed')
    const message =
      'wheels.stored.example.com: 1 object could not be rewritten: default/a-3: the conversion webhook for stored.example.com/v1alpha1 Wheel failed'
    expect(conditionsOf(refused)).toEqual(
      ['Ready=False', 'StorageMigrated=False', 'Stalled=True'].map((state) => `${state} ConversionFailed: ${message}`),
    )
    expect(JSON.stringify(refused)).not.toContain('hunter2')
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([
      { v1alpha1: 1, v1: 19 },
      ['v1alpha1', 'v1beta1', 'v1'],
      [],
    ])
    webhook.become({})
    await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([{ v1: 20 }, ['v1'], [{ v1: 20 }]])
    const told = toldOf(controller, 'team-a/wheels')
    expect(told).toContain(
      `warn StorageMigration a person has to act ${JSON.stringify({ reason: 'ConversionFailed', message })}`,
    )
    expect(told.at(-1)).toBe('info StorageMigration ready')
  })

  test('waits for a conversion webhook that is down, and prunes nothing meanwhile', async () => {
    const kind = await filled('spoke', 12, webhook.conversion)
    webhook.become({ isDown: true })
    const object = await ask(kind)
    const { seen, before } = pruning(kind)
    await start({ before })
    const refused = await readyIs(kube, object, 'Ready=False ConversionFailed')
    expect(stated(refused, 'message')).toMatch(
      /^3 objects could not be rewritten, and the rest has not been tried: default\/a-0: the conversion webhook for stored\.example\.com\/v1alpha1 Spoke failed: Post "https:/,
    )
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([
      { v1alpha1: 6, v1beta1: 6 },
      ['v1alpha1', 'v1beta1', 'v1'],
      [],
    ])
    webhook.become({})
    await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([{ v1: 12 }, ['v1'], [{ v1: 12 }]])
  })

  test('gets past admission by the status, and names whom it does not', async () => {
    const kind = await filled('bolt', 8)
    const admission = (resources: readonly string[]): KubeObject => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'strict' },
      webhooks: [
        {
          name: 'strict.example.com',
          clientConfig: webhook.admission,
          rules: [{ apiGroups: ['stored.example.com'], apiVersions: ['*'], operations: ['UPDATE'], resources }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    // a 404 of it is not the server's word that they have gone
    webhook.become({ refused: ['a-1', 'b-2'], status: 404 })
    await apply(admission(['bolts', 'bolts/status']))
    const touch = { metadata: { labels: { touched: 'yes' } } }
    const isRefused = async (): Promise<boolean> =>
      (await kube.request('PATCH', `${kind.path}/a-1?dryRun=All`, touch, 'application/merge-patch+json')).status === 404
    while (!(await isRefused())) await setTimeout(50)
    const object = await ask(kind, { preflight: true })
    const { seen, before } = pruning(kind)
    await start({ before })
    const checked = await readyIs(kube, object, 'Ready=False PreflightRefused')
    expect(stated(checked, 'message')).toBe(
      '2 objects would be refused: default/a-1: admission webhook strict.example.com refuses it',
    )
    await ask(kind)
    const refused = await readyIs(kube, object, 'Ready=False AdmissionDenied')
    expect(stated(refused, 'failures')).toEqual(
      ['a-1', 'b-2'].map((name) => ({
        namespace: 'default',
        name,
        message: 'admission webhook strict.example.com refuses it',
      })),
    )
    // events follow the status that they tell of
    const told = async (): Promise<readonly string[]> =>
      (await kube.list('events.k8s.io/v1', 'Event', 'team-a'))
        .filter((event) => fieldOf(event, 'regarding.uid') === fieldOf(refused, 'metadata.uid'))
        .map((event) => `${String(event['reason'])} ${String(event['note'])}`)
    await expect.poll(told, { timeout: 30_000 }).toContainEqual(expect.stringMatching(/^AdmissionDenied /))
    expect(JSON.stringify([refused, await told()])).not.toContain('hunter2')
    expect([await kind.inEtcd(), seen]).toEqual([{ v1alpha1: 1, v1beta1: 1, v1: 6 }, []])
    await apply(admission(['bolts']))
    await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([{ v1: 8 }, ['v1'], [{ v1: 8 }]])
    await kube.remove(admission([]))
    await expect
      .poll(told, { timeout: 30_000 })
      .toContain('Succeeded bolts.stored.example.com: 8 objects rewritten, 0 already in v1')
  })

  test('begins anew when the storage version goes there and back meanwhile', async () => {
    const kind = await filled('valve', 12)
    const object = await ask(kind)
    const { seen, before } = pruning(kind)
    const flip = async (): Promise<void> => {
      await kind.define({ storage: 'v1beta1' })
      // what is written here is stored in the other version, behind the back of who has gone over it
      for (const name of ['a-0', 'a-1', 'a-2']) {
        const body = { metadata: { labels: { written: 'elsewhere' } } }
        await kube.request('PATCH', `${kind.path}/${name}`, body, 'application/merge-patch+json')
      }
      expect(await kind.inEtcd()).toMatchObject({ v1: expect.any(Number), v1beta1: expect.any(Number) })
      await kind.define({ storage: 'v1' })
    }
    await start({ before: both(before, atWrite(6, flip)) })
    const done = await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([{ v1: 12 }, ['v1'], [{ v1: 12 }]])
    expect(stated(done, 'generation')).toBe(5)
  })

  test('ends quietly when the definition is deleted meanwhile', async () => {
    const kind = await filled('hinge', 12)
    const object = await ask(kind)
    const remove = async (): Promise<void> => {
      const definition = await kind.definition()
      if (definition !== undefined) await kube.remove(definition)
    }
    const controller = await start({ before: atWrite(6, remove) })
    const gone = await readyIs(kube, object, 'Ready=False DefinitionNotFound')
    expect(stated(gone, 'message')).toBe('the definition does not exist; its objects are migrated once it does')
    expect(controller.log.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('is right when two do the same at once', async () => {
    const kind = await filled('chain', 40)
    const object = await ask(kind)
    const { seen, before } = pruning(kind)
    await Promise.all([start({ before }), start({ before })])
    await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions()]).toEqual([{ v1: 40 }, ['v1']])
    expect(new Set(seen.map((counts) => JSON.stringify(counts)))).toEqual(new Set(['{"v1":40}']))
  })

  test('goes on while the server refuses it for having too much to do, and prunes nothing too early', async () => {
    const account = { namespace: 'team-a', name: 'busy' }
    const token = await accountWithAllRights(kube, account)
    const kind = await filled('spring', 40)
    await apply(...busyFor(account))
    const object = await ask(kind)
    const { seen, before } = pruning(kind)
    const refused = new Set<number>()
    await start({ before, token })
    const early: unknown[] = []
    await vi.waitFor(async () => {
      const state = await kube.get(object)
      if (JSON.stringify(await kind.storedVersions()) === '["v1"]') early.push(await kind.inEtcd())
      refused.add(await refusedAsBusy(kube, account))
      expect(refused.size > 5 || stated(state, 'migrated') === true).toBe(true)
    }, 60_000)
    for (const one of busyFor(account).toReversed()) await kube.remove(one)
    await readyIs(kube, object, 'Ready=True')
    expect(Math.max(...refused)).toBeGreaterThan(3)
    expect(early.filter((counts) => JSON.stringify(counts) !== '{"v1":40}')).toEqual([])
    expect([await kind.inEtcd(), await kind.storedVersions(), seen]).toEqual([{ v1: 40 }, ['v1'], [{ v1: 40 }]])
  }, 120_000)

  test('migrates in a workload cluster, when it is there', async () => {
    const kind = await filled('cable', 4)
    const labels = { labels: { 'example.com/part-of': 'storage' } }
    await kind.define({ storage: 'v1', metadata: labels })
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c1-kubeconfig', namespace: 'team-a' } }
    const object = migration('elsewhere', {
      clusterRef: { name: 'c1' },
      selector: { matchLabels: { 'example.com/part-of': 'storage' } },
    })
    objects.push(object, cluster('c1', {}), secret)
    await apply(object)
    await start({}, { workload: { watches: 0, check: 300 } })
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False SourceNotFound'))).toContain(
      'Reconciling=True SourceNotFound: Cluster c1 is not there',
    )
    await apply(cluster('c1', {}))
    const without = await readyIs(kube, object, 'Ready=False KubeconfigNotFound')
    expect(conditionsOf(without)).toContain(
      'Reconciling=True KubeconfigNotFound: Secret c1-kubeconfig is not there yet, which Cluster API makes',
    )
    await apply({ ...secret, stringData: { value: kube.kubeconfigText } }, cluster('c1', { paused: false }))
    await readyIs(kube, object, 'Ready=True')
    expect([await kind.inEtcd(), await kind.storedVersions()]).toEqual([{ v1: 4 }, ['v1']])
    // nobody watches definitions there: they are looked at again and again
    await kube.apply([ofVersion(kind, 'v1alpha1', 'a-0')], { fieldManager: 'flux' })
    await kind.define({ storage: 'v1', served: ['v1', 'v1beta1'], metadata: labels })
    await waitFor(kube, object, { until: (found) => stated(found, 'versions.0.removable') === true })
    const managers = fieldOf(await kube.get(ofVersion(kind, 'v1', 'a-0')), 'metadata.managedFields')
    expect([managers].flat().map((entry) => fieldOf(entry, 'apiVersion'))).toEqual(['stored.example.com/v1'])
  })
})

/** Does something at the so manieth write to an object; that and all that follow wait for it. */
function atWrite(count: number, act: () => Promise<void>): NonNullable<Fate['before']> {
  let writes = 0
  let acting: Promise<void> | undefined
  return async ({ method, path }) => {
    if (method !== 'PATCH' || !path.includes('/stored.example.com/')) return
    writes += 1
    if (writes >= count) await (acting ??= act())
  }
}

function both(...all: readonly NonNullable<Fate['before']>[]): NonNullable<Fate['before']> {
  return async (request) => {
    for (const one of all) await one(request)
  }
}

function ofVersion(kind: StoredKind, version: string, name: string): KubeObject {
  const [plural = ''] = kind.name.split('.')
  const singular = plural.slice(0, -1)
  return {
    apiVersion: `stored.example.com/${version}`,
    kind: singular.slice(0, 1).toUpperCase() + singular.slice(1),
    metadata: { name },
  }
}
