import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHookTranslator } from '../../../src/handoff/hooks/translate-hooks.ts'
import { planUnits } from '../../../src/handoff/units/plan-units.ts'
import type { HandoffCluster } from '../../../src/model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../../src/model/manifest.ts'
import type { StageCondition } from '../../../src/model/release.ts'
import {
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Artifact,
  type Flux,
} from '../../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, type KubeReference } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { writeFluxTree } from '../flux/write-flux-tree.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { plainConfig, templates } from '../flux/units.ts'
import { afterCommit, at, clusterOf, type SampleTree } from './staged-cluster.ts'

const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const config = { ...plainConfig, source, retryInterval: '1s', timeout: '4s' }
const base = 'clusters/team-a/web'

/** Two objects of one kind, so that their expression must tell them apart, and one without a namespace. */
const pre: StageCondition = {
  objects: [
    { key: 'door', apiVersion: 'v1', kind: 'ConfigMap', name: 'door', namespace: 'kube-system' },
    { key: 'key', apiVersion: 'v1', kind: 'ConfigMap', name: 'key', namespace: 'default' },
    { key: 'room', apiVersion: 'v1', kind: 'Namespace', name: 'kube-system', namespace: '' },
  ],
  conditions:
    "door.data.state == 'open' // not ajar\n && key.data['turned'] == 'yes' && ['Active'].exists(door, room.status.phase == door)",
  at,
}
const post: StageCondition = {
  objects: [{ key: 'd', apiVersion: 'v1', kind: 'ConfigMap', name: 'second', namespace: 'kube-system' }],
  conditions: "has(d.metadata.annotations) && d.metadata.annotations['seen'] == 'true'",
  at,
}

function configMap(name: string, data: string, namespace = 'kube-system'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { state: data, turned: data } }
}

const job = (image: string, hook: string): Manifest =>
  manifestOf(
    `{apiVersion: batch/v1, kind: Job, metadata: {name: ${hook}, namespace: kube-system, annotations: {helm.sh/hook: ${hook}}}, spec: {suspend: true, ttlSecondsAfterFinished: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: ${image}}]}}}}`,
  )

