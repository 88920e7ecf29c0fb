import { cp, chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { kubeBinaries, type KubeBinaries } from '../kube.ts'
import { freePorts, startChildServer, type ChildServer } from './child-server.ts'
import { makeKubeCertificates, type KubeCertificates } from './kube-certificates.ts'
import { createKubeClient, fieldOf, type KubeClient } from './kube-client.ts'
import { keepSeed, plantSeed, seedFile } from './kube-seed.ts'

/** An API server that runs. */
export interface Kube extends Omit<KubeClient, 'closeConnections'> {
  /** `https://127.0.0.1:<port>`, unless another address was asked for */
  readonly url: string
  /** Path of a kubeconfig of the administrator, certificates inside. */
  readonly kubeconfig: string
  /** What is in it. */
  readonly kubeconfigText: string
  /** In PEM, like the three that follow. */
  readonly ca: string
  /** For those who sign clients of their own. */
  readonly caKey: string
  readonly adminCert: string
  readonly adminKey: string
  /** What lies in etcd under keys that begin so, by key: objects of custom resources as they are stored. */
  readonly stored: (prefix: string) => Promise<ReadonlyMap<string, unknown>>
  /** Puts objects into etcd under their keys, past the API server. */
  readonly store: (objects: ReadonlyMap<string, unknown>) => Promise<void>
  /** What the server was asked by a user, if it notes that. */
  readonly audited: (user: string) => Promise<readonly AuditedRequest[]>
  /** Kills the API server, and starts it again on the same data. */
  readonly restartApiServer: (whileDown: () => Promise<void>) => Promise<void>
  /** The folder of etcd's data. */
  readonly etcdData: string
  /** Kills etcd and the API server, copies etcd's data to a folder that is not there yet, and starts both again. */
  readonly backUpEtcd: (to: string) => Promise<void>
  /** Kills etcd and the API server, and starts both on a copy of what was etcd's data once. */
  readonly restoreEtcd: (data: string) => Promise<void>
  /** Kills all servers and removes their data. */
  readonly close: () => Promise<void>
}

/** A request for a resource, as the API server has noted it. */
export interface AuditedRequest {
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/status`. */
  readonly resource: string
  /** Empty for collections. */
  readonly name: string
  readonly status: number
}

/** How {@link startKube} starts. */
export interface KubeOptions {
  /** Also what collects garbage, ends namespaces and makes service accounts. */
  readonly controllerManager?: boolean
  /** Notes who asked for what. */
  readonly audit?: boolean
  /** Of this machine, where the server listens. Default: 127.0.0.1. */
  readonly address?: string
  /** Also the server's own migrator of stored objects, which its release has switched off; with `controllerManager`. */
  readonly storageVersionMigrator?: boolean
}

/** Servers that not every machine with an API server has. */
export type KubeServer = 'controllerManager' | 'kustomizeController'

const readyWithin = 90_000

/**
 * True if the servers can be had: always etcd, kube-apiserver and kubectl, and those named. Tests skip themselves
 * without them, saying so once; in CI they must not.
 * @throws Error in CI when one is missing
 */
export function hasKube(...needed: readonly KubeServer[]): boolean {
  const missing = missingServers(kubeBinaries(), needed)
  if (missing.length === 0) return true
  const message = `no ${missing.join(', no ')}: tests on a real API server`
  if (process.env['CI'] !== undefined)
    throw new Error(`${message} cannot run; npx tsx tools/kube.ts builds what they need`)
  console.warn(`SKIPPED, ${message}; npx tsx tools/kube.ts builds what they need`)
  return false
}

function missingServers(binaries: KubeBinaries | undefined, needed: readonly KubeServer[]): readonly string[] {
  if (binaries === undefined) return ['kube-apiserver']
  return needed.flatMap((server) => {
    if (server === 'controllerManager')
      return binaries.kubeControllerManager === undefined ? ['kube-controller-manager'] : []
    return binaries.kustomizeController === undefined || binaries.fluxCrds === undefined ? ['kustomize-controller'] : []
  })
}

/**
 * Starts etcd and kube-apiserver on free ports of this machine, their data in a temp folder. They die with this
 * process; close them when done. Several may run side by side.
 */
export async function startKube(options: KubeOptions = {}): Promise<Kube> {
  for (let left = 3; ; left--) {
    try {
      return await startOnce(options)
    } catch (error) {
      // somebody else took a port that was free a moment ago
      if (left === 0 || !String(error).includes('address already in use')) throw error
    }
  }
}

async function startOnce(options: KubeOptions): Promise<Kube> {
  const binaries = kubeBinaries()
  if (binaries === undefined) throw new Error('no kube-apiserver')
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-kube-')))
  const { address = '127.0.0.1' } = options
  const certificates = makeKubeCertificates(address)
  const servers: ChildServer[] = []
  const closeServers = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await writeCertificates(folder, certificates)
    await writeFile(join(folder, 'audit-policy.yaml'), auditPolicy)
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3)
    const url = `https://${address}:${String(port)}`
    const kubeconfigText = formatKubeconfig(url, certificates)
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, kubeconfigText, { mode: 0o600 })
    const start = (binary: string, name: string, args: readonly string[]): ChildServer => {
      const server = startChildServer(binary, { args, logFile: join(folder, `${name}.log`) })
      servers.push(server)
      return server
    }
    const etcdData = join(folder, 'etcd')
    const startEtcd = (): ChildServer => start(binaries.etcd, 'etcd', etcdArgs(etcdData, { etcdPort, peerPort }))
    let etcd = startEtcd()
    const seed = seedFile(binaries.kubeApiserver)
    const isSeeded = await plantSeed(etcdPort, seed, etcd)
    const startApiServer = (): ChildServer =>
      start(binaries.kubeApiserver, 'kube-apiserver', [
        ...apiserverArgs(folder, { etcdPort, port, address }),
        ...(options.audit === true ? auditArgs(folder) : []),
        ...(options.storageVersionMigrator === true
          ? ['--feature-gates=StorageVersionMigrator=true', '--runtime-config=storagemigration.k8s.io/v1alpha1=true']
          : []),
      ])
    let apiServer = startApiServer()
    const restartApiServer = async (whileDown: () => Promise<void>): Promise<void> => {
      await apiServer.kill()
      servers.splice(servers.indexOf(apiServer), 1)
      await whileDown()
      apiServer = startApiServer()
      await waitUntilReady(client, servers)
    }
    const restartAll = (whileDown: () => Promise<void>): Promise<void> =>
      restartApiServer(async () => {
        await etcd.kill()
        servers.splice(servers.indexOf(etcd), 1)
        await whileDown()
        etcd = startEtcd()
      })
    const backUpEtcd = (to: string): Promise<void> => restartAll(() => cp(etcdData, to, { recursive: true }))
    const restoreEtcd = (data: string): Promise<void> =>
      restartAll(async () => {
        await rm(etcdData, { recursive: true })
        await cp(data, etcdData, { recursive: true })
      })
    const { closeConnections, ...client } = createKubeClient(url, certificates)
    const close = async (): Promise<void> => {
      closeConnections()
      await closeServers()
    }
    await waitUntilReady(client, servers)
    if (!isSeeded) await keepSeed(etcdPort, seed)
    if (options.controllerManager === true) {
      if (binaries.kubeControllerManager === undefined) throw new Error('no kube-controller-manager')
      start(
        binaries.kubeControllerManager,
        'kube-controller-manager',
        controllerManagerArgs(folder, kubeconfig, options),
      )
    }
    const { admin, ca, caKey } = certificates
    const access = { url, kubeconfig, kubeconfigText, ca, caKey, adminCert: admin.cert, adminKey: admin.key }
    const stored = (prefix: string): Promise<ReadonlyMap<string, unknown>> => readStored(etcdPort, prefix)
    const store = (objects: ReadonlyMap<string, unknown>): Promise<void> => writeStored(etcdPort, objects)
    const audited = (user: string): Promise<readonly AuditedRequest[]> => readAudit(folder, user)
    return { ...access, ...client, stored, store, audited, restartApiServer, etcdData, backUpEtcd, restoreEtcd, close }
  } catch (error) {
    await closeServers()
    throw error
  }
}

