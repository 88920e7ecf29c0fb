import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parse } from 'yaml'
import { argocdFolders } from '../argocd.ts'
import { freePorts, startChildServer, type ChildServer } from './child-server.ts'
import type { KubeClient, KubeObject, KubeReference } from './kube-client.ts'
import { fieldOf, refusals } from './kube-client.ts'

/** An Argo CD that runs, without its API server. */
export interface Argocd {
  /** What a component has said so far; of all of them without `name`. */
  readonly log: (name?: string) => string
  /** Kills all components at once. */
  readonly close: () => Promise<void>
}

/** How {@link startArgocd} starts. */
export interface ArgocdOptions {
  /** Merged into `argocd-cm`, as a user merges them: YAML. */
  readonly settings?: string
  /** More of the environment of every component, e.g. `ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT`. */
  readonly env?: Readonly<Record<string, string>>
}

/** The API server that Argo CD runs on. */
export type ArgocdTarget = Pick<KubeClient, 'apply' | 'createNamespaces' | 'get' | 'installCrds'> & {
  readonly kubeconfig: string
}

const namespace = 'argocd'
const readyWithin = 60_000

/**
 * True if Argo CD can be had. Tests skip themselves without it, saying so once; in CI they must not.
 * @throws Error in CI when it is missing
 */
export function hasArgocd(): boolean {
  if (argocdFolders() !== undefined) return true
  if (process.env['CI'] !== undefined)
    throw new Error('no Argo CD: tests on it cannot run; npx tsx tools/argocd.ts builds it')
  console.warn('SKIPPED, no Argo CD: tests on it; npx tsx tools/argocd.ts builds it')
  return false
}

/**
 * Starts the real Argo CD on an API server, in the namespace `argocd`: Redis, repo-server, application-controller and
 * applicationset-controller, with the settings that every installation starts with. `https://kubernetes.default.svc` is
 * that server. They see a commit within seconds, and die with this process; close them when done.
 */
export async function startArgocd(kube: ArgocdTarget, options: ArgocdOptions = {}): Promise<Argocd> {
  const built = argocdFolders()
  if (built === undefined) throw new Error('no Argo CD')
  await Promise.all([kube.installCrds([built.crds]), kube.createNamespaces([namespace])])
  await configure(kube, built.config, options.settings)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-argocd-')))
  const servers = new Map<string, ChildServer>()
  const close = async (): Promise<void> => {
    await Promise.all([...servers.values()].map((server) => server.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await mkdir(join(folder, 'tmp'))
    await mkdir(join(folder, 'bin'))
    // asked for each commit, also where nobody wants signatures: there is none
    await writeFile(join(folder, 'bin/git-verify-wrapper.sh'), '#!/bin/sh\n', { mode: 0o755 })
    const ports = await freePorts(8)
    const places = { ...built, folder, kubeconfig: kube.kubeconfig }
    for (const [name, args] of Object.entries(componentArgs(ports)))
      servers.set(
        name,
        startChildServer(join(built.programs, name), {
          args,
          logFile: join(folder, `${name}.log`),
          env: { ...environment(places), ...options.env },
        }),
      )
    await waitUntilReady(servers, ports)
  } catch (error) {
    await close()
    throw error
  }
  return {
    log: (name) =>
      [...servers].flatMap(([at, server]) => (name === undefined || name === at ? [server.log()] : [])).join('\n'),
    close,
  }
}

/** Names an Application in Argo CD's namespace. */
export function applicationReference(name: string): KubeReference {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace } }
}

/** Has Argo CD look at all Applications now, or at some, as its webhook does when it hears of a push. */
export async function refreshApplications(
  kube: Pick<KubeClient, 'list' | 'request'>,
  isMeant: (name: string) => boolean = () => true,
): Promise<void> {
  const applications = await kube.list('argoproj.io/v1alpha1', 'Application', namespace)
  const change = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } }
  await Promise.all(
    applications.map(async ({ metadata: { name } }) => {
      if (!isMeant(name)) return
      await kube.request(
        'PATCH',
        `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`,
        change,
        'application/merge-patch+json',
      )
    }),
  )
}

/** The Application that docs/18-argocd.md lets a user write, for a fleet of this name. */
export function rootApplication(name: string, repoURL: string): KubeObject {
  return {
    ...applicationReference(name),
    spec: {
      project: 'default',
      source: { repoURL, targetRevision: 'main', path: 'rendered/handoff' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'argocd' },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['ServerSideApply=true'] },
    },
  }
}

