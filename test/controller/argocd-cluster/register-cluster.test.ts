import { describe, expect, test } from 'vitest'
import { clusterSecret } from '../../../src/controller/argocd-cluster/cluster-secret.ts'
import { registerCluster } from '../../../src/controller/argocd-cluster/register-cluster.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { isRecord, textField } from '../../../src/kube/json-field.ts'
import { type KubeObject, readKubeObject } from '../../../src/kube/kube-object.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import type { ServerConnection } from '../../../src/model/server-connection.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const { crypto } = createNodePorts()
const { signal } = new AbortController()

/** A cluster Secret of Argo CD. */
interface Row {
  /** Ours where it begins with `team-`. */
  readonly name: string
  readonly server: string
  /** The second in which it was made. */
  readonly made: number
  /** As it was written before Secrets had a hash of their server. */
  readonly isOld?: boolean
}

/** Argo CD's namespace on an API server. */
class World {
  readonly secrets = new Map<string, Readonly<Record<string, unknown>>>()
  readonly asked: string[] = []
  #versions = 0

  constructor(rows: readonly Row[]) {
    for (const { name, server, made, isOld = false } of rows) {
      const [namespace = '', own = ''] = name.split('.')
      const { metadata, ...content } = clusterSecret(
        { cluster: { namespace, name: own, uid: own }, access: { url: server }, values: new Map() },
        crypto,
      )
      const labels: unknown = metadata['labels']
      const isKept = (label: string): boolean =>
        label.startsWith('argocd') || (name.startsWith('team-') && !(isOld && label === 'stackmason.dev/server'))
      this.#put(name, {
        ...content,
        metadata: {
          ...metadata,
          labels: Object.fromEntries(Object.entries(Object(labels)).filter(([label]) => isKept(label))),
          creationTimestamp: `2026-01-01T00:00:${String(made).padStart(2, '0')}Z`,
        },
      })
    }
  }

  get servers(): readonly string[] {
    return [...this.secrets].map(([name, secret]) => {
      const server = Buffer.from(textField(secret, 'data', 'server') ?? '', 'base64').toString()
      return `${name} ${server}`
    })
  }

  /** Has the Cluster `team-a/web` registered, whose kubeconfig names the server. */
  async register(server: string): Promise<string> {
    const cluster = readKubeObject({
      metadata: { namespace: 'team-a', name: 'web', uid: 'web' },
      status: { initialization: { controlPlaneInitialized: true } },
    })
    const found = await registerCluster(
      { key: { namespace: 'team-a', name: 'web' }, cluster, isAsked: true, values: new Map(), argoNamespace: 'argocd' },
      {
        tools: {
          api: this.#api(),
          managementHost: '10.96.0.1:443',
          crypto,
          workloadClusters: { accessOf: async () => ({ url: server, token: 's3cret', proxy: 'http://evil.example' }) },
          onWrite: () => undefined,
          tell: () => undefined,
        },
        signal,
        manager: 'test',
      },
    )
    const problem = found?.problem
    return problem === undefined ? 'registered' : `${problem.reason} ${problem.message}`
  }

  #api(): ApiServer {
    const limit = new TokenBucket({ perSecond: 1000, burst: 1000 }, new FakeClock())
    const connection: ServerConnection = {
      host: 'test',
      exchange: async ({ method, path, body = new Uint8Array() }) => {
        const [status, answer] = this.#answer(method, path, new TextDecoder().decode(body))
        return { status, headers: new Map(), body: new TextEncoder().encode(JSON.stringify(answer)) }
      },
      follow: () => Promise.reject(new Error('no watch')),
      reopen: () => Promise.reject(new Error('no other')),
      close: async () => undefined,
    }
    return new ApiServer(connection, { timeout: 1000, userAgent: 'test', limit, count: () => undefined })
  }

  #answer(method: string, path: string, body: string): readonly [number, unknown] {
    const url = new URL(path, 'https://test')
    const [, name = ''] = /^\/api\/v1\/namespaces\/argocd\/secrets\/?(.*)$/.exec(url.pathname) ?? []
    const secret = this.secrets.get(name)
    if (method === 'GET' && name === '') return [200, { items: this.#selected(url.searchParams.get('labelSelector')) }]
    if (method === 'GET') return secret === undefined ? [404, {}] : [200, secret]
    if (method === 'DELETE') {
      this.secrets.delete(name)
      return [200, {}]
    }
    const object: unknown = JSON.parse(body)
    const given = isRecord(object) ? object : {}
    const creationTimestamp = textField(secret, 'metadata', 'creationTimestamp') ?? '2026-01-02T00:00:00Z'
    const metadata: object = { ...Object(given['metadata']), creationTimestamp }
    return [200, this.#put(textField(given, 'metadata', 'name') ?? name, { ...given, metadata })]
  }

  #selected(selector: string | null): readonly unknown[] {
    const wanted = (selector ?? '').split(',').map((part) => part.replace('!', '').split('='))
    return [...this.secrets.values()].filter((secret) => {
      const labels: KubeObject['labels'] | undefined = readKubeObject(secret)?.labels
      return wanted.every(([label = '', value]) => labels?.get(label) === value)
    })
  }

  #put(name: string, { metadata, ...content }: Readonly<Record<string, unknown>>): unknown {
    const secret = {
      ...content,
      metadata: {
        ...Object(metadata),
        name,
        namespace: 'argocd',
        uid: name,
        resourceVersion: String(++this.#versions),
      },
    }
    this.secrets.set(name, secret)
    return secret
  }
}