async function writeCertificates(folder: string, certificates: KubeCertificates): Promise<void> {
  const { ca, server, tokenKey, tokenPublicKey } = certificates
  const files = {
    'ca.pem': ca,
    'server.pem': server.cert,
    'server-key.pem': server.key,
    'token-key.pem': tokenKey,
    'token-public-key.pem': tokenPublicKey,
  }
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text, { mode: 0o600 })))
  // etcd wants its data to itself
  await chmod(folder, 0o700)
}

interface EtcdPorts {
  readonly etcdPort: number
  readonly peerPort: number
}

function etcdArgs(data: string, { etcdPort, peerPort }: EtcdPorts): readonly string[] {
  const [client, peer] = [etcdPort, peerPort].map((port) => `http://127.0.0.1:${String(port)}`)
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=${client ?? ''}`,
    `--advertise-client-urls=${client ?? ''}`,
    `--listen-peer-urls=${peer ?? ''}`,
    `--initial-advertise-peer-urls=${peer ?? ''}`,
    `--initial-cluster=default=${peer ?? ''}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

/** What the test environment of controller-runtime passes, with certificates of our own. */
function apiserverArgs(
  folder: string,
  { etcdPort, port, address }: { readonly etcdPort: number; readonly port: number; readonly address: string },
): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${String(etcdPort)}`,
    `--secure-port=${String(port)}`,
    `--bind-address=${address}`,
    `--tls-cert-file=${join(folder, 'server.pem')}`,
    `--tls-private-key-file=${join(folder, 'server-key.pem')}`,
    `--client-ca-file=${join(folder, 'ca.pem')}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    `--service-account-issuer=https://127.0.0.1:${String(port)}/`,
    `--service-account-key-file=${join(folder, 'token-public-key.pem')}`,
    `--service-account-signing-key-file=${join(folder, 'token-key.pem')}`,
  ]
}

