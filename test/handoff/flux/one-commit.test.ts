import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  failureOf,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Artifact,
  type Flux,
} from '../../../tools/servers/flux.ts'
import { fieldOf, refusals, type KubeObject, type KubeReference } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'

/** What one commit holds of a cluster, and how the cluster's unit is tied to that of its addons. */
interface Commit {
  readonly release: string
  readonly replicas?: number
  readonly addons?: 'broken'
  readonly dependsOn?: 'nothing' | 'addons' | 'label' | 'path'
}

/** A unit whose turn does not come: the controller is told to watch all but these. */
const holdLabel = 'test-hold'
const isReady =
  "dep.status.observedGeneration == dep.metadata.generation && dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"
/** A new cluster has addons that were never applied. */
const orNew = (expression: string): string => `!has(dep.status.lastAppliedRevision) || (${expression} && ${isReady})`

function dependency({ dependsOn = 'nothing', release }: Commit): readonly unknown[] {
  const name = 'web-addons'
  if (dependsOn === 'nothing') return []
  if (dependsOn === 'addons') return [{ name }]
  const sameRelease =
    dependsOn === 'label'
      ? 'dep.metadata.labels.release == self.metadata.labels.release'
      : `dep.spec.path == './addons-${release}'`
  return [{ name, readyExpr: orNew(sameRelease) }]
}

/** Files of a commit by path; JSON is YAML. */
function filesOf(namespace: string, commit: Commit): Readonly<Record<string, string>> {
  const { release, replicas = 1, addons, dependsOn } = commit
  const suffix = dependsOn === 'path' ? `-${release}` : ''
  const configMap = (name: string, data: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  })
  const unit = (name: string, path: string, spec: Readonly<Record<string, unknown>>): KubeObject => ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace, labels: { release } },
    spec: { ...common, path: `./${path}${suffix}`, ...spec },
  })
  const files: Readonly<Record<string, readonly KubeObject[]>> = {
    'units/units.yaml': [
      unit('web', 'cluster', { dependsOn: dependency(commit) }),
      unit('web-addons', 'addons', { kubeConfig: { secretRef: { name: 'web-kubeconfig' } } }),
    ],
    // stands for the Cluster: who reads its class and version is no matter here
    [`cluster${suffix}/cluster.yaml`]: [configMap('cluster', { release, replicas: String(replicas) })],
    [`addons${suffix}/addons.yaml`]: [
      configMap('addons', { release }),
      ...(addons === 'broken' ? [configMap('not_a_name', {})] : []),
    ],
  }
  return Object.fromEntries(
    Object.entries(files).map(([path, objects]) => [
      path,
      objects.map((object) => JSON.stringify(object)).join('\n---\n'),
    ]),
  )
}

const common = {
  interval: '1h',
  retryInterval: '1s',
  timeout: '10s',
  prune: true,
  deletionPolicy: 'Orphan',
  sourceRef: { kind: 'GitRepository', name: 'fleet' },
} as const

/**
 * Why an upgrade is two commits: what the real kustomize-controller does with one that holds new addons, class and
 * version. The order of events is chosen by holding units, so each outcome is one that a busy controller, a retry or a
 * restart can bring about, too.
 */