const S = 'https://192.0.2.7:6443'
const TAKEN = 'ServerTaken another cluster Secret of Argo CD, which was there first, has the server in the kubeconfig'
const REFUSED =
  'ServerRefused Argo CD is not told of the server in the kubeconfig: it is the API server of the management cluster'

describe('a cluster Secret', () => {
  test.each<{
    readonly name: string
    readonly rows: readonly Row[]
    readonly server: string
    readonly want: string
    readonly left: readonly string[]
  }>([
    {
      name: 'is written for a server that no other has',
      rows: [{ name: 'team-b.web', server: 'https://192.0.2.8:6443', made: 1 }],
      server: S,
      want: 'registered',
      left: ['team-b.web https://192.0.2.8:6443', `team-a.web ${S}`],
    },
    {
      name: 'is not written for the management cluster',
      rows: [],
      server: 'https://kubernetes.default.svc',
      want: REFUSED,
      left: [],
    },
    {
      name: 'is not written for the address that we have of it',
      rows: [],
      server: 'https://10.96.0.1',
      want: REFUSED,
      left: [],
    },
    {
      name: 'is not written for the server of another',
      rows: [{ name: 'team-b.web', server: S, made: 1 }],
      server: 'https://0xc0000207:6443/',
      want: TAKEN,
      left: [`team-b.web ${S}`],
    },
    {
      name: 'is not written for the server of one that had no hash yet',
      rows: [{ name: 'team-b.web', server: S, made: 1, isOld: true }],
      server: S,
      want: TAKEN,
      left: [`team-b.web ${S}`],
    },
    {
      name: 'is not written for the server of one that somebody else made',
      rows: [{ name: 'hand-made', server: `${S}/`, made: 1 }],
      server: S,
      want: TAKEN,
      left: [`hand-made ${S}/`],
    },
    {
      name: 'does not move to the server of one that is younger',
      rows: [
        { name: 'team-a.web', server: 'https://192.0.2.9:6443', made: 1 },
        { name: 'team-b.web', server: S, made: 2 },
      ],
      server: S,
      want: TAKEN,
      left: ['team-a.web https://192.0.2.9:6443', `team-b.web ${S}`],
    },
    {
      name: 'does not move to the management cluster',
      rows: [{ name: 'team-a.web', server: S, made: 1 }],
      server: 'https://kubernetes.default.svc',
      want: REFUSED,
      left: [`team-a.web ${S}`],
    },
    {
      name: 'that means the management cluster goes',
      rows: [{ name: 'team-a.web', server: 'https://kubernetes.default.svc', made: 1, isOld: true }],
      server: 'https://kubernetes.default.svc',
      want: REFUSED,
      left: [],
    },
    {
      name: 'that means the management cluster goes, and comes again with another server',
      rows: [{ name: 'team-a.web', server: 'https://kubernetes.default.svc', made: 1, isOld: true }],
      server: S,
      want: 'registered',
      left: [`team-a.web ${S}`],
    },
    {
      name: 'goes where one that is older has its server',
      rows: [
        { name: 'team-a.web', server: S, made: 2 },
        { name: 'team-b.web', server: S, made: 1 },
      ],
      server: S,
      want: TAKEN,
      left: [`team-b.web ${S}`],
    },
    {
      name: 'stays where one that is younger has its server',
      rows: [
        { name: 'team-a.web', server: S, made: 1 },
        { name: 'team-b.web', server: S, made: 2 },
      ],
      server: S,
      want: 'registered',
      left: [`team-a.web ${S}`, `team-b.web ${S}`],
    },
    {
      name: 'of the same second as another that has its server stays by its name',
      rows: [
        { name: 'team-a.web', server: S, made: 1 },
        { name: 'team-b.web', server: S, made: 1 },
      ],
      server: S,
      want: 'registered',
      left: [`team-a.web ${S}`, `team-b.web ${S}`],
    },
    {
      name: 'of the same second as another that has its server goes by its name',
      rows: [
        { name: 'team-a.web', server: S, made: 1 },
        { name: 'team-a.a', server: S, made: 1 },
      ],
      server: S,
      want: TAKEN,
      left: [`team-a.a ${S}`],
    },
  ])('$name', async ({ rows, server, want, left }) => {
    const world = new World(rows)
    expect([await world.register(server), world.servers]).toEqual([want, left])
    // and so it stays
    expect([await world.register(server), world.servers]).toEqual([want, left])
  })

  test('holds of a kubeconfig what leads to the cluster, and never leaves it unverified', async () => {
    const world = new World([])
    await world.register(S)
    const secret = world.secrets.get('team-a.web')
    const config: unknown = JSON.parse(Buffer.from(textField(secret, 'data', 'config') ?? '', 'base64').toString())
    expect(config).toEqual({
      bearerToken: 's3cret',
      proxyUrl: 'http://evil.example',
      tlsClientConfig: { insecure: false },
    })
  })
})
