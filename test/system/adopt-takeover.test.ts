import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { kubeBinaries } from '../../tools/kube.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { operatorPlace } from '../pipeline/operator-export.ts'
import {
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Artifact,
  type Flux,
} from '../../tools/servers/flux.ts'
import {
  fieldOf,
  refusals,
  type KubeObject,
  type KubeReference,
  type KubeResult,
} from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

/**
 * The steps of docs/20-moving-from-cso.md on a real API server, with the real tool and the real garbage collector. The
 * objects have the shape in which a real Cluster Stack Operator and a real Cluster API left them: who applied what,
 * finalizers, owners. One test goes on where the one before it ended.
 */
describe.runIf(hasKube('controllerManager', 'kustomizeController'))('moving from the operator', () => {
  const folder = tempFolderForFile()
  const fleet = join(folder, 'fleet')
  let kube: Kube
  let flux: Flux | undefined
  /** What runs, management cluster and workload clusters in one. */
  let running: readonly KubeObject[] = []
  let created: readonly KubeObject[] = []

  beforeAll(async () => {
    kube = await startKube({ controllerManager: true })
    const place = await operatorPlace(folder)
    const managed = itemsOf(await readFile(place.management, 'utf8'))
    const applied = new Map<string, readonly KubeObject[]>()
    for (const [where, file] of place.applied) {
      const objects = itemsOf(await readFile(file, 'utf8'))
      // the Clusters are people's
      applied.set(
        where,
        objects.filter(({ kind }) => kind !== 'Cluster'),
      )
    }
    const all = [...managed, ...[...applied.values()].flat()]
    accepted(await kube.apply(definitionsOf(all)))
    await kube.createNamespaces(['flux-system', 'platform', 'team-a', 'team-b'])
    // owners first
    created = managed
    for (const kind of ['ClusterStack', 'Cluster', 'ClusterStackRelease', 'ClusterAddon'])
      for (const object of managed.filter((one) => one.kind === kind))
        await create(object, kind === 'ClusterStack' || kind === 'Cluster' ? undefined : 'manager')
    for (const objects of applied.values()) accepted(await kube.apply(objects, { fieldManager: 'kubectl' }))
    await ownTemplates([...applied.values()].flat())
    for (const [namespace, name] of [
      ['team-a', 'web-kubeconfig'],
      ['team-b', 'batch-kubeconfig'],
    ] as const)
      await create(
        { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData: { value: kube.kubeconfigText } },
        'capi',
      )
    running = [...managed.filter(({ kind }) => kind === 'Cluster'), ...[...applied.values()].flat()]
    flux = await startKustomizeController(kube)
    await adopt(managed)
    await writeExports(applied)
  }, 240_000)
  afterAll(async () => {
    await flux?.close()
    await kube.close()
  })

  /**
   * Writes without server-side apply: people by kubectl, Cluster API what it adds to a Cluster, the operator what is
   * its own.
   */
  async function create(object: KubeObject, manager = 'kubectl-client-side-apply'): Promise<void> {
    const { metadata, ...rest } = object
    const { finalizers, ...plain } = metadata
    const { controlPlaneRef, infrastructureRef, ...spec } = Object(object['spec'])
    const isCluster = object.kind === 'Cluster'
    const owners = await Promise.all(listAt(object, 'metadata.ownerReferences').map(withIdentity))
    const first = isCluster
      ? { ...rest, metadata: plain, spec }
      : { ...object, metadata: { ...metadata, ownerReferences: owners } }
    const path = collectionOf(object)
    const made = await kube.request('POST', `${path}?fieldManager=${manager}`, first)
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    if (!isCluster) return
    const added = { metadata: { finalizers }, spec: { controlPlaneRef, infrastructureRef } }
    const one = `${path}/${metadata.name}?fieldManager=capi`
    expect((await kube.request('PATCH', one, added, 'application/merge-patch+json')).status).toBe(200)
  }

  /** The reference to an owner that is there, with the identity that the server gave it. */
  async function withIdentity(owner: unknown): Promise<unknown> {
    const { kind, name } = Object(owner) as Readonly<Record<string, string>>
    const owners = created.filter((object) => object.kind === kind && object.metadata.name === name)
    const [live] = await Promise.all(owners.map((object) => kube.get(object)))
    if (live === undefined) return owner
    return { apiVersion: live.apiVersion, kind, name, uid: live.metadata['uid'] }
  }

  /** Cluster API makes a class the owner of its templates. */
  async function ownTemplates(objects: readonly KubeObject[]): Promise<void> {
    const name = 'docker-demo-1-34-v3'
    const found = objects.find((object) => object.kind === 'ClusterClass' && object.metadata.name === name)
    if (found === undefined) throw new Error('no class')
    const { apiVersion, kind } = found
    const uid = fieldOf(await kube.get(found), 'metadata.uid')
    const templates = objects.filter(
      (object) => object.kind.endsWith('Template') && object.metadata.name.startsWith(name),
    )
    expect(templates.length).toBeGreaterThan(1)
    const owned = templates.map((template) => ({
      apiVersion: template.apiVersion,
      kind: template.kind,
      metadata: { ...template.metadata, labels: {}, ownerReferences: [{ apiVersion, kind, name, uid }] },
    }))
    accepted(await kube.apply(owned, { fieldManager: 'capi' }))
  }

  /** Steps 1 and 2. */
  async function adopt(managed: readonly KubeObject[]): Promise<void> {
    await writeList('export.json', managed)
    await succeed(['adopt', '../export.json', '--out', '.', '--directory', '../releases'])
    const config = await readFile(join(fleet, 'stackmason.yaml'), 'utf8')
    const source = '{kind: GitRepository, name: fleet, namespace: flux-system}'
    await write('stackmason.yaml', config.replace('spec:\n', `spec:\n  handoff:\n    flux: {source: ${source}}\n`))
    for (const cluster of ['team-a/web', 'team-b/batch'])
      await write(
        `clusters/${cluster}/options.yaml`,
        'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {suspend: true}\n',
      )
    await succeed(['render', '-q'])
  }

  let words: readonly string[] = []
  let places: ReadonlyMap<string, readonly KubeObject[]> = new Map()

  /** Step 3: what runs, as kubectl would write it. */
  async function writeExports(applied: ReadonlyMap<string, readonly KubeObject[]>): Promise<void> {
    places = new Map(
      [...applied].map(([where, objects]) => [
        where,
        where === '' ? [...objects, ...running.filter(({ kind }) => kind === 'Cluster')] : objects,
      ]),
    )
    words = ['adopt']
    for (const [where, objects] of places) {
      const file = `live-${where.replace('/', '-')}.json`
      await writeList(file, objects)
      words = [...words, '--compare', where === '' ? `../${file}` : `${where}=../${file}`]
    }
  }

  async function writeList(file: string, objects: readonly KubeReference[]): Promise<void> {
    const items = await Promise.all(objects.map((object) => kube.get(object)))
    expect(items).not.toContain(undefined)
    await writeFile(join(folder, file), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(fleet, path)), { recursive: true })
    await writeFile(join(fleet, path), text)
  }

  async function succeed(command: readonly string[]): Promise<void> {
    await mkdir(fleet, { recursive: true })
    const { status, stderr } = await runCli(command, { cwd: fleet })
    if (status !== 0) throw new Error(stderr)
  }

  async function compare(): Promise<{ readonly status: number; readonly lines: readonly string[] }> {
    await writeExports(
      new Map([...places].map(([where, all]) => [where, all.filter(({ kind }) => kind !== 'Cluster')])),
    )
    const { status, stdout, stderr } = await runCli(words, { cwd: fleet })
    expect(stderr).not.toContain('error')
    return { status, lines: stdout.split('\n').filter((line) => line.includes('would')) }
  }

  async function publish(): Promise<Artifact> {
    await succeed(['render', '-q'])
    const tree = join(folder, 'published')
    await cp(join(fleet, 'rendered'), join(tree, 'rendered'), { recursive: true, force: true })
    const artifact = await started(flux).publish(
      { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' },
      tree,
    )
    await kube.apply([bootstrap])
    return artifact
  }

  /** Everything that would restart, roll out or lose something, if it changed. */
  async function state(): Promise<readonly unknown[]> {
    const found = await Promise.all(running.map((object) => kube.get(object)))
    return found.map((object) => {
      const { metadata, ...content } = without(Object(object), 'status')
      const { name, uid, finalizers, ownerReferences, deletionTimestamp } = Object(metadata)
      // that of a Deployment counts annotations, too, and Flux's own are new (registry/apps/deployment/strategy.go)
      const generation = object?.kind === 'Deployment' ? undefined : Object(metadata).generation
      return { name, uid, generation, finalizers, ownerReferences, deletionTimestamp, content }
    })
  }

  async function managersOf(kinds: RegExp): Promise<readonly string[]> {
    const found = await Promise.all(running.filter(({ kind }) => kinds.test(kind)).map((object) => kube.get(object)))
    const entries = found.flatMap(
      (object) => Object(fieldOf(object, 'metadata.managedFields')) as readonly KubeObject[],
    )
    return [...new Set(entries.map((entry) => String(entry['manager'])))].sort()
  }

  async function isReady(unit: KubeReference, { revision }: Artifact): Promise<void> {
    await waitFor(kube, unit, { until: (object) => isKustomizationReady(object, revision), timeout: 60_000 })
  }

  test('nothing would change, and what kubectl set beside is named', async () => {
    expect(await compare()).toEqual({
      status: 0,
      lines: [
        'management cluster: 12 objects compared, nothing would change',
        'team-a/web: 8 objects compared, nothing would change',
        'team-b/batch: 1 object compared, nothing would change',
      ],
    })
    const daemons = running.find(({ kind }) => kind === 'DaemonSet')
    if (daemons === undefined) throw new Error('no DaemonSet')
    const { name, namespace } = daemons.metadata
    const path = `/apis/apps/v1/namespaces/${String(namespace)}/daemonsets/${name}?fieldManager=kubectl-rollout`
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' }
    const body = { spec: { template: { metadata: { annotations } } } }
    expect((await kube.request('PATCH', path, body, 'application/merge-patch+json')).status).toBe(200)
    const { status, lines } = await compare()
    expect({ status, lines: lines.slice(1, -1) }).toEqual({
      status: 1,
      lines: [
        'team-a/web: 8 objects compared, 1 object would change',
        '    spec.template.metadata.annotations."kubectl.kubernetes.io/restartedAt" is set by kubectl-rollout, and not rendered: with Flux it would be removed, which restarts the pods',
      ],
    })
    const patch = { target: { kind: 'DaemonSet', name }, mergePatch: body }
    const document = { apiVersion: 'stackmason.dev/v1alpha1', kind: 'Patch', spec: patch }
    await write('clusters/team-a/web/patches/restarted.yaml', JSON.stringify(document))
    await succeed(['render', '-q'])
    expect((await compare()).status).toBe(0)
  }, 60_000)

  test('the engine takes over classes first, then clusters, and nothing is new but who applies', async () => {
    const before = await state()
    const first = await publish()
    for (const name of ['stack-docker-demo-1-34-v3', 'stack-docker-classic-1-33-v1'])
      await isReady(kustomizationReference('platform', name), first)
    expect(await state()).toEqual(before)
    expect(await managersOf(/ClusterClass|Template/)).toEqual(['capi', 'kustomize-controller'])
    expect(await managersOf(/DaemonSet|Deployment/)).toEqual(['kubectl', 'kubectl-rollout'])
    for (const cluster of ['team-a/web', 'team-b/batch']) {
      const options = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {suspend: false}\n'
      await write(`clusters/${cluster}/options.yaml`, options)
    }
    await publish()
    await waitUntil(async () => !(await managersOf(/./)).some((manager) => manager.startsWith('kubectl')))
    expect(await state()).toEqual(before)
  }, 120_000)

  test('deleting what the operator kept, as the docs say, takes nothing along', async () => {
    // nobody else makes such a reference: it shows that orphaning saves even what hangs on a release
    const [release] = await kube.list('clusterstack.x-k8s.io/v1alpha1', 'ClusterStackRelease', 'platform')
    const owner = {
      apiVersion: release?.apiVersion,
      kind: release?.kind,
      name: release?.metadata.name,
      uid: release?.metadata['uid'],
    }
    const witness = (name: string, ownerReferences: readonly unknown[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'platform', ownerReferences },
    })
    const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '0b1f5e9e-6c0a-4d0f-9d0e-2f1f0a1c2b3d' }
    await create(witness('orphan', [owner]))
    await create(witness('garbage', [gone]))
    const before = await state()
    const page = await readFile(join(packageFolder, 'docs/20-moving-from-cso.md'), 'utf8')
    const [, script = ''] = /```sh\n(for kind in clusteraddons [^]*?)```/.exec(page) ?? []
    expect(script).toContain('--cascade=orphan')
    const path = `${dirname(kubeBinaries()?.kubectl ?? '')}:${String(process.env['PATH'])}`
    const env = { ...process.env, PATH: path, KUBECONFIG: kube.kubeconfig }
    execFileSync('bash', ['-c', script], { env, stdio: ['ignore', 'ignore', 'ignore'] })
    for (const kind of ['ClusterStack', 'ClusterStackRelease', 'ClusterAddon'])
      expect(await kube.list('clusterstack.x-k8s.io/v1alpha1', kind)).toEqual([])
    // the collector is at work
    await waitUntil(async () => (await kube.get(witness('garbage', []))) === undefined)
    expect(await kube.get(witness('orphan', []))).toBeDefined()
    expect(await state()).toEqual(before)
  }, 120_000)
})

