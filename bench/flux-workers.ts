/**
 * How long a new cluster that can be reached waits for its addons while others wait for their control planes, under the
 * real kustomize-controller with its default of 4 workers: `waits` has `wait: true` in the Kustomizations of clusters,
 * `released` is what is rendered. Both run side by side. Needs the servers of `tools/kube.ts` and the shared data
 * (`STACKMASON_SHARED`, or `../shared`).
 *
 *   npx tsx bench/flux-workers.ts [waiting clusters]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { renderFlux } from '../tools/fleets/hand-over.ts'
import { withField } from '../src/model/field.ts'
import type { FluxHandoff } from '../src/model/handoff-config.ts'
import type { Unit } from '../src/model/handoff.ts'
import type { Manifest, RenderedFolder } from '../src/model/manifest.ts'
import { parseManifests } from '../src/render/stack/parse-manifests.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { writeTree } from '../src/write/write-tree.ts'
import {
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
} from '../tools/servers/flux.ts'
import { startKube } from '../tools/servers/kube.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'

const waiting = Number(process.argv[2] ?? 20)
const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const config: FluxHandoff = {
  tool: 'flux',
  source,
  path: 'rendered',
  interval: '1h',
  retryInterval: '2m',
  timeout: '30s',
  createNamespaces: true,
}
const template = 'flux/kustomization.yaml.hbs'
const templateFile = new URL(`../templates/handoff/${template}`, import.meta.url)
const templates = new Map([[template, { name: template, text: readFileSync(templateFile, 'utf8') }]])
const TIMEOUT = 280_000

function manifestsOf(yaml: string): readonly Manifest[] {
  return parseManifests(yaml, { from: 'release', unit: 'addon', template: 'addon/templates/x.yaml' })
}

function unitsOf(name: string): readonly Unit[] {
  const cluster = { name, namespace: 'team-a' }
  const common = { namespace: 'team-a', cluster, dependsOn: [], release: 'docker-demo-1-34-v3', isSuspended: false }
  const path = `clusters/team-a/${name}`
  return [
    {
      ...common,
      kind: 'cluster',
      name,
      path: `${path}/cluster`,
      manifests: manifestsOf(
        `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: ${name}, namespace: team-a},
            spec: {topology: {classRef: {name: demo}, version: v1.34.7}}}`,
      ),
      target: 'management',
      gate: 'bootstrap',
    },
    {
      ...common,
      kind: 'addons',
      name: `${name}-addons`,
      path: `${path}/addons`,
      manifests: manifestsOf(
        `{apiVersion: v1, kind: ConfigMap, metadata: {name: addons-of-${name}, namespace: kube-system}}`,
      ),
      target: 'workload',
      gate: 'none',
    },
  ]
}

/** The Kustomizations of clusters as they would be with a wait. */
function withWait(folder: RenderedFolder): RenderedFolder {
  const manifests = folder.manifests.map((manifest) =>
    manifest.kind === 'Kustomization' && !manifest.name.endsWith('-addons')
      ? { ...manifest, object: withField(manifest.object, ['spec', 'wait'], true) }
      : manifest,
  )
  return { ...folder, manifests }
}

/**
 * Seconds from the commit with the new cluster until the root has applied it, and until the new cluster has its addons.
 */
async function measure(mode: 'waits' | 'released'): Promise<readonly [root: string, addons: string]> {
  const kube = await startKube()
  const flux = await startKustomizeController(kube)
  const repository = mkdtempSync(join(tmpdir(), 'stackmason-workers-'))
  mkdirSync(join(repository, 'rendered'))
  const publish = async (names: readonly string[]): Promise<string> => {
    const units = names.flatMap(unitsOf)
    const { folders, handoff } = renderFlux(units, config, {
      templates,
      folders: units.map(({ path, manifests }) => ({ path, manifests })),
    })
    const options = {
      output: join(repository, 'rendered'),
      owner: { name: 'fleet', file: '../stackmason.yaml' },
      allowEmpty: false,
      overwriteEdited: false,
    }
    const all = [...folders, ...(mode === 'waits' ? handoff.map(withWait) : handoff)]
    await writeTree({ folders: all, scopes: [''] }, options, createNodePorts())
    return (await flux.publish(source, repository)).revision
  }
  try {
    await kube.installCrds([join(sharedFolder() ?? '', 'crds/cluster-api/cluster.x-k8s.io_clusters.yaml')])
    await kube.createNamespaces(['flux-system', 'team-a'])
    const names = Array.from({ length: waiting }, (_, index) => `c${String(index + 1)}`)
    await publish(names)
    const root = kustomizationReference('flux-system', 'fleet')
    const spec = {
      interval: '1h',
      retryInterval: '1m',
      timeout: '1m',
      path: './rendered/handoff',
      prune: true,
      deletionPolicy: 'Orphan',
      sourceRef: { kind: 'GitRepository', name: 'fleet' },
    }
    await kube.apply([{ ...root, spec }])
    await waitFor(kube, root, { until: isKustomizationReady })
    await kube.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'fresh-kubeconfig', namespace: 'team-a' },
        stringData: { value: kube.kubeconfigText },
      },
    ])
    await setTimeout(10_000)
    const revision = await publish([...names, 'fresh'])
    const start = performance.now()
    const since = async (pending: Promise<unknown>): Promise<string> =>
      pending.then(
        () => ((performance.now() - start) / 1000).toFixed(1),
        () => `over ${String(TIMEOUT / 1000)}`,
      )
    const addons = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'addons-of-fresh', namespace: 'kube-system' },
    }
    return await Promise.all([
      since(waitFor(kube, root, { until: (object) => isKustomizationReady(object, revision), timeout: TIMEOUT })),
      since(waitFor(kube, addons, { until: (object) => object !== undefined, timeout: TIMEOUT })),
    ])
  } finally {
    await flux.close()
    await kube.close()
    rmSync(repository, { recursive: true })
  }
}

const [before, after] = await Promise.all([measure('waits'), measure('released')])
console.log(
  `${String(waiting)} clusters wait for their control plane, 4 workers; seconds after a commit that adds a cluster`,
)
console.log(`                           waits    released`)
console.log(`root has applied it   ${before[0].padStart(10)}  ${after[0].padStart(10)}`)
console.log(`its addons are there  ${before[1].padStart(10)}  ${after[1].padStart(10)}`)
