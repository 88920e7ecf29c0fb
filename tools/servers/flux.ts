import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { writeTar, type TarFile } from '../../src/codec/bytes/tar.ts'
import { kubeBinaries } from '../kube.ts'
import { freePorts, startChildServer, type ChildServer } from './child-server.ts'
import type { KubeClient, KubeObject, KubeReference } from './kube-client.ts'
import { fieldOf } from './kube-client.ts'
import { startWebServer, type WebServer } from './web-server.ts'

/** What a source offers: a folder, or text by path. */
export type ArtifactContent = string | Readonly<Record<string, string>>

/** Content as the controller fetches it. */
export interface Artifact {
  readonly url: string
  readonly digest: string
  readonly revision: string
  readonly size: number
}

/** A source of Flux; of the kind GitRepository without `kind`. */
export interface SourceName {
  readonly kind?: 'GitRepository' | 'OCIRepository' | 'Bucket' | 'ExternalArtifact'
  readonly name: string
  readonly namespace: string
}

/** A kustomize-controller that runs, and the sources that it reads. */
export interface Flux {
  /**
   * Serves content and writes the source with an artifact that leads there, as source-controller would have after a
   * fetch; once more for new content. Without `revision` it follows from the content.
   */
  readonly publish: (source: SourceName, content: ArtifactContent, revision?: string) => Promise<Artifact>
  /** Asks for a reconciliation now. */
  readonly reconcile: (kustomization: KubeReference) => Promise<void>
  readonly log: () => string
  /** Kills the controller at once. */
  readonly close: () => Promise<void>
}

/** How {@link startKustomizeController} starts. */
export interface FluxOptions {
  /** More flags, e.g. `--no-cross-namespace-refs=true`. */
  readonly args?: readonly string[]
  /** Over the defaults: strict substitution, as in Flux 2.9, and external artifacts. */
  readonly featureGates?: Readonly<Record<string, boolean>>
}

/** The API server that a controller works on. */
export type FluxTarget = Pick<KubeClient, 'apply' | 'applyStatus' | 'get' | 'installCrds' | 'request'> & {
  readonly kubeconfig: string
}

const sourceGroup = 'source.toolkit.fluxcd.io'
const sourceKinds = ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact'] as const
const kustomizeVersion = 'kustomize.toolkit.fluxcd.io/v1'
const defaultGates = { StrictPostBuildSubstitutions: true, ExternalArtifact: true }
const readyWithin = 60_000

/**
 * Starts the real kustomize-controller on an API server, with custom resource definitions for those of its kinds that
 * the server does not have yet. There is no source-controller: {@link Flux.publish} plays its part. It dies with this
 * process; close it when done.
 */
export async function startKustomizeController(kube: FluxTarget, options: FluxOptions = {}): Promise<Flux> {
  const { kustomizeController, fluxCrds } = kubeBinaries() ?? {}
  if (kustomizeController === undefined || fluxCrds === undefined) throw new Error('no kustomize-controller')
  await installMissingCrds(kube, fluxCrds)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-flux-')))
  const artifacts = new Map<string, Uint8Array>()
  const web = await startWebServer(({ path }) => {
    const body = artifacts.get(path)
    return body === undefined ? undefined : { body }
  })
  const [healthPort = 0] = await freePorts(1)
  // what it unpacks goes with the folder
  await mkdir(join(folder, 'tmp'))
  const controller = startChildServer(kustomizeController, {
    args: [...controllerArgs(healthPort, options.featureGates), ...(options.args ?? [])],
    logFile: join(folder, 'kustomize-controller.log'),
    env: { KUBECONFIG: kube.kubeconfig, RUNTIME_NAMESPACE: 'flux-system', TMPDIR: join(folder, 'tmp') },
  })
  const close = async (): Promise<void> => {
    await controller.kill()
    await web.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await waitUntilReady(controller, healthPort)
  } catch (error) {
    await close()
    throw error
  }
  return {
    publish: async (source, content, revision) => {
      const artifact = await serve(content, { web, artifacts, revision })
      await writeSource(kube, { source, artifact })
      return artifact
    },
    reconcile: async ({ apiVersion, kind, metadata: { name, namespace } }) => {
      const annotations = { 'reconcile.fluxcd.io/requestedAt': new Date().toISOString() }
      const metadata = { name, ...(namespace !== undefined && { namespace }), annotations }
      await kube.apply([{ apiVersion, kind, metadata }], { fieldManager: 'test-reconcile' })
    },
    log: controller.log,
    close,
  }
}

