import { get } from 'node:https'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planUnits } from '../../../src/handoff/units/plan-units.ts'
import type { AddonUnits } from '../../../src/model/handoff-config.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
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
import { afterCommit, clusterOf, type SampleTree } from './staged-cluster.ts'

const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const config = { ...plainConfig, source, retryInterval: '1s', timeout: '4s' }

/** A watch is answered with many documents. */
function textAt({ url, ca, adminCert, adminKey }: Kube, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ca, cert: adminCert, key: adminKey }
    get(`${url}${path}`, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve(Buffer.concat(chunks).toString())
      })
    }).on('error', reject)
  })
}

/** Folders of addons, each with its objects in flow style. */
type Addons = Readonly<Record<string, readonly string[]>>

const configMap = (name: string, text = ''): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: kube-system}, data: {text: '${text}'}}`

const broken = {
  'a value that the kind does not allow':
    '{apiVersion: v1, kind: Service, metadata: {name: odd, namespace: kube-system}, spec: {ports: [{port: 99999}]}}',
  'a namespace that is not there': '{apiVersion: v1, kind: ConfigMap, metadata: {name: odd, namespace: nowhere}}',
  'a kind without a definition':
    '{apiVersion: example.com/v1, kind: Odd, metadata: {name: odd, namespace: kube-system}}',
}

describe.runIf(hasKube('kustomizeController'))('units of addons under the real kustomize-controller', () => {
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

  /** Publishes what `render` writes of these addons after a commit with this tree, and gives the names of the units. */
  async function publish(
    addons: Addons,
    { addonUnits = 'perOwner', committed = { folders: {} } }: { addonUnits?: AddonUnits; committed?: SampleTree } = {},
  ): Promise<{ readonly artifact: Artifact; readonly units: readonly string[] }> {
    const folders = Object.entries(addons).map(([path, objects]): RenderedFolder => ({
      path: `clusters/team-a/web/${path}`,
      manifests: objects.map((text) => manifestOf(text)),
    }))
    const cluster = afterCommit(clusterOf([], { addons: folders, addonUnits }), committed)
    const planned = planUnits([], [cluster], { tool: 'flux' })
    const workload = planned.units.filter(({ target }) => target === 'workload')
    const context = { folders: [...cluster.addons, ...planned.folders], templates }
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
    return { artifact, units: workload.map(({ name }) => name) }
  }

  const isReady = async (name: string, { revision }: Artifact): Promise<void> => {
    const until = (object: KubeObject | undefined): boolean => isKustomizationReady(object, revision)
    await waitFor(kube, kustomizationReference('team-a', name), { until })
  }

  const isRefused = async (name: string, { revision }: Artifact): Promise<void> => {
    const until = (object: KubeObject | undefined): boolean =>
      fieldOf(object, 'status.lastAttemptedRevision') === revision &&
      JSON.stringify(fieldOf(object, 'status.conditions') ?? '').includes('ReconciliationFailed')
    await waitFor(kube, kustomizationReference('team-a', name), { until })
  }

  const reference = (name: string): KubeReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'kube-system' },
  })
  const textOf = async (name: string): Promise<unknown> => fieldOf(await kube.get(reference(name)), 'data.text')
  const uidOf = async (name: string): Promise<unknown> => fieldOf(await kube.get(reference(name)), 'metadata.uid')
  const isAbsent = (object: KubeObject | undefined): boolean => object === undefined

  test('a mistake in an own addon holds back no addon of the release, old or new', async () => {
    const rounds = Object.values(broken)
    for (const [round, odd] of rounds.entries()) {
      const { artifact, units } = await publish({
        'addons/01-cni': [configMap('cni', String(round))],
        'addons-own/ours': [configMap('ours', String(round)), odd],
      })
      expect(units).toEqual(['web-addons', 'web-addons-own'])
      await isReady('web-addons', artifact)
      expect(await textOf('cni')).toBe(String(round))
      await isRefused('web-addons-own', artifact)
      expect(await textOf('ours')).toBeUndefined()
    }
    // the same in one unit, as it was: nothing of it is applied
    const together = await publish({ 'addons/01-cni': [configMap('cni', 'held'), rounds[0] ?? ''] })
    await isRefused('web-addons', together.artifact)
    expect(await textOf('cni')).toBe(String(rounds.length - 1))
  }, 60_000)

  test('with a unit for each, a mistake in an addon of the release holds back no other', async () => {
    const { artifact, units } = await publish(
      {
        'addons/01-cni': [configMap('cni', 'apart')],
        'addons/02-csi': [configMap('csi', 'apart'), broken['a kind without a definition']],
        'addons/03-ccm': [configMap('ccm', 'apart')],
        'addons-own/ours': [configMap('ours', 'apart')],
      },
      { addonUnits: 'perAddon' },
    )
    expect(units).toEqual(['web-addons-01-cni', 'web-addons-02-csi', 'web-addons-03-ccm', 'web-addons-own-ours'])
    for (const name of units.filter((unit) => !unit.endsWith('csi'))) await isReady(name, artifact)
    await isRefused('web-addons-02-csi', artifact)
    expect([await textOf('cni'), await textOf('csi'), await textOf('ccm'), await textOf('ours')]).toEqual([
      'apart',
      undefined,
      'apart',
      'apart',
    ])
  }, 60_000)

  test('a tree that has own addons among the others: they move in two commits, and nothing is made anew', async () => {
    const first = await publish({ 'addons/01-cni': [configMap('cni')], 'addons/02-ours': [configMap('ours')] })
    await isReady('web-addons', first.artifact)
    const before = [await uidOf('cni'), await uidOf('ours')]
    const list = await kube.request('GET', '/api/v1/namespaces/kube-system/configmaps')
    const since = String(fieldOf(list.body, 'metadata.resourceVersion'))
    const wanted = { 'addons/01-cni': [configMap('cni')], 'addons-own/ours': [configMap('ours')] }
    const together = { addons: ['01-cni', '02-ours'] }
    const place = 'namespace: kube-system'
    const old = (mark: string): SampleTree => ({
      together,
      folders: { 'addons/01-cni': [`cni, ${place}`], 'addons/02-ours': [`ours, ${place}${mark}`] },
    })
    const letGo = await publish(wanted, { committed: old('') })
    expect(letGo.units).toEqual(['web-addons'])
    await isReady('web-addons', letGo.artifact)
    const moved = await publish(wanted, { committed: old('!') })
    expect(moved.units).toEqual(['web-addons', 'web-addons-own'])
    for (const name of moved.units) await isReady(name, moved.artifact)
    // to one unit each, and back
    for (const addonUnits of ['perAddon', 'perOwner'] as const) {
      const committed: SampleTree =
        addonUnits === 'perAddon'
          ? {
              together: { addons: ['01-cni'], 'addons-own': ['ours'] },
              folders: { 'addons/01-cni': [`cni, ${place}`], 'addons-own/ours': [`ours, ${place}`] },
            }
          : { folders: { 'addons/01-cni': [`cni, ${place}`], 'addons-own/ours': [`ours, ${place}`] } }
      const changed = await publish(wanted, { addonUnits, committed })
      for (const name of changed.units) await isReady(name, changed.artifact)
      const gone = addonUnits === 'perAddon' ? 'web-addons-own' : 'web-addons-own-ours'
      await waitFor(kube, kustomizationReference('team-a', gone), { until: isAbsent })
    }
    expect([await uidOf('cni'), await uidOf('ours')]).toEqual(before)
    expect(fieldOf(await kube.get(reference('ours')), 'metadata.annotations')).toEqual({
      'kustomize.toolkit.fluxcd.io/substitute': 'disabled',
    })
    const watch = `/api/v1/namespaces/kube-system/configmaps?watch=1&timeoutSeconds=1&resourceVersion=${since}`
    const events = [...(await textAt(kube, watch)).matchAll(/"type":"([A-Z]+)"/g)].map(([, type]) => type)
    expect(events).toContain('MODIFIED')
    expect(events).not.toContain('DELETED')

    // the last of them goes: first what it applied, then its unit with what is left there
    const committed = {
      together: { addons: ['01-cni'], 'addons-own': ['ours'] },
      folders: { 'addons/01-cni': [`cni, ${place}`], 'addons-own/ours': [`ours, ${place}`] },
    }
    const emptied = await publish({ 'addons/01-cni': [configMap('cni')] }, { committed })
    expect(emptied.units).toEqual(['web-addons', 'web-addons-own'])
    await isReady('web-addons-own', emptied.artifact)
    expect(await uidOf('ours')).toBeUndefined()
    expect(await uidOf('stackmason-web-addons-own')).toEqual(expect.any(String))
    const left = await publish({ 'addons/01-cni': [configMap('cni')] })
    expect(left.units).toEqual(['web-addons'])
    await waitFor(kube, kustomizationReference('team-a', 'web-addons-own'), { until: isAbsent })
    expect(await uidOf('stackmason-web-addons-own')).toBeUndefined()
  }, 60_000)
})
