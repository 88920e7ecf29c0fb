import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { provideParts } from '../../../src/controller/generated-secrets/provide-parts.ts'
import { OVERLAP } from '../../../src/controller/generated-secrets/rotate-parts.ts'
import type { WorkloadClusters } from '../../../src/controller/workload-cluster/workload-clusters.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { fieldAt, textField } from '../../../src/kube/json-field.ts'
import { type KubeObject, readKubeObject } from '../../../src/kube/kube-object.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import type { HttpResponse } from '../../../src/model/http.ts'
import type { GeneratedSecret, Generator } from '../../../src/model/binding.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 0, 1)
const { crypto, keys, random } = createNodePorts()
const signal = new AbortController().signal

const generators: readonly Generator[] = [
  { name: 'ca', function: 'genCA', arguments: ['CA', '', '', '3650'] },
  { name: 'leaf', function: 'genSignedCert', arguments: ['a', '', 'a.example,${HOST}', '90', '${ca.cert}\n'] },
  { name: 'password', function: 'randAlphaNum', arguments: ['16'] },
  { name: 'hash', function: 'htpasswd', arguments: ['admin', '${password.value}'] },
  { name: 'encoded', function: 'b64enc', arguments: ['${password.value}'] },
]

/** A management cluster that holds one Secret, and a workload cluster that holds none. */
class World {
  readonly #clock = new FakeClock()
  /** Milliseconds since the start. */
  later = 0
  rotate = ''
  host = '192.0.2.1'
  /** Since when the object has been ready, milliseconds since the start. */
  readyAt: number | undefined = -DAY
  writes = 0
  kept: unknown
  asked: readonly Generator[] = generators
  secrets: readonly GeneratedSecret[] = []
  /** The one Secret of the workload cluster, in kube-system. */
  there: unknown
  /** What the workload cluster answers of a Secret that it does not have. */
  absent: object | undefined

  async parts(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const time = this.readyAt === undefined ? '' : new Date(START + this.readyAt).toISOString()
    const ready = { type: 'Ready', status: time === '' ? 'False' : 'True', lastTransitionTime: time }
    const owner = object({
      metadata: { name: 'web', namespace: 'a', annotations: { 'stackmason.dev/rotate': this.rotate } },
      status: { conditions: [ready] },
    })
    const cluster = object({ metadata: { name: 'web' }, status: { controlPlaneReady: true } })
    const spec = {
      clusterName: 'web',
      values: [],
      generators: this.asked,
      secrets: this.secrets,
      configMap: '',
      argoCluster: false,
    }
    const values = new Map([['HOST', this.host]])
    const clock = { now: () => START + this.later }
    const tools = {
      crypto,
      keys,
      random,
      clock,
      api: this.#api(),
      workloadClusters: nowhere(this.#api()),
      onWrite: () => undefined,
      tell: () => undefined,
    }
    const made = await provideParts({ owner, spec, cluster, values }, { tools, signal, manager: 'test' })
    if ('reason' in made) throw new Error(`${made.reason}: ${made.message}`)
    return made
  }

  /** What the annotations of the Secret say of rotations. */
  get state(): readonly (string | undefined)[] {
    return ['rotation', 'rotated'].map((name) =>
      textField(this.kept, 'metadata', 'annotations', `stackmason.dev/${name}`),
    )
  }

  get keptKeys(): readonly string[] {
    return Object.keys(Object(fieldAt(this.kept, 'data'))).toSorted()
  }

  #api(): ApiServer {
    const exchange = async ({
      method,
      path,
      body,
    }: {
      readonly method: string
      readonly path: string
      readonly body?: Uint8Array
    }): Promise<HttpResponse> => {
      if (method !== 'GET') {
        this.writes += 1
        this.kept = JSON.parse(new TextDecoder().decode(body))
      }
      const found = path.includes('/kube-system/') ? this.there : this.kept
      const named = { details: { name: path.split('/').at(-1) } }
      const absent = path.includes('/kube-system/') ? (this.absent ?? named) : named
      const text = new TextEncoder().encode(JSON.stringify(found ?? absent))
      return { status: found === undefined ? 404 : 200, headers: new Map(), body: text }
    }
    const connection = {
      host: 'test',
      exchange,
      follow: () => Promise.reject(new Error('no watch')),
      reopen: () => Promise.reject(new Error('no other')),
      close: async () => undefined,
    }
    const limit = new TokenBucket({ perSecond: 1000, burst: 1000 }, this.#clock)
    return new ApiServer(connection, { timeout: 1000, userAgent: 'test', limit, count: () => undefined })
  }
}

function nowhere(api: ApiServer): Pick<WorkloadClusters, 'within'> {
  return { within: async (_, work) => work(api) }
}

function object(content: object): KubeObject {
  const found = readKubeObject(content)
  if (found === undefined) throw new Error('no object')
  return found
}

/** The certificates of a text, first things first. */
function certificates(text: string | undefined): readonly X509Certificate[] {
  const found = text?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return found.map((pem) => new X509Certificate(pem))
}

describe('the certificate of an existing Secret', () => {
  async function readAs(part: string, text: string): Promise<unknown> {
    const world = new World()
    const existing = { namespace: 'kube-system', name: 'db', keys: [{ part, key: 'password' }] }
    world.asked = [{ name: 'g', function: 'genCA', arguments: [], existing }]
    const data = { password: Buffer.from(text).toString('base64') }
    world.there = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'kube-system' }, data }
    return world.parts().then(
      (parts) => parts.get('g')?.get(part),
      (error: unknown) => String(error),
    )
  }

