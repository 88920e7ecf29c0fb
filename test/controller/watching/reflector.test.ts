import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import { type ObjectChange, Reflector, type WatchTarget } from '../../../src/controller/watching/reflector.ts'
import type { ServerConnection } from '../../../src/model/server-connection.ts'
import { openConnection } from '../../../src/system/node-connection.ts'
import { type FakeCut, type FakeFault, type FakeKube, startFakeKube } from '../../../tools/servers/fake-kube.ts'
import { FakeClock, until } from '../../support/fake-clock.ts'

const widgets: WatchTarget = {
  resource: { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets' },
  namespace: '',
  labelSelector: '',
  content: 'object',
}

let kube: FakeKube
let connection: ServerConnection
let clock: FakeClock
let running: AbortController
let ended: Promise<void>
let changes: string[]
let failures: string[]
let reflector: Reflector

function show(change: ObjectChange): string {
  const { type, object } = change
  const before = type === 'set' && change.before !== undefined ? ` before ${change.before.resourceVersion}` : ''
  return `${type} ${object.namespace}/${object.name}@${object.resourceVersion}${before}`
}

async function start(target: WatchTarget = widgets, onChange?: (change: ObjectChange) => void): Promise<void> {
  connection = await openConnection({ url: kube.url }, { get: () => undefined })
  const api = new ApiServer(connection, {
    timeout: 10_000,
    userAgent: 'test',
    limit: new TokenBucket({ perSecond: 1000, burst: 1000 }, clock),
    count: () => undefined,
  })
  reflector = new Reflector(target, {
    api,
    clock,
    // the middle of every range
    random: { bytes: (count) => new Uint8Array(count).map((_, index) => (index === 0 ? 128 : 0)) },
    onChange: (change) => {
      changes.push(show(change))
      onChange?.(change)
    },
    onAnswer: () => undefined,
    onFailure: (error, pause) =>
      failures.push(`${error instanceof Error ? error.message : 'no error'}; ${String(pause)}`),
    forbiddenPause: 120_000,
  })
  ended = reflector.run(running.signal)
}

beforeEach(async () => {
  kube = await startFakeKube(2)
  clock = new FakeClock()
  running = new AbortController()
  changes = []
  failures = []
})

afterEach(async () => {
  running.abort()
  await ended
  await connection.close()
  await kube.close()
})

const put = (name: string, content: object = {}): void => {
  kube.put({ ...content, metadata: { name, namespace: 'a' } })
}

async function watching(): Promise<void> {
  await until(() => kube.watches() === 1, 'a watch')
}

async function told(count: number): Promise<void> {
  await until(() => changes.length >= count, `${String(count)} changes`)
}

describe('a reflector', () => {
  test('lists in pages, then follows what comes, in order', async () => {
    for (const name of ['one', 'two', 'three']) put(name)
    await start()
    await reflector.synced
    await watching()
    put('two')
    put('four')
    kube.remove('one', 'a')
    await told(6)
    expect(changes).toEqual([
      'set a/one@2',
      'set a/two@3',
      'set a/three@4',
      'set a/two@5 before 3',
      'set a/four@6',
      'removed a/one@2',
    ])
    expect(kube.requests.map(({ type, query }) => `${type} ${query.toString()}`)).toEqual([
      'list limit=500',
      'list limit=500&continue=2',
      'watch watch=true&allowWatchBookmarks=true&resourceVersion=4&timeoutSeconds=263',
    ])
    expect(reflector.store.size).toBe(3)
    expect(failures).toEqual([])
  })

  test('asks for metadata of one namespace with a selector', async () => {
    await start({ ...widgets, namespace: 'team-a', labelSelector: '!shard,watch=me', content: 'metadata' })
    await watching()
    expect(kube.requests.map(({ query, accept }) => [query.get('labelSelector'), accept])).toEqual([
      ['!shard,watch=me', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
      ['!shard,watch=me', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'],
    ])
  })

  test('knows found from absent, and both from what it does not watch', async () => {
    put('one')
    kube.fail('list', { status: 503 })
    await start({ ...widgets, namespace: 'a' })
    await until(() => failures.length === 1, 'a failure')
    expect(reflector.store.get({ namespace: 'a', name: 'one' }).answer).toBe('unwatched')
    await clock.advance(400)
    await reflector.synced
    expect(reflector.store.get({ namespace: 'a', name: 'one' }).answer).toBe('found')
    expect(reflector.store.get({ namespace: 'a', name: 'two' }).answer).toBe('absent')
    expect(reflector.store.get({ namespace: 'b', name: 'one' }).answer).toBe('unwatched')
  })

  test('says of a selection only what is in it', async () => {
    await start({ ...widgets, labelSelector: 'shard=x' })
    await reflector.synced
    expect(reflector.store.get({ namespace: 'a', name: 'one' }).answer).toBe('unwatched')
  })

  test('goes on from a bookmark', async () => {
    put('one')
    await start()
    await watching()
    kube.silently(() => {
      kube.forget('status')
    })
    kube.bookmark()
    await until(() => clock.sleeping.includes(293_000), 'the guard')
    await clock.advance(263_000)
    kube.endWatches('end')
    await until(() => kube.requests.length === 3, 'the next watch')
    expect(kube.requests.map(({ type, query }) => `${type} ${query.get('resourceVersion') ?? ''}`)).toEqual([
      'list ',
      'watch 2',
      'watch 3',
    ])
  })

  test.each(['status', 'event'] as const)('lists again when the server has forgotten, said by %s', async (how) => {
    put('one')
    put('two')
    await start()
    await watching()
    kube.silently(() => {
      kube.remove('one', 'a')
      put('two')
      kube.forget(how)
    })
    await until(() => clock.sleeping.includes(293_000), 'the guard')
    await clock.advance(263_000)
    kube.endWatches('end')
    await until(() => failures.length === 1, 'a failure')
    expect(reflector.store.size).toBe(2)
    await clock.advance(400)
    await watching()
    expect(changes).toEqual(['set a/one@2', 'set a/two@3', 'set a/two@5 before 3', 'removed a/one@2'])
    expect(kube.requests.map(({ type }) => type)).toEqual(['list', 'watch', 'watch', 'list', 'watch'])
    expect(failures).toEqual(['refused with 410; 400'])
  })

  const faults: readonly { readonly name: string; readonly fault: FakeFault; readonly want: string }[] = [
    { name: 'too much to do', fault: { status: 429, retryAfter: 7 }, want: 'refused with 429; 7000' },
    { name: 'too much to do, without a time', fault: { status: 429 }, want: 'refused with 429; 1000' },
    { name: 'an error of the server', fault: { status: 500 }, want: 'refused with 500; 400' },
    { name: 'nobody knows us', fault: { status: 401 }, want: 'refused with 401; 400' },
    { name: 'forbidden', fault: { status: 403, reason: 'Forbidden' }, want: 'refused with 403; 400' },
    { name: 'a cut connection', fault: 'reset', want: 'closed the connection before it answered; 400' },
  ]

  test.each(faults)('goes on after a list that meets $name', async ({ fault, want }) => {
    put('one')
    kube.fail('list', fault)
    await start()
    await until(() => failures.length === 1, 'a failure')
    expect(failures).toEqual([expect.stringContaining(want)])
    await clock.advance(7000)
    await watching()
    expect(changes).toEqual(['set a/one@2'])
  })

  test.each(faults)('lists again after a watch that meets $name', async ({ fault, want }) => {
    put('one')
    kube.fail('watch', fault)
    await start()
    await until(() => failures.length === 1, 'a failure')
    expect(failures).toEqual([expect.stringContaining(want)])
    put('two')
    await clock.advance(7000)
    await told(2)
    expect(changes).toEqual(['set a/one@2', 'set a/two@3'])
    expect(kube.requests.map(({ type }) => type)).toEqual(['list', 'watch', 'list', 'watch'])
  })

  test('takes no list that is no JSON or has no version, and repeats nothing of it', async () => {
    kube.fail('list', { body: '{"secret' }, { body: '{"items": []}' })
    await start()
    await until(() => failures.length === 1, 'a failure')
    await clock.advance(400)
    await until(() => failures.length === 2, 'two failures')
    await clock.advance(800)
    await watching()
    expect(failures).toEqual([
      'the server answers with something that is no JSON; 400',
      'the server lists without a version; 800',
    ])
  })

  const lines: readonly { readonly name: string; readonly text: string; readonly want: string }[] = [
    { name: 'a line that is no event', text: 'hello, secret\n', want: 'the server sends a line that is no event; 400' },
    {
      name: 'an error of the watch',
      text: '{"type":"ERROR","object":{"code":500,"message":"etcd is slow"}}\n',
      want: 'etcd is slow; 400',
    },
    {
      name: 'an object without a name',
      text: '{"type":"ADDED","object":{}}\n',
      want: 'the server tells of an object without a name; 400',
    },
  ]

  test.each(lines)('ends a watch at $name, and lists again', async ({ text, want }) => {
    put('one')
    await start()
    await watching()
    kube.send(text)
    await until(() => failures.length === 1, 'a failure')
    put('two')
    await clock.advance(400)
    await told(2)
    expect({ failures, changes }).toEqual({ failures: [want], changes: ['set a/one@2', 'set a/two@3'] })
  })

  test('reads events that arrive in pieces, cut inside of letters', async () => {
    await start()
    await watching()
    for (const bytes of [1, 2, 3, 7]) {
      kube.cutInto(bytes)
      put('one', { spec: { text: 'Grüße, 世界 🚀' } })
      await until(() => changes.length > 0, 'a change')
      const found = reflector.store.get({ namespace: 'a', name: 'one' })
      expect(found.answer === 'found' && found.object.content['spec']).toEqual({ text: 'Grüße, 世界 🚀' })
      changes.length = 0
    }
    expect(failures).toEqual([])
  })

  test.each([404, 500])('waits longer after each %d, and forgets them when a watch has lived', async (status) => {
    kube.fail('list', ...Array.from({ length: 8 }, () => ({ status })))
    await start()
    const pauses = [400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]
    for (const [index, pause] of pauses.entries()) {
      await until(() => failures.length > index, `failure ${String(index + 1)}`)
      await clock.advance(pause)
    }
    await watching()
    expect(failures).toEqual(pauses.map((pause) => `refused with ${String(status)}; ${String(pause)}`))
    await clock.advance(61_000)
    kube.fail('watch', { status: 500 })
    kube.endWatches('end')
    await until(() => failures.length === 9, 'the next failure')
    expect(failures.at(-1)).toBe('refused with 500; 400')
  })

  test.each<{ readonly how: FakeCut; readonly want: readonly string[] }>([
    { how: 'end', want: [] },
    { how: 'reset', want: [expect.stringContaining('closed the connection in the middle of its answer; 400')] },
  ])('takes a watch up that ends by $how', async ({ how, want }) => {
    await start()
    await watching()
    await clock.advance(61_000)
    kube.silently(() => {
      put('one')
    })
    kube.endWatches(how)
    await until(() => clock.sleeping.includes(400) || kube.watches() === 1, 'what follows')
    await clock.advance(400)
    await told(1)
    expect({ failures, changes }).toEqual({ failures: want, changes: ['set a/one@2'] })
  })

  test.each([
    { status: 403, stuckFor: 0, pause: 800 },
    { status: 404, stuckFor: 0, pause: 800 },
    { status: 429, stuckFor: 400, pause: 1000 },
    { status: 500, stuckFor: 400, pause: 800 },
  ])('knows what a restart would not mend: $status', async ({ status, stuckFor, pause }) => {
    kube.fail('list', { status: 500 }, { status })
    await start()
    await until(() => failures.length === 1, 'a failure')
    await clock.advance(400)
    await until(() => failures.length === 2, 'the refusal')
    expect([reflector.hasSynced, reflector.stuckFor]).toEqual([false, stuckFor])
    await clock.advance(pause)
    await watching()
    expect([reflector.hasSynced, reflector.stuckFor]).toEqual([true, 0])
  })

  test.each<{ readonly name: string; readonly meets: (kube: FakeKube) => void }>([
    { name: 'while its watches ended', meets: () => kube.endWatches('end') },
    { name: 'while it was gone', meets: () => kube.endWatches('reset') },
    {
      name: 'and was too busy when it was back',
      meets: () => {
        kube.fail('watch', { status: 429 })
        kube.endWatches('end')
      },
    },
    { name: 'without the end of a watch', meets: () => kube.bookmark() },
  ])('sees what a server has whose data was restored $name', async ({ meets }) => {
    put('one')
    put('two')
    await start()
    await watching()
    const restore = kube.backUp()
    kube.remove('two', 'a')
    for (const name of ['one', 'three', 'four']) put(name)
    await told(6)
    await clock.advance(61_000)
    kube.silently(restore)
    meets(kube)
    const isBack = (): boolean => reflector.store.size === 2 && kube.watches() === 1
    await until(() => clock.sleeping.some((pause) => pause <= 1000) || isBack(), 'what follows')
    await clock.advance(1000)
    await until(isBack, 'the restored state')
    put('five')
    await told(11)
    expect(changes.slice(6)).toEqual([
      'set a/one@2',
      'set a/two@3',
      'removed a/three@6',
      'removed a/four@7',
      'set a/five@4',
    ])
  })

  test('tells of all objects where the server lists an earlier state, and else of those that differ', async () => {
    for (const name of ['one', 'two', 'three']) put(name)
    await start()
    await watching()
    const restore = kube.backUp()
    put('one', { spec: 'before' })
    put('four')
    await told(5)
    const restoreAndPut = async (...puts: readonly (readonly [string, object?])[]): Promise<void> => {
      kube.silently(() => {
        restore()
        for (const [name, content] of puts) put(name, content)
      })
      await clock.advance(61_000)
      kube.endWatches('end')
      await until(() => kube.watches() === 0, 'the end of the watch')
      await until(() => clock.sleeping.includes(400) || kube.watches() === 1, 'what follows')
      await clock.advance(400)
      await watching()
    }
    // version 5 was another one before
    await restoreAndPut(['one', { spec: 'after' }], ['four'])
    expect(changes.slice(5)).toEqual(['set a/one@5 before 5'])
    await restoreAndPut(['one', { spec: 'after' }])
    expect(changes.slice(6)).toEqual(['set a/one@5', 'set a/two@3', 'set a/three@4', 'removed a/four@6'])
  })

  test('says nothing of versions that are no numbers, and of objects that went with the version they had', async () => {
    put('one')
    await start()
    await watching()
    const send = (type: string, name: string, resourceVersion: string): void => {
      kube.send(`${JSON.stringify({ type, object: { metadata: { name, namespace: 'a', resourceVersion } } })}\n`)
    }
    send('DELETED', 'one', '1')
    send('ADDED', 'two', 'b')
    send('ADDED', 'three', 'a')
    send('ADDED', 'four', '01')
    await told(5)
    expect({ changes: changes.slice(1), failures }).toEqual({
      changes: ['removed a/one@2', 'set a/two@b', 'set a/three@a', 'set a/four@01'],
      failures: [],
    })
    send('MODIFIED', 'four', '7')
    send('MODIFIED', 'four', '6')
    await until(() => failures.length === 1, 'a failure')
    expect(failures).toEqual([
      'the server tells of an earlier state than before, as after its data was restored: all is listed again; 400',
    ])
  })

  test('asks ever more rarely where it is forbidden, and as often as ever for what passes', async () => {
    kube.fail(
      'list',
      ...Array.from({ length: 12 }, () => ({ status: 403 })),
      ...Array.from({ length: 3 }, () => ({ status: 500 })),
    )
    await start()
    for (let failure = 1; failure <= 15; failure++) {
      await until(() => failures.length >= failure, 'a failure')
      await clock.advance(60_000)
    }
    await watching()
    const pauses = failures.map((line) => Number(line.split('; ')[1]))
    expect(pauses.slice(5, 15)).toEqual([
      12_800,
      25_600,
      51_200,
      ...Array.from({ length: 4 }, () => 60_000),
      15_000,
      15_000,
      15_000,
    ])
  })

  test('does not ask without a pause where watches end as soon as they begin', async () => {
    kube.fail('watch', 'end', 'end', 'end')
    await start()
    for (const pause of [400, 800, 1600]) {
      await until(() => clock.sleeping.includes(pause), `a pause of ${String(pause)}`)
      await clock.advance(pause)
    }
    await watching()
    expect(kube.requests.map(({ type }) => type)).toEqual([
      'list',
      'watch',
      'list',
      'watch',
      'list',
      'watch',
      'list',
      'watch',
    ])
    expect(failures).toEqual([])
  })

  test('leaves a connection on which nothing has come for too long', async () => {
    await start()
    await until(() => clock.sleeping.includes(293_000), 'the guard')
    await clock.advance(200_000)
    // a byte is a sign of life
    kube.bookmark()
    await until(() => reflector.silence === 0, 'the bookmark')
    await clock.advance(292_000)
    expect(kube.watches()).toBe(1)
    kube.silently(() => {
      put('one')
    })
    await clock.advance(1000)
    await until(() => clock.sleeping.includes(400), 'a pause')
    await clock.advance(400)
    await told(1)
    expect({ failures, changes }).toEqual({
      failures: ['the server has been silent for too long; 400'],
      changes: ['set a/one@2'],
    })
  })

  test('is not stopped by who is told of changes', async () => {
    put('one')
    await start(widgets, () => {
      throw new Error('nobody cares')
    })
    await watching()
    put('two')
    await told(2)
    expect(failures).toEqual(['nobody cares; 0', 'nobody cares; 0'])
  })

  test('keeps nothing of who set which field', async () => {
    kube.put({
      metadata: {
        name: 'one',
        namespace: 'a',
        managedFields: [{ manager: 'kubectl' }],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' },
      },
    })
    await start()
    await reflector.synced
    const found = reflector.store.get({ namespace: 'a', name: 'one' })
    expect(found.answer === 'found' && found.object.content['metadata']).toEqual({
      name: 'one',
      namespace: 'a',
      resourceVersion: '2',
      annotations: { kept: 'yes' },
    })
  })
})