/** Names a Kustomization of Flux. */
export function kustomizationReference(namespace: string, name: string): KubeReference {
  return { apiVersion: kustomizeVersion, kind: 'Kustomization', metadata: { name, namespace } }
}

/** True if a Kustomization says that its newest state, of this revision when it is given, is applied and healthy. */
export function isKustomizationReady(kustomization: KubeObject | undefined, revision?: string): boolean {
  return (
    readinessOf(kustomization) === 'True' &&
    fieldOf(kustomization, 'status.observedGeneration') === fieldOf(kustomization, 'metadata.generation') &&
    (revision === undefined || fieldOf(kustomization, 'status.lastAppliedRevision') === revision)
  )
}

/** The message of a Kustomization that says, of its newest state, that it failed; undefined otherwise. */
export function failureOf(kustomization: KubeObject | undefined): string | undefined {
  const ready = readyCondition(kustomization)
  const isCurrent = fieldOf(ready, 'observedGeneration') === fieldOf(kustomization, 'metadata.generation')
  return fieldOf(ready, 'status') === 'False' && isCurrent ? String(fieldOf(ready, 'message')) : undefined
}

/**
 * Waits until an object is as wanted, and returns it; `undefined` stands for one that does not exist.
 * @throws Error with the object's status, when it is not in time: 50 s without `timeout` (in milliseconds)
 */
export async function waitFor(
  kube: Pick<KubeClient, 'get'>,
  reference: KubeReference,
  { until, timeout }: { readonly until: (object: KubeObject | undefined) => boolean; readonly timeout?: number },
): Promise<KubeObject | undefined> {
  const end = performance.now() + (timeout ?? 50_000)
  for (;;) {
    const object = await kube.get(reference)
    if (until(object)) return object
    if (performance.now() > end) {
      const state = object === undefined ? 'absent' : JSON.stringify(object['status'] ?? object, undefined, 2)
      throw new Error(`${reference.kind} ${reference.metadata.name} is not as wanted: ${state}`)
    }
    await setTimeout(250)
  }
}

async function installMissingCrds(kube: FluxTarget, folder: string): Promise<void> {
  const crdOf = (name: string): KubeReference => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
  })
  const missing: KubeObject[] = []
  for (const kind of sourceKinds) {
    const crd = sourceCrd(kind)
    if ((await kube.get(crd)) === undefined) missing.push(crd)
  }
  const results = await kube.apply(missing)
  const refused = results.find(({ ok }) => !ok)
  if (refused !== undefined) throw new Error(refused.message)
  if ((await kube.get(crdOf('kustomizations.kustomize.toolkit.fluxcd.io'))) === undefined) {
    await kube.installCrds([folder])
  }
}

