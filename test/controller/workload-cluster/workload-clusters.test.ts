import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/kube/api-error.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import {
  WorkloadClusterError,
  WorkloadClusters,
  type WorkloadClustersOptions,
} from '../../../src/controller/workload-cluster/workload-clusters.ts'
import { HttpError, type HttpResponse } from '../../../src/model/http.ts'
import type { ServerAccess, ServerConnection } from '../../../src/model/server-connection.ts'
import { nodeCrypto } from '../../../src/system/node-crypto.ts'
import { FakeClock, settled } from '../../support/fake-clock.ts'
import { FakeDefinition } from '../storage-migration/fake-definition.ts'
import { base64, kubeconfig } from './kubeconfigs.ts'

const until = new AbortController().signal

function answer(status: number, body: object, headers: ReadonlyMap<string, string> = new Map()): HttpResponse {
  return { status, headers, body: new TextEncoder().encode(JSON.stringify(body)) }
}

/** Clusters of a namespace, whose servers do what a test says. */
class World {
  readonly clock = new FakeClock()
  /** Kubeconfigs by the names of clusters. */
  readonly kubeconfigs = new Map<string, string>()
  /** What servers do, by their addresses. */
  readonly servers = new Map<string, () => Promise<HttpResponse>>()
  readonly opened: string[] = []
  readonly closed: string[] = []
  readonly asked: string[] = []
  readonly clusters: WorkloadClusters

  constructor(options: Partial<Pick<WorkloadClustersOptions, 'mostIdle' | 'beforeWrite' | 'rate'>> = {}) {
    const { clock } = this
    const api = new ApiServer(this.#management(), {
      timeout: 1000,
      userAgent: 'test',
      limit: new TokenBucket({ perSecond: 1000, burst: 1000 }, clock),
      count: () => undefined,
    })
    this.clusters = new WorkloadClusters({
      api,
      connect: async (access) => this.#connect(access),
      clock,
      crypto: nodeCrypto,
      // nearly all of each pause
      random: { bytes: (count) => new Uint8Array(count).fill(255) },
      userAgent: 'test',
      rate: { perSecond: 1000, burst: 1000 },
      count: () => undefined,
      ...options,
    })
  }

  /** A cluster with a server and a token. */
  add(name: string, host: string, token: string = 'a'): void {
    this.kubeconfigs.set(name, kubeconfig({ cluster: { server: `https://${host}` }, user: { token } }))
  }

  async ask(name: string): Promise<string> {
    try {
      await this.clusters.within(
        { namespace: 'team-a', name },
        async (api) => api.send({ method: 'GET', path: '/version' }, until),
        until,
      )
      return 'answered'
    } catch (error) {
      if (error instanceof WorkloadClusterError) return `${error.reason} again ${String(error.again)}: ${error.message}`
      if (error instanceof ApiError) return `ApiError ${String(error.status)}`
      throw error
    }
  }

  #management(): ServerConnection {
    return connection('management', async ({ path }) => {
      const name = /\/secrets\/(.+)-kubeconfig$/.exec(path)?.[1] ?? ''
      const text = this.kubeconfigs.get(name)
      return text === undefined
        ? answer(404, {})
        : answer(200, { metadata: { namespace: 'team-a', name: `${name}-kubeconfig` }, data: { value: base64(text) } })
    })
  }

  #connect({ url, token = '' }: ServerAccess): ServerConnection {
    const { host } = new URL(url)
    const name = `${host} ${token}`
    this.opened.push(name)
    return {
      ...connection(host, async () => {
        this.asked.push(name)
        return (await this.servers.get(host)?.()) ?? answer(200, {})
      }),
      close: async () => {
        this.closed.push(name)
      },
    }
  }
}

function connection(host: string, exchange: ServerConnection['exchange']): ServerConnection {
  return {
    host,
    exchange,
    follow: () => Promise.reject(new Error('no watch')),
    reopen: () => Promise.reject(new Error('no other')),
    close: async () => undefined,
  }
}

