import { setTimeout } from 'node:timers/promises'
import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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
  type RunningController,
  runtimeValues,
  startController,
  toldOf,
  valuesMap,
} from './controller-world.ts'

const generators = [
  { name: 'ca', function: 'genCA', arguments: ['Test CA', '', '', '3650'] },
  {
    name: 'leaf',
    function: 'genSignedCert',
    arguments: ['${HOST}', '', '${HOST},hook.example', '90', '${ca.cert}\n'],
  },
  { name: 'password', function: 'randAlphaNum', arguments: ['24'] },
]
const values = [
  { name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' },
  { name: 'BUNDLE', from: { generator: 'ca', part: 'cert' }, type: 'string', encode: 'base64' },
]
const tls = {
  namespace: 'kube-system',
  name: 'hook-tls',
  type: 'kubernetes.io/tls',
  labels: { app: 'hook' },
  data: [
    { key: 'ca.crt', template: '${ca.cert}\n' },
    { key: 'tls.crt', template: '${leaf.cert}\n' },
    { key: 'tls.key', template: '${leaf.key}\n' },
  ],
}
const login = {
  namespace: 'kube-system',
  name: 'login',
  data: [
    { key: 'password', generator: 'password', part: 'value' },
    { key: 'url', template: 'https://admin:${password.value}@${HOST}' },
  ],
}

function secret(name: string, namespace: string = 'kube-system'): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
}

function kept(name: string): KubeObject {
  return secret(`${name}-generated-secrets`, 'team-a')
}

/** The Secret in which Cluster API keeps a kubeconfig. */
function kubeconfigSecret(name: string, text: string): KubeObject {
  return {
    ...secret(`${name}-kubeconfig`, 'team-a'),
    metadata: {
      name: `${name}-kubeconfig`,
      namespace: 'team-a',
      labels: { 'cluster.x-k8s.io/cluster-name': name },
    },
    type: 'cluster.x-k8s.io/secret',
    data: { value: base64(text) },
  }
}

/** A kubeconfig for a server, as its administrator unless somebody else is named. */
function kubeconfigOf({ url, ca, adminCert, adminKey }: Kube, user?: object, server: string = url): string {
  return kubeconfig({
    cluster: { server, 'certificate-authority-data': base64(ca) },
    user: user ?? { 'client-certificate-data': base64(adminCert), 'client-key-data': base64(adminKey) },
  })
}

function dataOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  const data = fieldOf(object, 'data') ?? {}
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString()]),
  )
}

const spec = (name: string): object => ({
  values,
  generators,
  secrets: [tls, login],
  publish: { configMap: name },
})

/** A token of a service account that has no rights. */
async function tokenOf(server: Kube, name: string): Promise<string> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } }
  expect(refusals(await server.apply([account]))).toEqual([])
  const answer = await server.request('POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [] },
  })
  const token = fieldOf(answer.body, 'status.token')
  return typeof token === 'string' ? token : ''
}