function tree(image: string): {
  readonly folders: readonly RenderedFolder[]
  readonly units: ReturnType<typeof planUnits>
} {
  const translate = createHookTranslator('flux')
  const addon = (name: string, manifests: readonly Manifest[]): RenderedFolder => ({
    path: `${base}/addons/${name}`,
    manifests: translate(manifests).manifests,
  })
  const plain = (name: string): Manifest =>
    manifestOf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: kube-system}}`)
  const addons = [
    addon('01-first', [plain('first')]),
    addon('02-second', [plain('second'), job(image, 'post-install'), job(image, 'post-upgrade')]),
    addon('03-third', [plain('third')]),
  ]
  const cluster = clusterOf(
    [{ addon: 'first' }, { addon: 'second', preCondition: pre, postCondition: post }, { addon: 'third' }],
    { addons },
  )
  return { folders: addons, units: planUnits([], [cluster], { tool: 'flux' }) }
}

const reference = (name: string, kind = 'ConfigMap'): KubeReference => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'v1',
  kind,
  metadata: { name, namespace: 'kube-system' },
})
const isAbsent = (object: KubeObject | undefined): boolean => object === undefined
const isThere = (object: KubeObject | undefined): boolean => object !== undefined

describe.runIf(hasKube('kustomizeController'))('stages with conditions under the real kustomize-controller', () => {
  let kube: Kube
  let flux: Flux

  beforeAll(async () => {
    kube = await startKube()
    flux = await startKustomizeController(kube)
    await kube.createNamespaces(['flux-system', 'team-a'])
    await kube.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'web-kubeconfig', namespace: 'team-a' },
        stringData: { value: kube.kubeconfigText },
      },
    ])
  }, 240_000)
  afterAll(async () => {
    await flux.close()
    await kube.close()
  })

  function publish(image: string): Promise<Artifact> {
    return publishTree(tree(image))
  }

  async function publishTree({ folders, units }: ReturnType<typeof tree>): Promise<Artifact> {
    const workload = units.units.filter(({ target }) => target === 'workload')
    const context = { folders: [...folders, ...units.folders], templates }
    const repository = await writeFluxTree(workload, config, context)
    const artifact = await flux.publish(source, repository)
    await kube.apply([
      {
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name: 'fleet', namespace: 'flux-system' },
        spec: { interval: '1h', path: './rendered/handoff', prune: true, sourceRef: source },
      },
    ])
    return artifact
  }

  /** Waits until a unit is applied and waits for its condition. */
  async function isHeld(name: string): Promise<void> {
    const until = (object: KubeObject | undefined): boolean =>
      JSON.stringify(fieldOf(object, 'status.conditions') ?? '').includes('Running health checks')
    await waitFor(kube, kustomizationReference('team-a', name), { until })
  }

  const isReady = async (name: string, { revision }: Artifact): Promise<void> => {
    const until = (object: KubeObject | undefined): boolean => isKustomizationReady(object, revision)
    await waitFor(kube, kustomizationReference('team-a', name), { until })
  }

  test('go one after the other, each when its condition holds', async () => {
    const artifact = await publish('one')
    await isReady('web-addons', artifact)
    // neither object of the condition is there
    await isHeld('web-addons-02-second-before')
    expect(await kube.get(reference('second'))).toBeUndefined()
    await kube.apply([configMap('door', 'open'), configMap('key', 'no', 'default')])
    // the other object of the same kind still says no, and Flux looks every 5 seconds
    await new Promise((resolve) => setTimeout(resolve, 8000))
    expect(await kube.get(reference('second'))).toBeUndefined()
    await kube.apply([configMap('key', 'yes', 'default')])
    await waitFor(kube, reference('second'), { until: isThere })
    await isHeld('web-addons-02-second')
    expect(await kube.get(reference('third'))).toBeUndefined()
    const seen = { name: 'second', namespace: 'kube-system', annotations: { seen: 'true' } }
    await kube.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: seen }], { fieldManager: 'someone' })
    await waitFor(kube, reference('third'), { until: isThere })
    await isReady('web-addons-03-third', artifact)
  }, 120_000)

  test('Jobs of upgrades are made anew when they change, those of installs stay', async () => {
    const uidOf = async (name: string): Promise<unknown> =>
      fieldOf(await kube.get(reference(name, 'Job')), 'metadata.uid')
    const before = [await uidOf('post-install'), await uidOf('post-upgrade')]
    expect(before).toEqual([expect.any(String), expect.any(String)])
    await isReady('web-addons-03-third', await publish('two'))
    const [install, upgrade] = [
      await kube.get(reference('post-install', 'Job')),
      await kube.get(reference('post-upgrade', 'Job')),
    ]
    expect([await uidOf('post-install'), await uidOf('post-upgrade')]).toEqual([
      before[0],
      expect.not.stringMatching(String(before[1])),
    ])
    const image = (object: KubeObject | undefined): unknown => fieldOf(object, 'spec.template.spec.containers.0.image')
    expect([image(install), image(upgrade)]).toEqual(['one', 'two'])
    expect(fieldOf(install, 'spec.ttlSecondsAfterFinished')).toBeUndefined()
  }, 120_000)

  describe('for addons that run already', () => {
    const addon = (name: string): RenderedFolder => ({
      path: `clusters/team-a/run/addons/${name}`,
      manifests: [
        manifestOf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: run-${name}, namespace: kube-system}}`),
      ],
    })
    const addons = [addon('01-cni'), addon('02-csi')]
    const open: StageCondition = {
      objects: [{ key: 'n', apiVersion: 'v1', kind: 'Namespace', name: 'kube-system', namespace: '' }],
      conditions: "n.status.phase == 'Active'",
      at,
    }
    const moving = reference('run-02-csi')

    /** Publishes what `render` writes after a commit in which this was so. */
    async function step(committed?: SampleTree, isApplied = true): Promise<readonly string[]> {
      const cluster = clusterOf([{ addon: 'cni' }, { addon: 'csi', ...(committed && { postCondition: open }) }], {
        cluster: { name: 'run', namespace: 'team-a', addons: [] } as unknown as HandoffCluster['cluster'],
        clusterFolder: { path: 'clusters/team-a/run/cluster', manifests: [] },
        addons,
      })
      const placed = committed === undefined ? cluster : afterCommit(cluster, committed, isApplied)
      const planned = planUnits([], [placed], { tool: 'flux' })
      const units = planned.units.filter(({ target }) => target === 'workload')
      const artifact = await publishTree({ folders: placed.addons, units: { ...planned, units } })
      for (const { name } of units) await isReady(name, artifact)
      return units.map(({ name }) => name)
    }

    test('take them over without deleting what runs', async () => {
      await kube.apply([
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'run-kubeconfig', namespace: 'team-a' },
          stringData: { value: kube.kubeconfigText },
        },
      ])
      expect(await step()).toEqual(['run-addons'])
      const uid = fieldOf(await kube.get(moving), 'metadata.uid')
      expect(uid).toEqual(expect.any(String))
      const together = { addons: ['01-cni', '02-csi'] }
      const folders = { 'addons/01-cni': ['run-01-cni'], 'addons/02-csi': ['run-02-csi'] }
      expect(await step({ together, folders })).toEqual(['run-addons'])
      expect(await step({ together, folders: { ...folders, 'addons/02-csi': ['run-02-csi!'] } })).toEqual([
        'run-addons',
        'run-addons-02-csi',
      ])
      const after = await kube.get(moving)
      expect([fieldOf(after, 'metadata.uid'), fieldOf(after, 'metadata.annotations')]).toEqual([
        uid,
        { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' },
      ])
      expect(fieldOf(after, 'metadata.labels')).toMatchObject({
        'kustomize.toolkit.fluxcd.io/name': 'run-addons-02-csi',
      })
      // and back again: the unit of its own goes, and takes nothing along
      expect(await step()).toEqual(['run-addons'])
      await waitFor(kube, kustomizationReference('team-a', 'run-addons-02-csi'), { until: isAbsent })
      expect(fieldOf(await kube.get(moving), 'metadata.uid')).toBe(uid)
    }, 60_000)

    test('would be deleted and made anew, were they to move in one commit', async () => {
      await step()
      const uid = fieldOf(await kube.get(moving), 'metadata.uid')
      await step({ folders: {} })
      expect(fieldOf(await waitFor(kube, moving, { until: isThere }), 'metadata.uid')).not.toBe(uid)
    }, 60_000)
  })
})
