import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import type { Kube } from '../../tools/servers/kube.ts'
import { bundledProgram } from './bundled-program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MOST = 300_000

/** A Cluster of Cluster API that takes everything, and our own kinds; the namespaces `fleet` and `others`. */
export async function installFleet(kube: Kube): Promise<void> {
  await kube.createCrds([definition('cluster.x-k8s.io', 'Cluster')])
  await kube.installCrds([join(root, 'templates/crds')])
  await kube.createNamespaces(['fleet', 'others'])
}

function definition(group: string, kind: string): KubeObject {
  const plural = `${kind.toLowerCase()}s`
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1beta2',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
        },
      ],
    },
  }
}

/** The name of one of many clusters. */
export function clusterName(index: number): string {
  return `cluster-${String(index).padStart(4, '0')}`
}

/** A Cluster whose control plane is reached there. */
export function clusterAt(name: string, host: string): KubeObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace: 'fleet' },
    spec: { controlPlaneEndpoint: { host, port: 6443 } },
  }
}

/** Asks for the host of a cluster, in a ConfigMap of its name. */
export function hostOf(name: string): KubeObject {
  const from = { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RuntimeValues',
    metadata: { name, namespace: 'fleet' },
    spec: { clusterName: name, values: [{ name: 'HOST', from, type: 'host' }], publish: { configMap: name } },
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** How a workload cluster is reached: a port of this machine, and as whom; the administrator without. */
export interface WorkloadLogin {
  readonly port: number
  readonly token?: string
}

/** The kubeconfig Secret of a cluster that looks like a server of its own. */
export function kubeconfigSecret(
  { ca, adminCert, adminKey }: Kube,
  name: string,
  { port, token }: WorkloadLogin,
): KubeObject {
  const cluster = {
    server: `https://127.0.0.1:${String(port)}`,
    'certificate-authority-data': base64(`# ${name}\n${ca}`),
  }
  const admin = { 'client-certificate-data': base64(adminCert), 'client-key-data': base64(adminKey) }
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: token === undefined ? admin : { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${name}-kubeconfig`,
      namespace: 'fleet',
      labels: { 'cluster.x-k8s.io/cluster-name': name },
    },
    type: 'cluster.x-k8s.io/secret',
    data: { value: base64(text) },
  }
}

/** Asks for a Secret with a password in the namespace `others` of a cluster. */
export function loginOf(name: string): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RuntimeValues',
    metadata: { name, namespace: 'fleet' },
    spec: {
      clusterName: name,
      values: [],
      generators: [{ name: 'password', function: 'randAlphaNum', arguments: ['24'] }],
      secrets: [{ namespace: 'others', name, data: [{ key: 'password', generator: 'password', part: 'value' }] }],
      publish: { configMap: name },
    },
  }
}

/** @throws Error with the first refusal */
export async function applyAll(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const [refused] = refusals(await kube.apply(objects))
  if (refused !== undefined) throw new Error(refused)
}

/** @throws Error when it takes more than five minutes */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + MOST
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('nothing has happened for five minutes')
    await setTimeout(200)
  }
}

/** A controller that runs as a process, and is started again when it ends by itself, as a kubelet does. */
export interface ControllerProcess {
  /** The process that runs now. */
  readonly child: () => ChildProcess
  /** Exit statuses so far. */
  readonly ends: readonly (number | null)[]
  /** Lines of its log of a level; `none`: lines that are no log. */
  readonly lines: (level: 'error' | 'warn' | 'none') => readonly string[]
  readonly kill: () => void
}

/** How the program is started. */
interface ProcessOptions {
  /** Of this machine, where the server is reached. */
  readonly port: number
  readonly further?: readonly string[]
  /** Of whom it is to the server; the administrator without. */
  readonly token?: string
}

function kubeconfigOf({ url, ca }: Kube, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'a', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'a', user: { token } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  })
}

/** Starts the built program against a server, through a port of this machine. */
export async function startControllerProcess(
  kube: Kube,
  folder: string,
  { port, further = [], token }: ProcessOptions,
): Promise<ControllerProcess> {
  const kubeconfig = join(folder, 'kubeconfig')
  const server = `https://127.0.0.1:${String(port)}`
  const text = token === undefined ? await readFile(kube.kubeconfig, 'utf8') : kubeconfigOf(kube, token)
  await writeFile(kubeconfig, text.replace(kube.url, server), { mode: 0o600 })
  const options = ['--kubeconfig', kubeconfig, '--kind', 'RuntimeValues', '--lease-namespace', 'fleet', ...further]
  const words = [bundledProgram(), 'controller', 'run', ...options]
  const log: string[] = []
  const ends: (number | null)[] = []
  let isWanted = true
  const start = (): ChildProcess => {
    const started = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    started.stderr.setEncoding('utf8').on('data', (part: string) => log.push(part))
    started.on('exit', (status) => {
      if (!isWanted) return
      ends.push(status)
      child = start()
    })
    return started
  }
  let child = start()
  const isOf: Readonly<Record<'error' | 'warn' | 'none', (line: string) => boolean>> = {
    error: (line) => line.includes('"level":"error"'),
    warn: (line) => line.includes('"level":"warn"'),
    // its last words when it has lost the lease are for people
    none: (line) =>
      line !== '' &&
      !line.startsWith('{') &&
      !/CONTROLLER_FAILED|lease|^\s+(?:next|hint|docs|see)|^1 error/i.test(line),
  }
  return {
    child: () => child,
    ends,
    lines: (level) => log.join('').split('\n').filter(isOf[level]),
    kill: () => {
      isWanted = false
      child.kill('SIGKILL')
    },
  }
}