  test.each([
    ['a certificate', 'cert', (cert: string) => `${cert}\n`, (cert: string) => cert],
    ['several', 'cert', (cert: string) => `${cert}\n${cert}\n`, (cert: string) => `${cert}\n${cert}`],
    ['a password', 'cert', () => 'hunter2', undefined],
    ['a certificate and its key', 'cert', (cert: string, key: string) => `${cert}\n${key}\n`, undefined],
    ['a password, which nobody publishes', 'value', () => 'hunter2', () => 'hunter2'],
  ])('is taken from what it is alone: %s', async (_, part, text, want) => {
    const made = (await new World().parts()).get('ca')
    const [cert = '', key = ''] = [made?.get('cert'), made?.get('key')]
    expect(await readAs(part, text(cert, key))).toBe(
      want?.(cert) ??
        'Error: CertificateRefused: key password of Secret kube-system/db of the cluster does not hold certificates in PEM alone: name a key that does, without private keys and other text',
    )
  })
})

describe('a generator of which what is kept has nothing', () => {
  const ours = {
    'app.kubernetes.io/managed-by': 'stackmason',
    'stackmason.dev/cluster-namespace': 'a',
    'stackmason.dev/cluster-name': 'web',
  }
  const holding = (generators: string): object => ({ 'stackmason.dev/generators': generators })
  test.each([
    ['is taken over from a Secret that we have delivered', ours, holding('password queue'), /^in-use$/],
    ['is made where it was not in the Secret that we have delivered', ours, holding('password'), /^[A-Za-z0-9]{16}$/],
    ['is made where the Secret does not say what is in it', ours, {}, /^[A-Za-z0-9]{16}$/],
    ['is taken over from a Secret of somebody else', {}, {}, /^in-use$/],
  ])('%s', async (_, labels, annotations, want) => {
    const world = new World()
    world.asked = [{ name: 'password', function: 'randAlphaNum', arguments: ['16'] }]
    const before = await world.parts()
    // as of a backup from before the second one
    world.asked = [...world.asked, { name: 'queue', function: 'randAlphaNum', arguments: ['16'] }]
    const data = [{ key: 'password', generator: 'queue', part: 'value' }]
    world.secrets = [{ namespace: 'kube-system', name: 'queue', labels: new Map(), annotations: new Map(), data }]
    const meta = { name: 'queue', namespace: 'kube-system', labels, annotations }
    world.there = { metadata: meta, data: { password: Buffer.from('in-use').toString('base64') } }
    const parts = await world.parts()
    expect(parts.get('password')).toEqual(before.get('password'))
    expect(parts.get('queue')?.get('value')).toMatch(want)
    expect(world.keptKeys).toEqual(['password.value', 'queue.value'])
  })

  test('is not made while something else answers for the workload cluster', async () => {
    const world = new World()
    const data = [{ key: 'password', generator: 'password', part: 'value' }]
    world.secrets = [{ namespace: 'kube-system', name: 'queue', labels: new Map(), annotations: new Map(), data }]
    world.absent = {}
    await expect(world.parts()).rejects.toThrow(
      'ClusterUnreachable: the API server of the Cluster answers 404, but not that Secret kube-system/queue is not there',
    )
    expect(world.kept).toBe(undefined)
  })
})