const bootstrap: KubeObject = {
  ...kustomizationReference('flux-system', 'fleet'),
  spec: {
    interval: '1h',
    path: './rendered/handoff',
    prune: true,
    deletionPolicy: 'Orphan',
    sourceRef: { kind: 'GitRepository', name: 'fleet' },
  },
}

function itemsOf(list: string): readonly KubeObject[] {
  return (Object(parse(list)) as { readonly items: readonly KubeObject[] }).items.map(asWritten)
}

function listAt(object: unknown, path: string): readonly unknown[] {
  const list = fieldOf(object, path)
  return Array.isArray(list) ? list : []
}

function collectionOf({ apiVersion, kind, metadata }: KubeReference): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${group}/namespaces/${String(metadata.namespace)}/${kind.toLowerCase()}s`
}

/** Without what a server writes. */
function asWritten(object: KubeObject): KubeObject {
  const written = ['name', 'namespace', 'labels', 'annotations', 'finalizers', 'ownerReferences']
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => written.includes(key)))
  return { ...without(object, 'status'), metadata } as KubeObject
}

function without(object: Readonly<Record<string, unknown>>, field: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== field))
}

function accepted(results: readonly KubeResult[]): void {
  const [refusal] = refusals(results)
  if (refusal !== undefined) throw new Error(refusal)
}

/**
 * Definitions of the kinds that no API server brings, without schemas: the shape of their owners and managers is what
 * counts.
 */
function definitionsOf(objects: readonly KubeObject[]): readonly KubeObject[] {
  const kinds = new Map<string, Set<string>>()
  for (const { apiVersion, kind } of objects) {
    const [group = '', version = ''] = apiVersion.split('/')
    if (!/\.(?:x-k8s|cluster\.x-k8s)\.io$/.test(group)) continue
    kinds.set(`${group}/${kind}`, new Set([...(kinds.get(`${group}/${kind}`) ?? []), version]))
  }
  return [...kinds].map(([key, versions]) => {
    const [group = '', kind = ''] = key.split('/')
    const singular = kind.toLowerCase()
    const plural = singular.endsWith('s') ? `${singular}es` : `${singular}s`
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { kind, listKind: `${kind}List`, plural, singular },
        scope: 'Namespaced',
        versions: [...versions].map((name, index) => ({ name, served: true, storage: index === 0, schema })),
      },
    }
  })
}

function started(flux: Flux | undefined): Flux {
  if (flux === undefined) throw new Error('no engine')
  return flux
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); await setTimeout(200)) if (++tries > 300) throw new Error('it did not happen')
}