/** JSON is YAML. */
const auditPolicy: string = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts'] }, { level: 'None' }],
})

function auditArgs(folder: string): readonly string[] {
  return [
    `--audit-policy-file=${join(folder, 'audit-policy.yaml')}`,
    `--audit-log-path=${join(folder, 'audit.log')}`,
    '--audit-log-mode=blocking',
  ]
}

async function readAudit(folder: string, user: string): Promise<readonly AuditedRequest[]> {
  const lines = (await readFile(join(folder, 'audit.log'), 'utf8')).split('\n')
  return lines.flatMap((line) => {
    if (line === '') return []
    const event: unknown = JSON.parse(line)
    const field = (path: string): string => {
      const found = fieldOf(event, path)
      return typeof found === 'string' ? found : ''
    }
    if (field('user.username') !== user || fieldOf(event, 'objectRef') === undefined) return []
    const subresource = field('objectRef.subresource')
    return [
      {
        verb: field('verb'),
        group: field('objectRef.apiGroup'),
        resource: `${field('objectRef.resource')}${subresource === '' ? '' : `/${subresource}`}`,
        name: field('objectRef.name'),
        status: Number(fieldOf(event, 'responseStatus.code')),
      },
    ]
  })
}

function controllerManagerArgs(
  folder: string,
  kubeconfig: string,
  { storageVersionMigrator = false }: KubeOptions,
): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--root-ca-file=${join(folder, 'ca.pem')}`,
    `--service-account-private-key-file=${join(folder, 'token-key.pem')}`,
    `--controllers=garbage-collector-controller,namespace-controller,serviceaccount-controller,serviceaccount-token-controller${storageVersionMigrator ? ',storage-version-migrator-controller' : ''}`,
    ...(storageVersionMigrator ? ['--feature-gates=StorageVersionMigrator=true,InformerResourceVersion=true'] : []),
  ]
}

async function waitUntilReady(client: Pick<KubeClient, 'request'>, servers: readonly ChildServer[]): Promise<void> {
  const end = performance.now() + readyWithin
  for (;;) {
    // refused connections are how it starts
    const answer = await client.request('GET', '/readyz').catch(() => undefined)
    if (answer?.status === 200) return
    const isDead = servers.some((server) => server.status() !== undefined)
    if (isDead || performance.now() > end) {
      const logs = servers.map((server) => server.log().split('\n').slice(-20).join('\n'))
      throw new Error(`the API server ${isDead ? 'ended' : 'is not ready'}:\n${logs.join('\n---\n')}`)
    }
    await setTimeout(100)
  }
}

/** JSON is YAML. */
function formatKubeconfig(url: string, { ca, admin }: KubeCertificates): string {
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': encode(ca) } }],
    users: [
      { name: 'admin', user: { 'client-certificate-data': encode(admin.cert), 'client-key-data': encode(admin.key) } },
    ],
  }
  return JSON.stringify(config)
}

/** As many as etcd takes at once. */
const PUTS_AT_ONCE = 100
const PUT_TRIES = 10

/** Puts values into etcd over its gateway for JSON. */
async function writeStored(port: number, objects: ReadonlyMap<string, unknown>): Promise<void> {
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  const puts = Array.from(objects, ([key, object]) => ({
    requestPut: { key: encode(key), value: encode(`${JSON.stringify(object)}\n`) },
  }))
  for (let at = 0; at < puts.length; at += PUTS_AT_ONCE) {
    const body = JSON.stringify({ success: puts.slice(at, at + PUTS_AT_ONCE) })
    // again where it was too slow to say whether it has done so
    for (let tries = 1; ; tries++) {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/v3/kv/txn`, { method: 'POST', body })
      const text = await answer.text()
      if (answer.ok) break
      if (tries === PUT_TRIES) throw new Error(text)
    }
  }
}

/** Asks etcd over its gateway for JSON. */
async function readStored(port: number, prefix: string): Promise<ReadonlyMap<string, unknown>> {
  const start = Buffer.from(prefix)
  const end = Buffer.from(prefix)
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  const answer = await fetch(`http://127.0.0.1:${String(port)}/v3/kv/range`, {
    method: 'POST',
    body: JSON.stringify({ key: start.toString('base64'), range_end: end.toString('base64') }),
  })
  const { kvs = [] } = (await answer.json()) as {
    readonly kvs?: readonly { readonly key: string; readonly value: string }[]
  }
  return new Map(
    kvs.map(({ key, value }) => {
      const decoded: unknown = JSON.parse(Buffer.from(value, 'base64').toString('utf8'))
      return [Buffer.from(key, 'base64').toString('utf8'), decoded]
    }),
  )
}