describe.runIf(hasKube())('generated Secrets on two real API servers', () => {
  let kube: Kube
  let workload: Kube
  let controller: RunningController
  let proxy: WebProxy

  /** A kubeconfig for the workload cluster by an address that is not of this machine. */
  const awayOf = (user?: object, server = 'https://192.0.2.10:6443'): string =>
    kubeconfig({
      cluster: { ...throughProxy(proxy, server), 'certificate-authority-data': base64(workload.ca) },
      user: user ?? {
        'client-certificate-data': base64(workload.adminCert),
        'client-key-data': base64(workload.adminKey),
      },
    })
  const apply = async (server: Kube, ...objects: readonly KubeObject[]): Promise<void> => {
    expect(refusals(await server.apply(objects))).toEqual([])
  }
  const initialize = async (name: string): Promise<void> => {
    await apply(kube, cluster(name, { controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 } }))
    await kube.applyStatus({
      ...cluster(name, {}),
      spec: undefined,
      status: { initialization: { controlPlaneInitialized: true } },
    })
  }
  /** When the metrics say that certificates end, in seconds. */
  const expiries = async (): Promise<readonly string[]> => {
    const [, port = ''] = /"port":(\d+),"msg":"telling metrics"/.exec(controller.log.join('\n')) ?? []
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return text.split('\n').filter((line) => line.startsWith('stackmason_certificate_expiry_timestamp_seconds{'))
  }
  let touches = 0
  /** Makes the controller look again. */
  const touch = async (name: string): Promise<void> => {
    const object = runtimeValues(name, {})
    const metadata = { ...object.metadata, annotations: { touched: String(touches++) } }
    await kube.apply([{ ...object, metadata, spec: undefined }], { fieldManager: 'toucher' })
  }
  const clear = async (name: string): Promise<void> => {
    for (const object of [
      runtimeValues(name, {}),
      cluster(name, {}),
      kept(name),
      secret(`${name}-kubeconfig`, 'team-a'),
    ])
      await kube.remove(object)
    await kube.remove(valuesMap(name))
    for (const object of [secret('hook-tls'), secret('login')]) await workload.remove(object)
  }

  beforeAll(async () => {
    ;[kube, workload] = await Promise.all([startKube(), startKube()])
    proxy = await startWebProxy({ to: workload.url })
    await kube.createNamespaces(['team-a', 'team-b', 'argocd'])
    await installKinds(kube)
    controller = await startController(kube, {
      kinds: ['RuntimeValues'],
      argoNamespace: 'argocd',
      metrics: { address: { host: '127.0.0.1', port: 0 }, tls: undefined },
    })
  }, 120_000)
  afterAll(async () => {
    await controller.stop()
    await Promise.all([kube.close(), workload.close(), proxy.close()])
  })

  test('are made once the control plane answers, kept, published and delivered', async () => {
    const object = runtimeValues('web', spec('web'))
    await apply(kube, object)
    await readyIs(kube, object, 'Ready=False SourceNotFound')
    await apply(kube, cluster('web', { controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 } }))
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False ControlPlaneNotInitialized'))).toContain(
      'SecretsDelivered=False ControlPlaneNotInitialized: the control plane of the Cluster has not answered yet',
    )
    await initialize('web')
    expect(conditionsOf(await readyIs(kube, object, 'Ready=False KubeconfigNotFound')).at(-1)).toMatch(
      /^Reconciling=True/,
    )
    expect(await kube.get(kept('web'))).toBeUndefined()
    await apply(kube, kubeconfigSecret('web', kubeconfigOf(workload)))
    const ready = await readyIs(kube, object, 'Ready=True')
    expect(conditionsOf(ready).slice(0, 4)).toEqual([
      'Ready=True Succeeded: Published in ConfigMap web: HOST, BUNDLE',
      'SourcesResolved=True Succeeded: All values are known: 2',
      'Published=True Succeeded: Published in ConfigMap web: HOST, BUNDLE',
      'SecretsDelivered=True Succeeded: Secrets in the cluster that are as they should be: 2',
    ])
    expect(conditionsOf(ready)[4]).toMatch(/^CertificatesValid=True Succeeded: The first one to end is leaf at 20/)
    expect(fieldOf(ready, 'status.secrets')).toEqual([
      { namespace: 'kube-system', name: 'hook-tls', delivered: true },
      { namespace: 'kube-system', name: 'login', delivered: true },
    ])

    const [hook, given] = [await workload.get(secret('hook-tls')), await workload.get(secret('login'))]
    expect(hook).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: {
        labels: {
          app: 'hook',
          'app.kubernetes.io/managed-by': 'stackmason',
          'stackmason.dev/cluster-namespace': 'team-a',
          'stackmason.dev/cluster-name': 'web',
        },
      },
    })
    const leaf = new X509Certificate(dataOf(hook)['tls.crt'] ?? '')
    const ca = new X509Certificate(dataOf(hook)['ca.crt'] ?? '')
    expect([leaf.verify(ca.publicKey), leaf.subjectAltName]).toEqual([true, 'DNS:192.0.2.10, DNS:hook.example'])
    const end = ({ validTo }: X509Certificate): string => String(new Date(validTo).valueOf() / 1000)
    expect(await expiries()).toEqual([
      `stackmason_certificate_expiry_timestamp_seconds{renewed_by="controller"} ${end(leaf)}`,
      `stackmason_certificate_expiry_timestamp_seconds{renewed_by="nobody"} ${end(ca)}`,
    ])
    const { password = '', url } = dataOf(given)
    expect([password.length, url]).toEqual([24, `https://admin:${password}@192.0.2.10`])

    expect(fieldOf(await kube.get(valuesMap('web')), 'data.BUNDLE')).toBe(
      base64((dataOf(hook)['ca.crt'] ?? '').trimEnd()),
    )
    const keeping = await kube.get(kept('web'))
    expect(Object.keys(dataOf(keeping))).toEqual(['ca.cert', 'ca.key', 'leaf.cert', 'leaf.key', 'password.value'])
    expect(fieldOf(keeping, 'metadata.labels')).toEqual({
      'app.kubernetes.io/managed-by': 'stackmason',
      'cluster.x-k8s.io/cluster-name': 'web',
      'clusterctl.cluster.x-k8s.io/move': '',
      'stackmason.dev/runtime-values': 'web',
    })
    expect(fieldOf(keeping, 'metadata.ownerReferences')).toBeUndefined()
    expect(toldOf(controller, 'team-a/web')).toEqual([
      'info RuntimeValues waits {"reason":"SourceNotFound","message":"HOST: the Cluster is not there; BUNDLE: cert of generator ca: value HOST is not known"}',
      'info RuntimeValues waits {"reason":"ControlPlaneNotInitialized","message":"BUNDLE: cert of generator ca: the control plane of the Cluster has not answered yet"}',
      'info RuntimeValues waits {"reason":"KubeconfigNotFound","message":"BUNDLE: cert of generator ca: Secret web-kubeconfig is not there yet, which Cluster API makes"}',
      'info RuntimeValues made generated Secrets {"secret":"web-generated-secrets"}',
      'info RuntimeValues published values {"configMap":"web","values":2}',
      'info RuntimeValues delivered a Secret {"secret":"kube-system/hook-tls"}',
      'info RuntimeValues delivered a Secret {"secret":"kube-system/login"}',
      'info RuntimeValues ready',
    ])
  })

  test('stay as they are when nothing has changed, and come back when somebody changes or deletes them', async () => {
    const versions = async (): Promise<unknown> =>
      Promise.all(
        [
          [kube, kept('web')] as const,
          [workload, secret('hook-tls')] as const,
          [workload, secret('login')] as const,
          [kube, runtimeValues('web', {})] as const,
        ].map(async ([server, object]) => fieldOf(await server.get(object), 'metadata.resourceVersion')),
      )
    await touch('web')
    const before = await versions()
    const told = toldOf(controller, 'team-a/web').length
    const asked = controller.requests()
    await kube.apply(
      [
        {
          ...cluster('web', {}),
          spec: undefined,
          metadata: { ...cluster('web', {}).metadata, annotations: { a: 'b' } },
        },
      ],
      {
        fieldManager: 'toucher',
      },
    )
    await waitFor(kube, kept('web'), { until: () => controller.requests() >= asked + 8 })
    expect(await versions()).toEqual(before)
    const [hook, given] = [dataOf(await workload.get(secret('hook-tls'))), dataOf(await workload.get(secret('login')))]
    await workload.remove(secret('hook-tls'))
    await apply(workload, { ...secret('login'), data: { password: base64('mine'), other: base64('stays') } })
    // nothing but the watch of the workload cluster tells of that
    await waitFor(workload, secret('hook-tls'), { until: (found) => found !== undefined })
    await waitFor(workload, secret('login'), { until: (found) => dataOf(found)['password'] === given['password'] })
    expect(dataOf(await workload.get(secret('hook-tls')))).toEqual(hook)
    expect(dataOf(await workload.get(secret('login')))).toEqual({ ...given, other: 'stays' })
    expect(toldOf(controller, 'team-a/web').slice(told)).toEqual([
      'info RuntimeValues delivered a Secret {"secret":"kube-system/hook-tls"}',
      'info RuntimeValues delivered a Secret {"secret":"kube-system/login"}',
    ])
  })

  test('are read again from the cluster when what is kept is lost, and from an operator that ran it before', async () => {
    const [hook, given] = [dataOf(await workload.get(secret('hook-tls'))), dataOf(await workload.get(secret('login')))]
    const before = dataOf(await kube.get(kept('web')))
    await kube.remove(kept('web'))
    await waitFor(kube, kept('web'), { until: (found) => found !== undefined })
    // the key of the authority is in no Secret of the cluster
    const { 'ca.key': _, ...others } = before
    expect(dataOf(await kube.get(kept('web')))).toEqual(others)
    // as somebody else's
    for (const name of ['hook-tls', 'login']) {
      const live = await workload.get(secret(name))
      await workload.remove(secret(name))
      const { data, type } = live ?? secret(name)
      await apply(workload, { ...secret(name), type, data } as KubeObject)
    }
    await kube.remove(kept('web'))
    await waitFor(kube, kept('web'), { until: (found) => found !== undefined })
    expect(dataOf(await kube.get(kept('web')))).toEqual(others)
    await waitFor(workload, secret('login'), {
      until: (found) => JSON.stringify(found).includes('stackmason.dev/cluster-name'),
    })
    expect([dataOf(await workload.get(secret('hook-tls'))), dataOf(await workload.get(secret('login')))]).toEqual([
      hook,
      given,
    ])
    await readyIs(kube, runtimeValues('web', {}), 'Ready=True')
    await clear('web')
  })

  test.each([
    [{ password: base64('canary') }, 'Secret kube-system/login is there already, and has no key url'],
    [
      { password: base64('canary'), url: base64('https://admin:another@192.0.2.10') },
      'key url of Secret kube-system/login differs from another that should hold the same',
    ],
  ])('of somebody else are left alone, and then nothing is made: %#', async (data, want) => {
    // a pass that was under way when the one before was cleared may still bring its Secrets
    const placed = async (): Promise<unknown> => {
      await workload.remove(secret('login'))
      await apply(workload, { ...secret('login'), data })
      return fieldOf(await workload.get(secret('login')), 'data')
    }
    await expect.poll(placed).toEqual(data)
    await workload.remove(secret('hook-tls'))
    await apply(kube, runtimeValues('foreign', spec('foreign')), kubeconfigSecret('foreign', kubeconfigOf(workload)))
    await initialize('foreign')
    const object = await readyIs(kube, runtimeValues('foreign', {}), 'Ready=False NotTakenOver')
    expect(conditionsOf(object)[0]).toContain(want)
    expect(conditionsOf(object).at(-1)).toContain('Stalled=True NotTakenOver')
    expect(JSON.stringify(object)).not.toContain('canary')
    expect(fieldOf(await workload.get(secret('login')), 'data')).toEqual(data)
    expect([await workload.get(secret('hook-tls')), await kube.get(kept('foreign'))]).toEqual([undefined, undefined])
    await clear('foreign')
  })

  test('wait for their namespace, and go when they are asked for no longer', async () => {
    const late = { ...login, namespace: 'late' }
    const sticky = { ...login, name: 'sticky', annotations: { 'helm.sh/resource-policy': 'keep' } }
    const object = runtimeValues('moving', { ...spec('moving'), secrets: [login, late, sticky] })
    await apply(kube, object, kubeconfigSecret('moving', kubeconfigOf(workload)))
    await initialize('moving')
    const waiting = await readyIs(kube, object, 'Ready=False NamespaceNotFound: namespace late is not there yet')
    expect(fieldOf(waiting, 'status.secrets')).toMatchObject([
      { name: 'login', namespace: 'kube-system', delivered: true },
      { name: 'login', namespace: 'late', delivered: false, reason: 'NamespaceNotFound' },
      { name: 'sticky', delivered: true },
    ])
    await workload.createNamespaces(['late'])
    await touch('moving')
    await readyIs(kube, object, 'Ready=True')
    expect(dataOf(await workload.get(secret('login', 'late')))).toEqual(dataOf(await workload.get(secret('login'))))
    const { secrets: _, ...without } = { ...spec('moving'), secrets: undefined }
    await apply(kube, runtimeValues('moving', { ...without, secrets: [] }))
    await waitFor(workload, secret('login', 'late'), { until: (found) => found === undefined })
    await waitFor(workload, secret('login'), { until: (found) => found === undefined })
    expect(await workload.get(secret('sticky'))).toBeDefined()
    await workload.remove(secret('sticky'))
    await clear('moving')
  })

  test('of a cluster that cannot be reached, or refuses us, hold up no other; a new kubeconfig is followed', async () => {
    await apply(kube, runtimeValues('web', spec('web')), runtimeValues('dead', spec('dead')))
    await initialize('web')
    await initialize('dead')
    await apply(
      kube,
      kubeconfigSecret('dead', kubeconfigOf(workload, undefined, 'https://127.0.0.1:1')),
      kubeconfigSecret('web', kubeconfigOf(workload)),
    )
    const dead = await readyIs(kube, runtimeValues('dead', {}), 'Ready=False ClusterUnreachable')
    expect(conditionsOf(dead)[0]).toBe(
      'Ready=False ClusterUnreachable: BUNDLE: cert of generator ca: the API server of the Cluster cannot be reached: 127.0.0.1:1 refuses connections',
    )
    await readyIs(kube, runtimeValues('web', {}), 'Ready=True')
    await apply(kube, kubeconfigSecret('dead', kubeconfigOf(workload, { token: 'canary' })))
    await readyIs(kube, runtimeValues('dead', {}), 'Ready=False Unauthorized')
    await apply(kube, kubeconfigSecret('dead', kubeconfigOf(workload, { exec: { command: 'canary' } })))
    await readyIs(kube, runtimeValues('dead', {}), 'Ready=False KubeconfigRefused')
    // what this token may do is nothing, and a cluster that says so answers
    const token = await tokenOf(workload, 'nobody')
    await apply(kube, kubeconfigSecret('dead', kubeconfigOf(workload, { token })))
    expect(conditionsOf(await readyIs(kube, runtimeValues('dead', {}), 'Ready=False Forbidden'))[0]).toBe(
      'Ready=False Forbidden: BUNDLE: cert of generator ca: the kubeconfig of the Cluster does not allow to read Secret kube-system/hook-tls there',
    )
    await clear('dead')
  })

  test('tell Argo CD of the cluster with all values, and follow its kubeconfig, until the Cluster goes', async () => {
    const registered = secret('team-a.argo', 'argocd')
    const bundle = { ...values[1], encode: undefined }
    const object = runtimeValues('argo', {
      ...spec('argo'),
      values: [values[0], bundle],
      secrets: [],
      publish: { argoCluster: true },
    })
    await apply(kube, object, kubeconfigSecret('argo', awayOf()))
    await apply(kube, cluster('argo', {}))
    await kube.applyStatus({
      ...cluster('argo', {}),
      spec: undefined,
      status: { initialization: { controlPlaneInitialized: true } },
    })
    const waiting = await readyIs(kube, object, 'Ready=False FieldMissing')
    expect(conditionsOf(waiting)).toContain('ArgoClusterRegistered=False WaitingForSource: not all values are known')
    expect(await kube.get(registered)).toBeUndefined()
    await initialize('argo')
    expect(conditionsOf(await readyIs(kube, object, 'Ready=True'))[0]).toBe(
      'Ready=True Succeeded: Argo CD has the cluster Secret, with all values',
    )
    const found = await kube.get(registered)
    expect(fieldOf(found, 'metadata.labels')).toEqual({
      'app.kubernetes.io/managed-by': 'stackmason',
      'argocd.argoproj.io/secret-type': 'cluster',
      'stackmason.dev/cluster-name': 'argo',
      'stackmason.dev/cluster-namespace': 'team-a',
      // of https://192.0.2.10:6443, as addresses are compared
      'stackmason.dev/server': '2fe99ceebee6c6acff6af9fa4a0b018f',
    })
    expect(fieldOf(found, 'metadata.annotations')).toEqual({
      'stackmason.dev/cluster-uid': fieldOf(await kube.get(cluster('argo', {})), 'metadata.uid'),
      'values.stackmason.dev/HOST': '192.0.2.10',
      'values.stackmason.dev/BUNDLE': dataOf(await kube.get(kept('argo')))['ca.cert'],
    })
    const { config = '', ...others } = dataOf(found)
    expect(others).toEqual({ name: 'team-a.argo', server: 'https://192.0.2.10:6443' })
    expect(JSON.parse(config)).toEqual({
      proxyUrl: `http://${proxy.host}`,
      tlsClientConfig: {
        insecure: false,
        serverName: 'localhost',
        caData: base64(workload.ca),
        certData: base64(workload.adminCert),
        keyData: base64(workload.adminKey),
      },
    })
    await apply(kube, kubeconfigSecret('argo', awayOf({ token: 'rotated' })))
    await waitFor(kube, registered, { until: (seen) => dataOf(seen)['config']?.includes('"rotated"') === true })
    await kube.remove(registered)
    await waitFor(kube, registered, { until: (seen) => seen !== undefined })
    // with all values, or with those that it has
    await apply(kube, cluster('argo', { controlPlaneEndpoint: { host: '', port: 0 } }))
    await readyIs(kube, object, 'Ready=False FieldMissing')
    expect(fieldOf(await kube.get(registered), 'metadata.annotations')).toMatchObject({
      'values.stackmason.dev/HOST': '192.0.2.10',
    })
    await kube.remove(cluster('argo', {}))
    await waitFor(kube, registered, { until: (seen) => seen === undefined })
    await clear('argo')
  })

  test('leave nothing of a cluster that goes together with its object, as soon as it has gone', async () => {
    const registered = secret('team-a.argo', 'argocd')
    await initialize('argo')
    await apply(kube, kubeconfigSecret('argo', awayOf()))
    // a pass over the cluster of an earlier test may deliver Secrets after they were cleared
    const publish = { configMap: 'argo', argoCluster: true }
    const object = runtimeValues('argo', { ...spec('argo'), secrets: [], publish })
    await apply(kube, object)
    await readyIs(kube, object, 'Ready=True')
    const held = { metadata: { finalizers: ['example.com/machines'] } }
    const path = '/apis/cluster.x-k8s.io/v1beta2/namespaces/team-a/clusters/argo'
    await kube.request('PATCH', path, held, 'application/merge-patch+json')
    await kube.remove(cluster('argo', {}))
    await kube.remove(object)
    await setTimeout(2000)
    expect([await kube.get(registered), await kube.get(kept('argo'))]).not.toContain(undefined)
    await kube.request('PATCH', path, { metadata: { finalizers: [] } }, 'application/merge-patch+json')
    for (const left of [registered, kept('argo')]) await waitFor(kube, left, { until: (seen) => seen === undefined })
    await clear('argo')
  }, 90_000)

  test('leave a cluster Secret of somebody else alone', async () => {
    const mine = { ...secret('team-a.argo', 'argocd'), data: { name: base64('mine') } }
    await apply(kube, mine)
    await initialize('argo')
    await apply(kube, kubeconfigSecret('argo', awayOf()))
    await apply(kube, runtimeValues('argo', { values: [values[0]], publish: { argoCluster: true } }))
    await readyIs(kube, runtimeValues('argo', {}), 'Ready=False NotOurs')
    await kube.remove(cluster('argo', {}))
    await readyIs(kube, runtimeValues('argo', {}), 'Ready=False')
    expect(dataOf(await kube.get(mine))).toEqual({ name: 'mine' })
    await kube.remove(mine)
    await clear('argo')
  })

  test('are not registered with a server of somebody else, and tell nothing of whose it is', async () => {
    const publish = { argoCluster: true }
    const server = 'https://192.0.2.20:6443'
    const known = { ...cluster('argo', {}), metadata: { name: 'argo', namespace: 'team-b' } }
    const owner = { ...runtimeValues('argo', { publish }), metadata: known.metadata }
    const given = kubeconfigSecret('argo', awayOf({ token: 'right' }, server))
    await apply(kube, known, owner, { ...given, metadata: { ...given.metadata, namespace: 'team-b' } })
    const status = { initialization: { controlPlaneInitialized: true } }
    await kube.applyStatus({ ...known, spec: undefined, status })
    await readyIs(kube, owner, 'Ready=True')
    const theirs = dataOf(await kube.get(secret('team-b.argo', 'argocd')))
    expect(theirs['server']).toBe(server)

    const object = runtimeValues('argo', { publish })
    await initialize('argo')
    const registered = secret('team-a.argo', 'argocd')
    const refused = 'ServerRefused: Argo CD is not told of the server in the kubeconfig: it is'
    const management = `${refused} the API server of the management cluster`
    const taken =
      'ServerTaken: another cluster Secret of Argo CD, which was there first, has the server in the kubeconfig'
    for (const [asked, want] of [
      ['https://kubernetes.default.svc', management],
      ['https://0xc0000214:6443/', taken],
      [kube.url, management],
      [server, taken],
      [workload.url, `${refused} an address of whichever machine asks (loopback, unspecified or link-local)`],
    ] as const) {
      await apply(kube, kubeconfigSecret('argo', awayOf({ token: 'wrong' }, asked)), object)
      const [reason] = want.split(':')
      await vi.waitFor(async () => {
        const conditions = conditionsOf(await kube.get(object))
        expect(
          conditions.filter((line) => !line.startsWith('SourcesResolved') && !line.startsWith('Published')),
        ).toEqual([`Ready=False ${want}`, `ArgoClusterRegistered=False ${want}`, `Stalled=True ${want}`])
      }, 20_000)
      await vi.waitFor(async () => {
        const events = await kube.list('events.k8s.io/v1', 'Event', 'team-a')
        const told = events.filter((event) => fieldOf(event, 'regarding.name') === 'argo' && event['reason'] === reason)
        expect(told.map((event) => [event['type'], event['note']])).toContainEqual([
          'Warning',
          want.slice(want.indexOf(':') + 2),
        ])
      }, 20_000)
      expect(await kube.get(registered)).toBeUndefined()
    }
    expect(dataOf(await kube.get(secret('team-b.argo', 'argocd')))).toEqual(theirs)
    expect(controller.log.filter((line) => /"(?:right|wrong)"/.test(line))).toEqual([])
    await apply(kube, kubeconfigSecret('argo', awayOf({ token: 'own' })))
    await readyIs(kube, object, 'Ready=True')
    expect(dataOf(await kube.get(registered))['server']).toBe('https://192.0.2.10:6443')
    for (const left of [owner, known, { ...given, metadata: { name: 'argo-kubeconfig', namespace: 'team-b' } }])
      await kube.remove(left)
    await clear('argo')
  }, 120_000)

  test('are no longer kept once the object and its Cluster have gone, in this order', async () => {
    await apply(kube, kubeconfigSecret('last', kubeconfigOf(workload)))
    await initialize('last')
    const object = runtimeValues('last', {
      values: [],
      generators: [generators[2]],
      secrets: [{ ...login, name: 'last', data: [login.data[0]] }],
      publish: { configMap: 'last' },
    })
    await apply(kube, object)
    await readyIs(kube, object, 'Ready=True')
    const before = dataOf(await kube.get(kept('last')))
    // the object alone: what is kept stays, and is used again
    await kube.remove(object)
    await apply(kube, object)
    await readyIs(kube, object, 'Ready=True')
    expect(dataOf(await kube.get(kept('last')))).toEqual(before)
    await kube.remove(cluster('last', {}))
    await kube.remove(object)
    await waitFor(kube, kept('last'), { until: (found) => found === undefined })
  })

  test('show nothing of what is in them', async () => {
    const texts = Object.values(dataOf(await kube.get(kept('web')))).filter((text) => !text.includes('CERTIFICATE'))
    expect(texts.length).toBeGreaterThan(2)
    const events = await kube.list('events.k8s.io/v1', 'Event', 'team-a')
    const shown = [
      ...controller.log,
      JSON.stringify(events),
      JSON.stringify(await kube.list('stackmason.dev/v1alpha1', 'RuntimeValues', 'team-a')),
      JSON.stringify(await kube.list('v1', 'ConfigMap', 'team-a')),
    ].join('\n')
    expect(shown).toContain('web')
    for (const text of [...texts, 'canary']) {
      const line = text.split('\n')[1] ?? text
      expect([line, base64(text)].filter((part) => shown.includes(part))).toEqual([])
    }
    await clear('web')
    await vi.waitFor(async () => {
      expect(await expiries()).toEqual([])
    })
  })

  test('are not fought over by two Clusters that lead to one API server', async () => {
    await initialize('web')
    await initialize('twin')
    await apply(kube, kubeconfigSecret('web', kubeconfigOf(workload)), kubeconfigSecret('twin', kubeconfigOf(workload)))
    await apply(kube, runtimeValues('web', spec('web')))
    const isOf = { metadata: { labels: { 'stackmason.dev/cluster-name': 'web' } } }
    await vi.waitFor(async () => {
      for (const name of ['hook-tls', 'login']) expect(await workload.get(secret(name))).toMatchObject(isOf)
    }, 20_000)
    const delivered = async (): Promise<unknown> => {
      const { metadata, ...rest } = (await workload.get(secret('login'))) ?? secret('')
      return [metadata['labels'], metadata['uid'], rest]
    }
    const before = await delivered()

    await apply(kube, runtimeValues('twin', spec('twin')))
    const refused = conditionsOf(await readyIs(kube, runtimeValues('twin', {}), 'Ready=False NotOurs'))
    expect(refused.join('\n')).toContain(
      'Secret kube-system/login was delivered for team-a/web, whose Cluster leads to the same API server. Ask for it in one of both only',
    )
    expect(await delivered()).toEqual(before)
    expect(conditionsOf(await kube.get(runtimeValues('web', {})))[0]).toContain('Ready=True Succeeded')

    // who is gone asks for nothing
    await kube.remove(runtimeValues('web', {}))
    await touch('twin')
    await readyIs(kube, runtimeValues('twin', {}), 'Ready=True Succeeded')
    expect(fieldOf(await workload.get(secret('login')), 'metadata.labels')).toMatchObject({
      'stackmason.dev/cluster-name': 'twin',
    })
    for (const name of ['twin', 'web']) await clear(name)
  })
})
