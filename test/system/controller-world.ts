import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { createLog } from '../../src/controller/log.ts'
import type { ControllerOptions } from '../../src/controller/controller-options.ts'
import { runController } from '../../src/controller/run-controller.ts'
import { workedKinds } from '../../src/controller/worked-kinds.ts'
import { HttpError } from '../../src/model/http.ts'
import type { ConnectionRequest, ServerConnection } from '../../src/model/server-connection.ts'
import { openConnection } from '../../src/system/node-connection.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, type KubeObject } from '../../tools/servers/kube-client.ts'
import type { Kube } from '../../tools/servers/kube.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { controllerOptions } from '../support/controller-options.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

/** A definition of a kind that takes everything, as of a provider of Cluster API. */
interface OpenKind {
  readonly group: string
  readonly kind: string
  readonly versions: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
}

/** The definition of a kind whose spec and status hold anything. */
export function definition({ group, kind, versions, labels = {} }: OpenKind): KubeObject {
  const plural = `${kind.toLowerCase()}s`
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      })),
    },
  }
}

/** Clusters and infrastructure as a test needs them, and our own kinds. */
export async function installKinds(kube: Kube): Promise<void> {
  const folder = join(tempFolderForFile(), 'crds')
  await mkdir(folder)
  const kinds = [
    definition({ group: 'cluster.x-k8s.io', kind: 'Cluster', versions: ['v1beta2', 'v1beta1'] }),
    definition({
      group: 'infrastructure.cluster.x-k8s.io',
      kind: 'TestCluster',
      versions: ['v1beta9', 'v1alpha7', 'v1alpha6'],
      // the version that the server prefers keeps to a contract that nobody knows
      labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha6_v1alpha7' },
    }),
    definition({ group: 'controlplane.cluster.x-k8s.io', kind: 'TestControlPlane', versions: ['v1beta2'] }),
  ]
  await writeFile(join(folder, 'kinds.yaml'), kinds.map((kind) => JSON.stringify(kind)).join('\n---\n'))
  await kube.installCrds([folder, join(packageFolder, 'templates/crds')])
  // a kind that the server tells of may still not be listed
  for (const kind of workedKinds) {
    await vi.waitFor(async () => kube.list('stackmason.dev/v1alpha1', kind), { timeout: 30_000 })
  }
}

/** A controller that runs in this process. */
export interface RunningController {
  readonly log: readonly string[]
  readonly stop: () => Promise<void>
  /** Requests so far that are no watches, to the management cluster and others. */
  readonly requests: () => number
}

/** What happens to the requests of a controller. */
export interface Fate {
  /** After so many requests it is as good as killed: the last of them arrives, its answer does not, and nothing more is sent. */
  readonly lives?: number
  /** Happens right before each request. */
  readonly before?: (request: ConnectionRequest) => Promise<void>
  /** Of the service account as which it runs, instead of the administrator. */
  readonly token?: string
}

/** Starts one in this process. */
export async function startController(
  kube: Kube,
  options: Partial<ControllerOptions> = {},
  { lives = Infinity, before, token }: Fate = {},
): Promise<RunningController> {
  const { clock, random, crypto, keys, listener, metrics, kube: connector } = createNodePorts()
  const opened = await openConnection(
    {
      url: kube.url,
      certificateAuthorities: kube.ca,
      ...(token === undefined
        ? { clientCertificate: { cert: kube.adminCert, key: kube.adminKey } }
        : { authorize: async () => new Map([['authorization', `Bearer ${token}`]]) }),
    },
    { get: () => undefined },
  )
  let requests = 0
  const watched = (inner: ServerConnection): ServerConnection => ({
    ...inner,
    exchange: async (request, signal) => {
      if (requests >= lives) throw new HttpError('reset', 'killed')
      requests += 1
      const isLast = requests === lives
      await before?.(request)
      const answer = await inner.exchange(request, signal)
      if (isLast) throw new HttpError('reset', 'killed')
      return answer
    },
    reopen: async () => watched(await inner.reopen()),
  })
  const connection = watched(opened)
  const log: string[] = []
  const stopped = new AbortController()
  const run = runController(
    controllerOptions(options),
    {
      connection,
      kube: { connect: async (access) => watched(await connector.connect(access)) },
      listener,
      metrics,
      clock,
      random,
      crypto,
      keys,
      log: createLog('debug', clock, (line) => log.push(line)),
    },
    stopped.signal,
  )
  return {
    log,
    requests: () => requests,
    stop: async () => {
      stopped.abort()
      await run
      await connection.close()
    },
  }
}

/** What an operator reads of an object at level info: lines without times, as `level message {"field":"value"}`. */
export function toldOf({ log }: Pick<RunningController, 'log'>, key: string): readonly string[] {
  return log.flatMap((line) => {
    const parsed: unknown = JSON.parse(line)
    const {
      level,
      time: _,
      since: __,
      msg,
      kind,
      key: of,
      ...fields
    } = Object.fromEntries(Object.entries(Object(parsed)))
    if (of !== key || level === 'debug') return []
    return [[level, kind, msg, ...(Object.keys(fields).length === 0 ? [] : [JSON.stringify(fields)])].join(' ')]
  })
}

/** What is asked of a cluster's values. */
export function runtimeValues(name: string, spec: object, namespace: string = 'team-a'): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RuntimeValues',
    metadata: { name, namespace },
    spec: { clusterName: name, ...spec },
  }
}

/** A Cluster; `v1beta2` names what belongs to it without versions. */
export function cluster(name: string, spec: object, version: 'v1beta1' | 'v1beta2' = 'v1beta2'): KubeObject {
  return { apiVersion: `cluster.x-k8s.io/${version}`, kind: 'Cluster', metadata: { name, namespace: 'team-a' }, spec }
}

/** Names the ConfigMap of values. */
export function valuesMap(name: string, namespace: string = 'team-a'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }
}

/** Conditions as lines: `Ready=True Succeeded: message`. */
export function conditionsOf(object: KubeObject | undefined): readonly string[] {
  const conditions = fieldOf(object, 'status.conditions')
  return Array.isArray(conditions)
    ? conditions.map((condition) =>
        ['type', 'status', 'reason', 'message']
          .map((field) => String(fieldOf(condition, field)))
          .join('|')
          .replace('|', '=')
          .replace('|', ' ')
          .replace('|', ': '),
      )
    : []
}

/** Waits until the first condition begins so, for what is asked now. */
export async function readyIs(kube: Kube, object: KubeObject, start: string): Promise<KubeObject> {
  const found = await waitFor(kube, object, {
    until: (seen) =>
      conditionsOf(seen)[0]?.startsWith(start) === true &&
      fieldOf(seen, 'status.observedGeneration') === fieldOf(seen, 'metadata.generation'),
  })
  expect(found).toBeDefined()
  return found ?? object
}