/** The AppProject that every installation starts with. */
export const defaultProject: KubeObject = {
  ...applicationReference('default'),
  kind: 'AppProject',
  spec: {
    sourceRepos: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
}

/** True if an Application says that this commit is compared, and what it asks for applied, without a sync under way. */
export function isApplicationSynced(application: KubeObject | undefined, revision: string): boolean {
  return (
    fieldOf(application, 'status.sync.status') === 'Synced' &&
    fieldOf(application, 'status.sync.revision') === revision &&
    fieldOf(application, 'operation') === undefined &&
    fieldOf(application, 'status.operationState.phase') !== 'Running'
  )
}

/** The Secret by which Argo CD knows a workload cluster, as docs/18-argocd.md describes it. */
export function clusterSecret(
  cluster: { readonly namespace: string; readonly name: string },
  workload: { readonly url: string; readonly ca: string; readonly adminCert: string; readonly adminKey: string },
  values: Readonly<Record<string, string>>,
): KubeObject {
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  const name = `${cluster.namespace}.${cluster.name}`
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: {
        'argocd.argoproj.io/secret-type': 'cluster',
        'stackmason.dev/cluster-namespace': cluster.namespace,
        'stackmason.dev/cluster-name': cluster.name,
      },
      annotations: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [`values.stackmason.dev/${key}`, value]),
      ),
    },
    stringData: {
      name,
      server: workload.url,
      config: JSON.stringify({
        tlsClientConfig: {
          caData: encode(workload.ca),
          certData: encode(workload.adminCert),
          keyData: encode(workload.adminKey),
        },
      }),
    },
  }
}

async function configure(kube: ArgocdTarget, config: string, settings: string | undefined): Promise<void> {
  const files = await Promise.all((await readdir(config)).map((name) => readFile(join(config, name), 'utf8')))
  const objects = files.map((text) => {
    const object = parse(text) as KubeObject
    // Argo CD's API server makes the key when there is none; the controllers only look whether it is there
    const key = object.kind === 'Secret' ? { stringData: { 'server.secretkey': 'for tests' } } : {}
    return { ...object, ...key, metadata: { ...object.metadata, namespace } }
  })
  const answers = await kube.apply(objects, { fieldManager: 'install' })
  const merged = settings === undefined ? [] : await kube.apply(settings, { fieldManager: 'user', force: false })
  const refused = refusals([...answers, ...merged])
  if (refused.length > 0) throw new Error(refused.join('\n'))
}

interface Places {
  readonly programs: string
  readonly folder: string
  readonly kubeconfig: string
}

function environment({ programs, folder, kubeconfig }: Places): Readonly<Record<string, string>> {
  return {
    KUBECONFIG: kubeconfig,
    // the name of the server inside of a cluster stands for the one of the kubeconfig
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    // the time after which it looks for a new commit, in all components
    ARGOCD_RECONCILIATION_TIMEOUT: '2s',
    ARGOCD_RECONCILIATION_JITTER: '0s',
    ARGOCD_SSH_DATA_PATH: folder,
    ARGOCD_TLS_DATA_PATH: folder,
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
    REPO_SERVER_PLAINTEXT: 'true',
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    PATH: [programs, join(folder, 'bin'), process.env['PATH'] ?? ''].join(':'),
  }
}

function componentArgs(ports: readonly number[]): Readonly<Record<string, readonly string[]>> {
  const [redis, repo, repoMetrics, controllerMetrics, setMetrics, setProbe, setWebhook] = ports.map(String)
  const at = (port = ''): string => `127.0.0.1:${port}`
  return {
    redis: ['--address', at(redis)],
    'argocd-repo-server': [
      '--address=127.0.0.1',
      `--port=${repo ?? ''}`,
      '--metrics-address=127.0.0.1',
      `--metrics-port=${repoMetrics ?? ''}`,
      `--redis=${at(redis)}`,
      '--disable-tls',
      '--client-ca-path=',
    ],
    'argocd-application-controller': [
      `--namespace=${namespace}`,
      `--repo-server=${at(repo)}`,
      '--repo-server-plaintext',
      `--redis=${at(redis)}`,
      `--metrics-port=${controllerMetrics ?? ''}`,
      '--logformat=text',
    ],
    'argocd-applicationset-controller': [
      `--namespace=${namespace}`,
      `--argocd-repo-server=${at(repo)}`,
      '--repo-server-plaintext',
      `--metrics-addr=${at(setMetrics)}`,
      `--probe-addr=${at(setProbe)}`,
      `--webhook-addr=${at(setWebhook)}`,
      '--logformat=text',
    ],
  }
}

async function waitUntilReady(servers: ReadonlyMap<string, ChildServer>, ports: readonly number[]): Promise<void> {
  const [, , repoMetrics = 0, controllerMetrics = 0] = ports
  const end = performance.now() + readyWithin
  const probes = [`${repoMetrics}/healthz`, `${controllerMetrics}/healthz`]
  for (;;) {
    const answers = await Promise.all(probes.map((probe) => fetch(`http://127.0.0.1:${probe}`).catch(() => undefined)))
    // the one without a probe
    const sets = servers.get('argocd-applicationset-controller')?.log() ?? ''
    if (answers.every((answer) => answer?.status === 200) && sets.includes('Starting workers')) return
    const dead = [...servers].find(([, server]) => server.status() !== undefined)
    if (dead !== undefined || performance.now() > end) {
      const logs = [...servers].map(([name, server]) => `${name}:\n${server.log().slice(-2000)}`)
      throw new Error(`${dead?.[0] ?? 'Argo CD'} did not start:\n${logs.join('\n---\n')}`)
    }
    await setTimeout(100)
  }
}
