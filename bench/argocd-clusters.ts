/**
 * Every form of kubeconfig that Cluster API's providers write, as a cluster Secret that the controller makes, under the
 * real Argo CD: an Application for each must apply its object in the workload cluster, and go on to after the
 * credentials are others. Needs the servers of `tools/kube.ts` and `tools/argocd.ts`, and a build.
 *
 *   npx tsx bench/argocd-clusters.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import {
  applicationReference,
  defaultProject,
  isApplicationSynced,
  rootApplication,
  startArgocd,
} from '../tools/servers/argocd.ts'
import { accountWithAllRights } from '../tools/servers/busy-server.ts'
import { makeRepository, startGitServer } from '../tools/servers/git-server.ts'
import { fieldOf, type KubeObject } from '../tools/servers/kube-client.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import { startWebProxy } from '../tools/servers/web-proxy.ts'
import { applyAll, clusterAt, installFleet, startControllerProcess, until } from './support/controller-fleet.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Parts of a kubeconfig. */
interface Login {
  readonly cluster?: object
  readonly user: object
}

function kubeconfigSecret(name: string, port: number, { cluster, user }: Login): KubeObject {
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `https://127.0.0.1:${String(port)}`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
  const labels = { 'cluster.x-k8s.io/cluster-name': name }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${name}-kubeconfig`, namespace: 'fleet', labels },
    type: 'cluster.x-k8s.io/secret',
    data: { value: base64(text) },
  }
}

function registration(name: string): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RuntimeValues',
    metadata: { name, namespace: 'fleet' },
    spec: { clusterName: name, values: [], publish: { configMap: name, argoCluster: true } },
  }
}

function application(name: string, repoURL: string): KubeObject {
  const root = rootApplication(name, repoURL)
  return {
    ...root,
    spec: {
      project: 'default',
      source: { repoURL, targetRevision: 'main', path: name },
      destination: { name: `fleet.${name}`, namespace: 'others' },
      syncPolicy: fieldOf(root, 'spec.syncPolicy'),
    },
  }
}

const folder = await mkdtemp(join(tmpdir(), 'stackmason-bench-'))
const closing: (() => unknown)[] = [async () => rm(folder, { recursive: true, force: true })]
try {
  const [management, workload] = await Promise.all([startKube(), startKube()])
  closing.push(async () => Promise.all([management.close(), workload.close()]))
  await installFleet(management)
  await workload.createNamespaces(['others', 'accounts'])
  const webProxy = await startWebProxy()
  closing.push(async () => webProxy.close())
  const account = async (name: string): Promise<string> =>
    accountWithAllRights(workload, { namespace: 'accounts', name })
  const trust = { 'certificate-authority-data': base64(workload.ca) }
  const certificate = {
    'client-certificate-data': base64(workload.adminCert),
    'client-key-data': base64(workload.adminKey),
  }
  const forms: Readonly<Record<string, Login>> = {
    certificate: { cluster: trust, user: certificate },
    token: { cluster: trust, user: { token: await account('token') } },
    'server-name': { cluster: { ...trust, 'tls-server-name': 'localhost' }, user: certificate },
    proxy: { cluster: { ...trust, 'proxy-url': `http://${webProxy.host}` }, user: certificate },
    rotated: { cluster: trust, user: { token: await account('first') } },
  }
  const names = Object.keys(forms)

  const served = join(folder, 'served')
  const git = await startGitServer(served)
  closing.push(async () => git.close())
  makeRepository(join(served, 'objects.git'))
  const objects = new FleetFolder(join(folder, 'objects'))
  const push = (round: string): string => {
    for (const name of names)
      objects.write(
        `${name}/object.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {round: ${round}}\n`,
      )
    const head = objects.commit(round)
    objects.git('push', '-q', join(served, 'objects.git'), 'HEAD:main')
    return head
  }
  const argocd = await startArgocd(management, { env: { ARGOCD_RECONCILIATION_TIMEOUT: '1s' } })
  closing.push(async () => argocd.close())
  const further = ['--argocd-namespace', 'argocd']
  const controller = await startControllerProcess(management, folder, {
    port: Number(new URL(management.url).port),
    further,
  })
  closing.push(() => controller.kill())

  const ports = new Map<string, number>()
  for (const name of names) {
    // Argo CD knows clusters by their addresses
    const proxy = await startTcpProxy(new URL(workload.url))
    closing.push(() => proxy.close())
    ports.set(name, proxy.port)
  }
  const portOf = (name: string): number => ports.get(name) ?? 0
  const register = async (name: string, login: Login): Promise<void> =>
    applyAll(management, [kubeconfigSecret(name, portOf(name), login)])
  let head = push('first')
  await applyAll(management, [
    defaultProject,
    ...names.flatMap((name) => [clusterAt(name, '127.0.0.1'), registration(name)]),
  ])
  for (const name of names) {
    await management.applyStatus({
      ...clusterAt(name, '127.0.0.1'),
      spec: undefined,
      status: { initialization: { controlPlaneInitialized: true } },
    })
    await register(name, forms[name] ?? { user: {} })
  }
  await applyAll(
    management,
    names.map((name) => application(name, `${git.url}/objects.git`)),
  )
  const isApplied = async (name: string, round: string): Promise<boolean> => {
    const object = await objectOf(workload, name)
    return (
      fieldOf(object, 'data.round') === round &&
      isApplicationSynced(await management.get(applicationReference(name)), head)
    )
  }
  const wait = async (round: string): Promise<void> => {
    const start = performance.now()
    await Promise.all(
      names.map(async (name) => {
        await until(async () => isApplied(name, round))
        console.log(`${round.padEnd(7)} ${name.padEnd(12)} ${((performance.now() - start) / 1000).toFixed(1)} s`)
      }),
    )
  }
  await wait('first')
  await register('rotated', { cluster: trust, user: { token: await account('second') } })
  await workload.remove({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'first', namespace: 'accounts' },
  })
  head = push('second')
  await wait('second')
  const passed = webProxy.requests.filter((request) => request === `CONNECT 127.0.0.1:${String(portOf('proxy'))}`)
  console.log(`connections through the proxy: ${String(passed.length)}`)
  if (passed.length === 0) throw new Error('the proxy was not used')
  // a Cluster that goes takes its Secret along
  await management.remove(clusterAt('token', '127.0.0.1'))
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'fleet.token', namespace: 'argocd' } }
  await until(async () => (await management.get(secret)) === undefined)
  console.log(`RIGHT; errors in the controller's log: ${String(controller.lines('error').length)}`)
} finally {
  for (const close of closing.toReversed()) await close()
}

async function objectOf(kube: Kube, name: string): Promise<KubeObject | undefined> {
  return kube.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'others' } })
}
