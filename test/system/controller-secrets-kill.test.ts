import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { startWebProxy, type WebProxy } from '../../tools/servers/web-proxy.ts'
import { base64, kubeconfig, throughProxy } from '../controller/workload-cluster/kubeconfigs.ts'
import {
  cluster,
  conditionsOf,
  installKinds,
  readyIs,
  runtimeValues,
  startController,
  valuesMap,
} from './controller-world.ts'

// keys that take no time to make
const generators = [
  { name: 'password', function: 'randAlphaNum', arguments: ['24'] },
  { name: 'hash', function: 'htpasswd', arguments: ['admin', '${password.value}'] },
  { name: 'key', function: 'genPrivateKey', arguments: ['ed25519'] },
  { name: 'ca', function: 'genCAWithKey', arguments: ['Test CA', '', '', '3650', '${key.key}\n'] },
]
const spec = {
  values: [
    { name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' },
    { name: 'BUNDLE', from: { generator: 'ca', part: 'cert' }, type: 'string', encode: 'base64' },
  ],
  generators,
  secrets: [
    {
      namespace: 'kube-system',
      name: 'login',
      data: [
        { key: 'auth', generator: 'hash', part: 'hash' },
        { key: 'url', template: 'https://admin:${password.value}@${HOST}' },
      ],
    },
    {
      namespace: 'kube-system',
      name: 'authority',
      data: [
        { key: 'ca.crt', template: '${ca.cert}\n' },
        { key: 'ca.key', template: '${key.key}\n' },
      ],
    },
  ],
}

/** Not at each of them, which takes longer than CI has: a run with 1 passes, too. */
const STEP = 3

function secret(name: string, namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
}

describe.runIf(hasKube())('a controller that dies at any of its requests while it delivers Secrets', () => {
  let kube: Kube
  let workload: Kube
  let proxy: WebProxy

  beforeAll(async () => {
    ;[kube, workload] = await Promise.all([startKube(), startKube()])
    proxy = await startWebProxy({ to: workload.url })
    await kube.createNamespaces(['team-a', 'argocd'])
    await installKinds(kube)
  }, 120_000)
  afterAll(async () => {
    await Promise.all([kube.close(), workload.close(), proxy.close()])
  })

  /** All that holds something that was made, where it is. */
  const places = (name: string): readonly (readonly [Kube, KubeObject])[] => [
    [kube, secret(`${name}-generated-secrets`, 'team-a')],
    [kube, valuesMap(name)],
    [kube, secret(`team-a.${name}`, 'argocd')],
    [workload, secret('login', 'kube-system')],
    [workload, secret('authority', 'kube-system')],
  ]

  async function made(name: string): Promise<readonly unknown[]> {
    return Promise.all(places(name).map(async ([server, object]) => fieldOf(await server.get(object), 'data')))
  }

  async function prepare(name: string): Promise<void> {
    const text = kubeconfig({
      cluster: { ...throughProxy(proxy, 'https://192.0.2.7:6443'), 'certificate-authority-data': base64(workload.ca) },
      user: {
        'client-certificate-data': base64(workload.adminCert),
        'client-key-data': base64(workload.adminKey),
      },
    })
    const object = cluster(name, { controlPlaneEndpoint: { host: '192.0.2.7', port: 6443 } })
    const labels = { 'cluster.x-k8s.io/cluster-name': name }
    const kubeconfigSecret = {
      ...secret(`${name}-kubeconfig`, 'team-a'),
      metadata: { name: `${name}-kubeconfig`, namespace: 'team-a', labels },
      data: { value: base64(text) },
    }
    expect(refusals(await kube.apply([object, kubeconfigSecret]))).toEqual([])
    await kube.applyStatus({
      ...object,
      spec: undefined,
      status: { initialization: { controlPlaneInitialized: true } },
    })
    const publish = { configMap: name, argoCluster: true }
    expect(refusals(await kube.apply([runtimeValues(name, { ...spec, publish })]))).toEqual([])
  }

  async function clear(name: string): Promise<void> {
    for (const object of [runtimeValues(name, {}), cluster(name, {}), secret(`${name}-kubeconfig`, 'team-a')]) {
      await kube.remove(object)
    }
    for (const [server, object] of places(name)) await server.remove(object)
  }

  test('makes nothing twice, and leaves what the next one makes whole', { timeout: 180_000 }, async () => {
    const options = { kinds: ['RuntimeValues'], argoNamespace: 'argocd' } as const
    let want: readonly string[] = []
    let requests = 0
    for (let round = 0; round === 0 || round <= requests; round += round === 0 ? 1 : STEP) {
      const name = `kill-${String(round)}`
      await prepare(name)
      // the first one lives, and shows how many requests there are
      const killed = await startController(kube, options, round === 0 ? {} : { lives: round })
      if (round === 0) {
        want = conditionsOf(await readyIs(kube, runtimeValues(name, {}), 'Ready=True'))
        requests = killed.requests()
        await killed.stop()
        await clear(name)
        continue
      }
      await waitFor(kube, valuesMap(name), { until: () => killed.requests() >= round })
      await killed.stop()
      const before = await made(name)
      const next = await startController(kube, options)
      const ready = await readyIs(kube, runtimeValues(name, {}), 'Ready=True')
      await next.stop()
      const after = await made(name)
      // what anybody may have seen stays what it was
      expect({ round, made: after.map((data, index) => (before[index] === undefined ? undefined : data)) }).toEqual({
        round,
        made: before,
      })
      expect({ round, missing: after.map((data) => data === undefined) }).toEqual({
        round,
        missing: places(name).map(() => false),
      })
      const conditions = conditionsOf(ready).map((line) => line.replaceAll(name, 'kill-0').replace(/\d{4}-.*Z$/, ''))
      expect({ round, conditions }).toEqual({ round, conditions: want.map((line) => line.replace(/\d{4}-.*Z$/, '')) })
      await clear(name)
    }
    expect(requests).toBeGreaterThan(20)
  })
})