describe('workload clusters', () => {
  test('are each asked at the rate of the controller, however much work there is', async () => {
    const world = new World({ rate: { perSecond: 5, burst: 3 } })
    world.add('a', 'x')
    world.add('b', 'y')
    const answers = Promise.all(Array.from({ length: 20 }, (_, index) => world.ask(index % 4 === 0 ? 'b' : 'a')))
    const askedAt: string[] = []
    for (let second = 0; second < 4; second++) {
      await settled()
      askedAt.push(`${String(world.asked.filter((name) => name.startsWith('x')).length)} ${String(world.asked.length)}`)
      await world.clock.advance(1000)
    }
    expect(askedAt).toEqual(['3 6', '8 13', '13 18', '15 20'])
    expect(new Set(await answers)).toEqual(new Set(['answered']))
  })

  test.each([
    { objectsPerSecond: 10, qps: 50, seconds: 100 },
    { objectsPerSecond: 40, qps: 500, seconds: 25 },
    { objectsPerSecond: 200, qps: 500, seconds: 5 },
    { objectsPerSecond: 200, qps: 50, seconds: 20 },
  ])(
    'are migrated at $objectsPerSecond objects and $qps requests per second: 1000 in $seconds s',
    async ({ objectsPerSecond, qps, seconds }) => {
      const server = new FakeDefinition()
      server.fill(1000, 'v1')
      await server.step()
      server.now += 60_000
      const migratedAt: number[] = []
      server.fate = ({ method, path }) => {
        if (method === 'PATCH' && path.includes('/things/')) migratedAt.push(server.now)
        return undefined
      }
      let clusters: WorkloadClusters | undefined
      server.objectsPerSecond = objectsPerSecond
      server.through = async ({ connection: reached, clock }, work) => {
        const text = kubeconfig({ cluster: { server: 'https://x' }, user: { token: 'a' } })
        const management = connection('management', async () =>
          answer(200, { metadata: { namespace: 'team-a', name: 'a-kubeconfig' }, data: { value: base64(text) } }),
        )
        const limit = new TokenBucket({ perSecond: 1000, burst: 1000 }, clock)
        clusters ??= new WorkloadClusters({
          api: new ApiServer(management, { timeout: 1000, userAgent: 'test', limit, count: () => undefined }),
          connect: async () => reached,
          clock,
          crypto: nodeCrypto,
          random: { bytes: (count) => new Uint8Array(count) },
          userAgent: 'test',
          rate: { perSecond: qps, burst: 1 },
          count: () => undefined,
        })
        return clusters.within({ namespace: 'team-a', name: 'a' }, work, until)
      }
      await server.settle()
      expect(server.inStore()).toEqual({ v2: 1000 })
      expect(Math.round(((migratedAt.at(-1) ?? 0) - (migratedAt[0] ?? 0)) / 1000)).toBe(seconds)
    },
  )

  test('share one connection for each server and credentials, whoever asks', async () => {
    const world = new World()
    world.add('a', 'x')
    world.add('b', 'x')
    world.add('c', 'x', 'other')
    expect(await Promise.all(['a', 'a', 'b', 'c', 'a'].map((name) => world.ask(name)))).toEqual(
      Array.from({ length: 5 }, () => 'answered'),
    )
    expect([world.opened, world.clusters.connections]).toEqual([['x a', 'x other'], 2])
    world.clusters.forget({ namespace: 'team-a', name: 'a' })
    expect(world.closed).toEqual([])
    world.clusters.forget({ namespace: 'team-a', name: 'b' })
    await settled()
    expect(world.closed).toEqual(['x a'])
    await world.clusters.close()
    expect(world.closed).toEqual(['x a', 'x other'])
  })

  test('follow a rotated kubeconfig; the old connection is closed when its requests have ended', async () => {
    const world = new World()
    world.add('a', 'x', 'old')
    const release: (() => void)[] = []
    world.servers.set(
      'x',
      () =>
        new Promise((resolve) => {
          release.push(() => {
            resolve(answer(200, {}))
          })
        }),
    )
    const running = world.ask('a')
    await settled()
    world.add('a', 'x', 'new')
    const next = world.ask('a')
    await settled()
    expect([world.asked, world.closed]).toEqual([['x old', 'x new'], []])
    for (const end of release) end()
    expect([await running, await next]).toEqual(['answered', 'answered'])
    await settled()
    expect([world.closed, world.clusters.connections]).toEqual([['x old'], 1])
  })

  test('are left alone for longer and longer while they do not answer, each by itself', async () => {
    const world = new World()
    world.add('dead', 'x')
    world.add('well', 'y')
    world.servers.set('x', () => Promise.reject(new HttpError('refused', 'x refuses connections')))
    const message = 'the API server of the Cluster cannot be reached: x refuses connections'
    expect(await world.ask('dead')).toBe(`ClusterUnreachable again 2000: ${message}`)
    expect(await world.ask('dead')).toBe(`ClusterUnreachable again 2000: ${message}`)
    expect(await world.ask('well')).toBe('answered')
    expect(world.asked).toEqual(['x a', 'y a'])
    await world.clock.advance(2000)
    expect(await world.ask('dead')).toBe(`ClusterUnreachable again 4000: ${message}`)
    await world.clock.advance(4000)
    world.servers.delete('x')
    expect([await world.ask('dead'), await world.ask('dead')]).toEqual(['answered', 'answered'])
    expect(world.asked).toEqual(['x a', 'y a', 'x a', 'x a', 'x a'])
  })

  test('are asked at once with a new kubeconfig', async () => {
    const world = new World()
    world.add('a', 'x')
    world.servers.set('x', () => Promise.reject(new HttpError('refused', 'x refuses connections')))
    expect(await world.ask('a')).toContain('ClusterUnreachable')
    world.add('a', 'y')
    expect(await world.ask('a')).toBe('answered')
  })

  test('that did not answer are tried one at a time, so that they hold up nobody', async () => {
    const world = new World()
    const silent = (): Promise<HttpResponse> => new Promise(() => undefined)
    for (const name of ['a', 'b', 'c']) {
      world.add(name, name)
      world.servers.set(name, () => Promise.reject(new HttpError('timeout', 'no answer')))
      expect(await world.ask(name)).toContain('ClusterUnreachable')
      world.servers.set(name, silent)
    }
    await world.clock.advance(2000)
    void world.ask('a')
    await settled()
    expect(await world.ask('b')).toContain('ClusterUnreachable again 2000')
    expect(await world.ask('c')).toContain('ClusterUnreachable again 2000')
    expect(world.asked).toEqual(['a a', 'b a', 'c a', 'a a'])
  })

  test.each([
    [
      401,
      'Unauthorized again 2000: the API server of the Cluster does not accept the credentials in Secret a-kubeconfig',
    ],
    [503, 'ClusterUnreachable again 2000: the API server of the Cluster cannot be reached: it answers with status 503'],
    [403, 'ApiError 403'],
    [404, 'ApiError 404'],
    [422, 'ApiError 422'],
  ])('say what status %d means', async (status, want) => {
    const world = new World()
    world.add('a', 'x')
    world.servers.set('x', async () => answer(status, { message: 'canary of a hostile server' }))
    expect(await world.ask('a')).toBe(want)
  })

  test.each<readonly [number, string, number]>([
    [429, '30', 30_000],
    [503, '30', 30_000],
    [503, '1', 2000],
    [503, '86400', 60_000],
    [429, '99999999999999999999999999', 60_000],
    [503, 'Fri, 31 Dec 2999 23:59:59 GMT', 2000],
    [429, '-5', 2000],
    [503, '0x20', 2000],
    [503, '1e9', 2000],
    [401, '30', 2000],
  ])('that answer %d and Retry-After: %s are asked again after %d ms', async (status, retryAfter, pause) => {
    const world = new World()
    world.add('a', 'x')
    world.servers.set('x', async () => answer(status, {}, new Map([['retry-after', retryAfter]])))
    expect(await world.ask('a')).toContain(` again ${String(pause)}: `)
    world.servers.delete('x')
    await world.clock.advance(pause - 1)
    expect(await world.ask('a')).toContain(' again 1: ')
    await world.clock.advance(1)
    expect(await world.ask('a')).toBe('answered')
  })

  test('that answer with something else cannot be reached', async () => {
    const world = new World()
    world.add('a', 'x')
    const body = new TextEncoder().encode('<html>canary</html>')
    world.servers.set('x', async () => ({ status: 200, headers: new Map(), body }))
    expect(await world.ask('a')).toBe(
      'ClusterUnreachable again 2000: the API server of the Cluster cannot be reached: the server answers with something that is no JSON',
    )
  })

  test('without a kubeconfig, or with one that is refused', async () => {
    const world = new World()
    expect(await world.ask('a')).toBe(
      'KubeconfigNotFound again 0: Secret a-kubeconfig is not there yet, which Cluster API makes',
    )
    world.kubeconfigs.set('a', kubeconfig({ user: { exec: { command: 'canary' } } }))
    expect(await world.ask('a')).toBe(
      'KubeconfigRefused again 0: the kubeconfig in Secret a-kubeconfig is refused: user.exec would run a program in the pod of the controller',
    )
    expect(world.opened).toEqual([])
  })

  test('keep no more idle connections than are allowed, those that were used last', async () => {
    const world = new World({ mostIdle: 2 })
    for (const name of ['a', 'b', 'c', 'd']) {
      world.add(name, name)
      await world.ask(name)
      await world.clock.advance(1)
    }
    await settled()
    expect([world.clusters.connections, world.closed]).toEqual([2, ['a a', 'b a']])
    expect(await world.ask('a')).toBe('answered')
  })

  test('close what nobody has used for long', async () => {
    const world = new World()
    world.add('a', 'x')
    world.add('b', 'y')
    await world.ask('a')
    await world.clock.advance(45 * 60_000)
    await world.ask('b')
    await settled()
    expect(world.closed).toEqual(['x a'])
  })

  test('get no write from who does not lead', async () => {
    const world = new World({
      beforeWrite: () => {
        throw new Error('the lease is lost')
      },
    })
    world.add('a', 'x')
    await expect(
      world.clusters.within(
        { namespace: 'team-a', name: 'a' },
        async (api) => api.send({ method: 'DELETE', path: '/x' }, until),
        until,
      ),
    ).rejects.toThrow('the lease is lost')
    expect(world.asked).toEqual([])
  })
})

test('a cluster that answers each request slowly is one that cannot be reached', async () => {
  const world = new World()
  world.add('web', 'web.example')
  world.servers.set('web.example', async () => {
    await world.clock.sleep(4500)
    return answer(200, {})
  })
  let asked = 0
  const work = world.clusters.within(
    { namespace: 'team-a', name: 'web' },
    async (api) => {
      for (; asked < 64; asked++) await api.send({ method: 'GET', path: '/version' }, until)
    },
    until,
  )
  const ended = work.then(
    () => 'done',
    (error: unknown) => (error instanceof WorkloadClusterError ? `${error.reason}: ${error.message}` : String(error)),
  )
  for (let round = 0; round < 10; round++) await world.clock.advance(4500)
  expect(await ended).toBe('ClusterUnreachable: the API server of the Cluster cannot be reached: it answers too slowly')
  // 2.5 s too much each
  expect(asked).toBe(6)
})