describe('parts of generators', () => {
  test('are made once, and written when something has changed', async () => {
    const world = new World()
    const made = await world.parts()
    expect(world.keptKeys).toEqual(['ca.cert', 'ca.key', 'hash.hash', 'leaf.cert', 'leaf.key', 'password.value'])
    world.later = 30 * DAY
    expect(await world.parts()).toEqual(made)
    expect(world.writes).toBe(1)
  })

  test('renew a certificate in time, and when its names change, with the same key and authority', async () => {
    const world = new World()
    const made = await world.parts()
    world.later = 61 * DAY
    const renewed = await world.parts()
    world.host = 'b.example'
    const renamed = await world.parts()
    const leaves = [made, renewed, renamed].map((parts) => certificates(parts.get('leaf')?.get('cert'))[0])
    expect(new Set(leaves.map((leaf) => leaf?.fingerprint)).size).toBe(3)
    expect(leaves.map((leaf) => leaf?.subjectAltName)).toEqual([
      'DNS:a.example, DNS:192.0.2.1',
      'DNS:a.example, DNS:192.0.2.1',
      'DNS:a.example, DNS:b.example',
    ])
    expect([renewed, renamed].map((parts) => parts.get('leaf')?.get('key'))).toEqual(
      [made, made].map((parts) => parts.get('leaf')?.get('key')),
    )
    expect([renewed.get('ca'), renamed.get('ca'), renamed.get('password')]).toEqual([
      made.get('ca'),
      made.get('ca'),
      made.get('password'),
    ])
    expect(world.writes).toBe(3)
  })

  test('are rotated when that is asked for; of two authorities, each is trusted while the other signs', async () => {
    const world = new World()
    const old = await world.parts()
    world.rotate = 'leaked'
    const trust = await world.parts()
    expect(world.state).toEqual(['trust 2026-01-01T00:00:00.000Z leaked', undefined])
    expect(await world.parts()).toEqual(trust)
    world.later = OVERLAP - 1
    expect(await world.parts()).toEqual(trust)
    world.later = OVERLAP
    const use = await world.parts()
    expect(world.state).toEqual(['use 2026-01-02T00:00:00.000Z leaked', undefined])
    world.later = 2 * OVERLAP
    const end = await world.parts()
    expect(world.state).toEqual([undefined, 'leaked'])
    expect(world.keptKeys).toEqual(['ca.cert', 'ca.key', 'hash.hash', 'leaf.cert', 'leaf.key', 'password.value'])
    expect(await world.parts()).toEqual(end)

    const steps = [old, trust, use, end]
    const authorities = steps.map((parts) => certificates(parts.get('ca')?.get('cert')))
    const [first, second] = [authorities[0]?.[0], authorities[3]?.[0]]
    const names = authorities.map((list) =>
      list.map(({ fingerprint }) =>
        fingerprint === first?.fingerprint ? 'old' : fingerprint === second?.fingerprint ? 'new' : '?',
      ),
    )
    expect(names).toEqual([['old'], ['old', 'new'], ['new', 'old'], ['new']])
    // whatever step a client and a server are at, as long as it is the same or the next one, the client trusts the server
    const leaves = steps.map((parts) => certificates(parts.get('leaf')?.get('cert'))[0])
    const trusts = (client: number, server: number): boolean =>
      authorities[client]?.some(({ publicKey }) => leaves[server]?.verify(publicKey) === true) === true
    for (const step of [0, 1, 2]) {
      expect([step, trusts(step, step), trusts(step, step + 1), trusts(step + 1, step)]).toEqual([
        step,
        true,
        true,
        true,
      ])
    }
    // the first one of a bundle has the key beside it
    steps.forEach((parts, step) => {
      const key = crypto.signerOf(`${parts.get('ca')?.get('key') ?? ''}\n`, 'random')
      expect(
        key.belongsTo(authorities[step]?.[0]?.publicKey.export({ type: 'spki', format: 'der' }) ?? new Uint8Array()),
      ).toBe(true)
    })
    expect(leaves.map((leaf) => leaf?.fingerprint === leaves[0]?.fingerprint)).toEqual([true, true, false, false])
    const passwords = steps.map((parts) => parts.get('password')?.get('value'))
    expect(passwords.map((password) => password === passwords[0])).toEqual([true, false, false, false])
    expect(new Set(passwords).size).toBe(2)
    expect(end.get('encoded')?.get('value')).toBe(Buffer.from(passwords[3] ?? '').toString('base64'))
    expect(end.get('hash')).not.toEqual(old.get('hash'))
  })

  test('wait with the next step of a rotation until what was made has been where it belongs for as long', async () => {
    const world = new World()
    await world.parts()
    world.rotate = 'leaked'
    await world.parts()
    world.later = 2 * OVERLAP
    world.readyAt = undefined
    await world.parts()
    world.readyAt = OVERLAP + 1
    await world.parts()
    expect(world.state).toEqual(['trust 2026-01-01T00:00:00.000Z leaked', undefined])
    world.readyAt = OVERLAP
    await world.parts()
    expect(world.state).toEqual(['use 2026-01-03T00:00:00.000Z leaked', undefined])
  })

  test('of a cluster that has none yet are not rotated', async () => {
    const world = new World()
    world.rotate = 'leaked'
    const made = await world.parts()
    expect([world.state, await world.parts()]).toEqual([[undefined, 'leaked'], made])
  })
})