/** Without a schema: it takes whatever source-controller's own would, and more. */
function sourceCrd(kind: (typeof sourceKinds)[number]): KubeObject {
  const plural = kind.endsWith('y') ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${sourceGroup}` },
    spec: {
      group: sourceGroup,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
      ],
    },
  }
}

function controllerArgs(healthPort: number, gates: FluxOptions['featureGates']): readonly string[] {
  const enabled = Object.entries({ ...defaultGates, ...gates }).map(([name, value]) => `${name}=${String(value)}`)
  return [
    '--watch-all-namespaces=true',
    '--enable-leader-election=false',
    '--metrics-addr=0',
    `--health-addr=127.0.0.1:${String(healthPort)}`,
    '--log-level=info',
    '--requeue-dependency=1s',
    '--http-retry=1',
    '--no-remote-bases=true',
    `--feature-gates=${enabled.join(',')}`,
  ]
}

async function waitUntilReady(controller: ChildServer, port: number): Promise<void> {
  const end = performance.now() + readyWithin
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/readyz`).catch(() => undefined)
    // the probe says that the process is up, the line that it has seen all objects
    if (answer?.status === 200 && controller.log().includes('Starting workers')) return
    if (controller.status() !== undefined || performance.now() > end) {
      throw new Error(`kustomize-controller did not start:\n${controller.log().slice(-4000)}`)
    }
    await setTimeout(100)
  }
}

interface Serving {
  readonly web: WebServer
  readonly artifacts: Map<string, Uint8Array>
  readonly revision: string | undefined
}

async function serve(content: ArtifactContent, { web, artifacts, revision }: Serving): Promise<Artifact> {
  const files = typeof content === 'string' ? await readFiles(content) : textFiles(content)
  const bytes = gzipSync(writeTar(files))
  const hash = createHash('sha256').update(bytes).digest('hex')
  const path = `/${hash}.tar.gz`
  artifacts.set(path, bytes)
  return {
    url: `${web.url}${path}`,
    digest: `sha256:${hash}`,
    revision: revision ?? `main@sha1:${hash.slice(0, 40)}`,
    size: bytes.length,
  }
}

function textFiles(content: Readonly<Record<string, string>>): readonly TarFile[] {
  return Object.entries(content).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }))
}

async function readFiles(folder: string): Promise<readonly TarFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.sort().map(async (path) => ({ path: path.slice(folder.length + 1), bytes: await readFile(path) })),
  )
}

async function writeSource(
  kube: FluxTarget,
  { source, artifact }: { readonly source: SourceName; readonly artifact: Artifact },
): Promise<void> {
  const { kind = 'GitRepository', name, namespace } = source
  const object = { apiVersion: `${sourceGroup}/v1`, kind, metadata: { name, namespace } }
  // one that came with the tree keeps its own spec
  if ((await kube.get(object)) === undefined) {
    const [result] = await kube.apply([{ ...object, spec: sourceSpec(kind) }], { fieldManager: 'test-source' })
    if (result?.ok !== true) throw new Error(result?.message)
  }
  const generation = fieldOf(await kube.get(object), 'metadata.generation')
  const now = new Date().toISOString()
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: 'stored artifact',
    lastTransitionTime: now,
  }
  await kube.applyStatus({
    ...object,
    status: {
      // the one kind that has none
      ...(kind !== 'ExternalArtifact' && { observedGeneration: generation }),
      artifact: { ...artifact, path: artifact.url.slice(artifact.url.lastIndexOf('/') + 1), lastUpdateTime: now },
      conditions: [{ ...ready, observedGeneration: generation }],
    },
  })
}

/** What the real definitions want, should they be installed. */
function sourceSpec(kind: NonNullable<SourceName['kind']>): unknown {
  if (kind === 'ExternalArtifact') return {}
  if (kind === 'Bucket') return { interval: '1h', bucketName: 'test', endpoint: '127.0.0.1' }
  return { interval: '1h', url: kind === 'GitRepository' ? 'https://127.0.0.1/test' : 'oci://127.0.0.1/test' }
}

function readyCondition(object: KubeObject | undefined): unknown {
  const conditions = fieldOf(object, 'status.conditions')
  return Array.isArray(conditions)
    ? conditions.find((condition: unknown) => fieldOf(condition, 'type') === 'Ready')
    : undefined
}

function readinessOf(object: KubeObject | undefined): unknown {
  return fieldOf(readyCondition(object), 'status')
}
