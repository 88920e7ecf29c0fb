/**
 * Every form of kubeconfig that Cluster API's providers write, as a cluster Secret that the controller makes, under the
 * real Argo CD: an Application for each must apply its object in the workload cluster, and go on to after the
 * credentials are others. All servers listen on this machine, of which Argo CD is not told: proxies lead to them from
 * other addresses. Needs the servers of `tools/kube.ts` and `tools/argocd.ts`, and a build.
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
import { startWebProxy, type WebProxy } from '../tools/servers/web-proxy.ts'
import { applyAll, clusterAt, installFleet, startControllerProcess, until } from './support/controller-fleet.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Parts of a kubeconfig. */
interface Login {
  readonly cluster?: object
  readonly user: object
}

/** An address, and the proxy that leads from it to the workload cluster. */
interface Way {
  readonly server: string
  readonly proxy: WebProxy
}

function kubeconfigSecret(name: string, { server, proxy }: Way, { cluster, user }: Login): KubeObject {
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server, 'proxy-url': `http://${proxy.host}`, 'tls-server-name': 'localhost', ...cluster } },
    ],
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

  const ways = new Map<string, Way>()
  for (const [index, name] of names.entries()) {
    const proxy = await startWebProxy({ to: workload.url })
    closing.push(async () => proxy.close())
    // Argo CD knows clusters by their addresses
    ways.set(name, { server: `https://192.0.2.${String(index + 1)}:6443`, proxy })
  }
  const wayTo = (name: string): Way => {
    const way = ways.get(name)
    if (way === undefined) throw new Error(`no way to ${name}`)
    return way
  }
  const register = async (name: string, login: Login): Promise<void> =>
    applyAll(management, [kubeconfigSecret(name, wayTo(name), login)])
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
  for (const name of names) {
    const { proxy, server } = wayTo(name)
    const passed = proxy.requests.filter((request) => request === `CONNECT ${new URL(server).host}`)
    console.log(`connections to ${name}: ${String(passed.length)}`)
    if (passed.length === 0) throw new Error('the proxy was not used')
  }
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