describe.runIf(hasKube('kustomizeController'))('an upgrade in one commit under the real kustomize-controller', () => {
  let kube: Kube
  let flux: Flux

  beforeAll(async () => {
    kube = await startKube()
    flux = await startKustomizeController(kube, { args: [`--watch-label-selector=!${holdLabel}`] })
    await kube.createNamespaces(['witness'])
    await start('witness')
    await publisher('witness')({ release: 'v1' })
  }, 240_000)
  afterAll(async () => {
    await flux.close()
    await kube.close()
  })

  const configMap = (namespace: string, name: string): KubeReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
  })

  /** A fleet in a namespace of its own, with one cluster that runs. */
  async function fleetOf(namespace: string, first: Commit): Promise<(commit: Commit) => Promise<Artifact>> {
    await kube.createNamespaces([namespace])
    await start(namespace)
    const publish = publisher(namespace)
    const artifact = await publish(first)
    await giveKubeconfig(namespace)
    for (const unit of ['web', 'web-addons']) await untilApplied(namespace, unit, artifact)
    return publish
  }

  async function start(namespace: string): Promise<void> {
    const root = { ...kustomizationReference(namespace, 'root'), spec: { ...common, path: './units' } }
    expect(refusals(await kube.apply([root]))).toEqual([])
  }

  function publisher(namespace: string): (commit: Commit) => Promise<Artifact> {
    return (commit) => flux.publish({ kind: 'GitRepository', name: 'fleet', namespace }, filesOf(namespace, commit))
  }

  async function giveKubeconfig(namespace: string): Promise<void> {
    const metadata = { name: 'web-kubeconfig', namespace }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { value: kube.kubeconfigText } }
    expect(refusals(await kube.apply([secret]))).toEqual([])
  }

  /** Keeps a unit as it is, or lets it go on. A label changes no generation. */
  async function hold(namespace: string, unit: string, isHeld = true): Promise<void> {
    const reference = kustomizationReference(namespace, unit)
    const labels = isHeld ? { [holdLabel]: 'yes' } : {}
    const metadata = { ...reference.metadata, labels }
    expect(refusals(await kube.apply([{ ...reference, metadata }], { fieldManager: 'test-hold' }))).toEqual([])
    await untilSeen()
  }

  /** Until the controller knows of whatever was written before: its watch tells things in their order. */
  async function untilSeen(): Promise<void> {
    const witness = kustomizationReference('witness', 'root')
    await flux.reconcile(witness)
    const annotations = fieldOf(await kube.get(witness), 'metadata.annotations')
    const asked = Object.entries(annotations ?? {}).find(([key]) => key === 'reconcile.fluxcd.io/requestedAt')?.[1]
    const until = (object: KubeObject | undefined): boolean =>
      fieldOf(object, 'status.lastHandledReconcileAt') === asked
    await waitFor(kube, witness, { until })
  }

  async function untilApplied(namespace: string, unit: string, { revision }: Artifact): Promise<void> {
    const until = (object: KubeObject | undefined): boolean => isKustomizationReady(object, revision)
    await waitFor(kube, kustomizationReference(namespace, unit), { until })
  }

  async function untilRefused(namespace: string, unit: string, text: string): Promise<void> {
    const until = (object: KubeObject | undefined): boolean => failureOf(object)?.includes(text) === true
    await waitFor(kube, kustomizationReference(namespace, unit), { until })
  }

  async function untilAt(namespace: string, name: 'cluster' | 'addons', release: string): Promise<void> {
    const until = (object: KubeObject | undefined): boolean => fieldOf(object, 'data.release') === release
    await waitFor(kube, configMap(namespace, name), { until })
  }

  /** What runs, in the order in which it was written last. */
  async function state(namespace: string): Promise<readonly string[]> {
    const found: { readonly text: string; readonly at: bigint }[] = []
    for (const name of ['cluster', 'addons']) {
      const object = await kube.get(configMap(namespace, name))
      if (object === undefined) continue
      const words = [name, fieldOf(object, 'data.release'), fieldOf(object, 'data.replicas')]
      const text = words.filter((word) => typeof word === 'string').join(' ')
      // one store: its revisions are in the order of writing
      found.push({ text, at: BigInt(String(fieldOf(object, 'metadata.resourceVersion'))) })
    }
    return found.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ text }) => text)
  }

  test('without an order the version moves, whatever becomes of the addons', async () => {
    const commit = await fleetOf('unordered', { release: 'v1' })
    await commit({ release: 'v2', addons: 'broken' })
    await untilAt('unordered', 'cluster', 'v2')
    await untilRefused('unordered', 'web-addons', 'not_a_name')
    expect(await state('unordered')).toEqual(['addons v1', 'cluster v2 1'])
  })

  test('with release labels the version moves first: the new content meets the old units', async () => {
    const dependsOn = 'label'
    const commit = await fleetOf('content', { release: 'v1', dependsOn })
    await hold('content', 'root')
    await hold('content', 'web-addons')
    await commit({ release: 'v2', dependsOn })
    await untilAt('content', 'cluster', 'v2')
    expect(await state('content')).toEqual(['addons v1', 'cluster v2 1'])
    const web = await kube.get(kustomizationReference('content', 'web'))
    expect(fieldOf(web, 'metadata.labels.release')).toBe('v1')
    await hold('content', 'root', false)
    await hold('content', 'web-addons', false)
    await untilAt('content', 'addons', 'v2')
    expect(await state('content')).toEqual(['cluster v2 1', 'addons v2'])
  })

  test('with release labels the version moves first: a new label leaves the old readiness as it is', async () => {
    const dependsOn = 'label'
    const commit = await fleetOf('labels', { release: 'v1', dependsOn })
    for (const unit of ['web', 'web-addons']) await hold('labels', unit)
    const artifact = await commit({ release: 'v2', dependsOn })
    await untilApplied('labels', 'root', artifact)
    await hold('labels', 'web', false)
    await untilAt('labels', 'cluster', 'v2')
    expect(await state('labels')).toEqual(['addons v1', 'cluster v2 1'])
  })

  test('with a plain dependency addons come first, but new clusters never start, and broken addons hold all back', async () => {
    const dependsOn = 'addons'
    const commit = await fleetOf('plain', { release: 'v1' })
    const tied = await commit({ release: 'v1', dependsOn })
    // held in the middle of its turn, the unit would not be ready at all
    for (const unit of ['root', 'web-addons', 'web']) await untilApplied('plain', unit, tied)
    await hold('plain', 'web-addons')
    await commit({ release: 'v2', dependsOn })
    await untilRefused('plain', 'web', "dependency 'plain/web-addons' revision is not up to date")
    expect((await state('plain')).toSorted()).toEqual(['addons v1', 'cluster v1 1'])
    await hold('plain', 'web-addons', false)
    await untilAt('plain', 'cluster', 'v2')
    expect(await state('plain')).toEqual(['addons v2', 'cluster v2 1'])

    await commit({ release: 'v2', dependsOn, replicas: 5, addons: 'broken' })
    await untilRefused('plain', 'web-addons', 'not_a_name')
    await untilRefused('plain', 'web', "dependency 'plain/web-addons' is not ready")
    expect(await state('plain')).toEqual(['addons v2', 'cluster v2 1'])

    await kube.createNamespaces(['fresh'])
    await start('fresh')
    await publisher('fresh')({ release: 'v1', dependsOn })
    // the addons wait for what only the Cluster brings, and the Cluster for them
    await untilRefused('fresh', 'web-addons', 'web-kubeconfig')
    await untilRefused('fresh', 'web', "dependency 'fresh/web-addons' is not ready")
    expect(await state('fresh')).toEqual([])
  })

  test('with folders named by release addons come first; upgrades fail for a while, broken addons hold all back, and a new unit lets go', async () => {
    const dependsOn = 'path'
    const commit = await fleetOf('pinned', { release: 'v1', dependsOn })
    for (const unit of ['root', 'web-addons']) await hold('pinned', unit)
    await commit({ release: 'v2', dependsOn })
    await untilRefused('pinned', 'web', 'cluster-v1')
    await hold('pinned', 'root', false)
    await untilRefused('pinned', 'web', "dependency 'pinned/web-addons' is not ready according to readyExpr")
    expect((await state('pinned')).toSorted()).toEqual(['addons v1', 'cluster v1 1'])
    await hold('pinned', 'web-addons', false)
    await untilAt('pinned', 'cluster', 'v2')
    expect(await state('pinned')).toEqual(['addons v2', 'cluster v2 1'])

    await commit({ release: 'v2', dependsOn, addons: 'broken' })
    await untilRefused('pinned', 'web-addons', 'not_a_name')
    await commit({ release: 'v2', dependsOn, replicas: 5, addons: 'broken' })
    await untilRefused('pinned', 'web', "dependency 'pinned/web-addons' is not ready according to readyExpr")
    expect(await state('pinned')).toEqual(['addons v2', 'cluster v2 1'])

    // a unit that is made anew forgets that it was ever applied
    await hold('pinned', 'root')
    const addons = kustomizationReference('pinned', 'web-addons')
    await kube.remove(addons)
    await waitFor(kube, addons, { until: (object) => object === undefined })
    await commit({ release: 'v3', dependsOn, addons: 'broken' })
    await hold('pinned', 'root', false)
    await untilAt('pinned', 'cluster', 'v3')
    expect(await state('pinned')).toEqual(['addons v2', 'cluster v3 1'])
  })
})
