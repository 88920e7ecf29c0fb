import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleFleet } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { kubeBinaries } from '../../tools/kube.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import type { KubeReference } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { definition } from './controller-world.ts'

const versions = ['v1beta2', 'v1beta1']
const kinds = [
  ['cluster.x-k8s.io', 'Cluster'],
  ['cluster.x-k8s.io', 'ClusterClass'],
  ['bootstrap.cluster.x-k8s.io', 'KubeadmConfigTemplate'],
  ['controlplane.cluster.x-k8s.io', 'KubeadmControlPlaneTemplate'],
  ['infrastructure.cluster.x-k8s.io', 'DockerClusterTemplate'],
  ['infrastructure.cluster.x-k8s.io', 'DockerMachineTemplate'],
] as const

const ADDON = 'rendered/clusters/team-a/web/addons'
const daemonSet: KubeReference = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'dns-cache', namespace: 'kube-system' },
}
const configMap: KubeReference = { ...daemonSet, apiVersion: 'v1', kind: 'ConfigMap' }

/** The commands of docs/19, "Without Flux and Argo CD". */
function documented(): string {
  const page = readFileSync(join(packageFolder, 'docs/19-life-of-a-cluster.md'), 'utf8')
  return /## Without Flux and Argo CD\n.*?```sh\n(.*?)```/s.exec(page)?.[1] ?? ''
}

describe.runIf(hasKube('controllerManager'))('a tree that plain kubectl applies', () => {
  let [management, workload]: Kube[] = []
  let fleet: FleetFolder
  const shell = async (kube: Kube, script: string): Promise<string> => {
    const kubectl = kubeBinaries()?.kubectl ?? ''
    const env = {
      PATH: `${dirname(kubectl)}:/usr/bin:/bin`,
      KUBECONFIG: kube.kubeconfig,
      HOME: fleet.folder,
      KUBECTL_APPLYSET: 'true',
    }
    const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', script], { cwd: fleet.folder, env })
    return stdout + stderr
  }
  const servers = (): readonly [Kube, Kube] => {
    if (management === undefined || workload === undefined) throw new Error('the servers are not there')
    return [management, workload]
  }

  beforeAll(async () => {
    ;[management, workload] = await Promise.all([startKube(), startKube({ controllerManager: true })])
    const [here] = servers()
    await here.createCrds(kinds.map(([group, kind]) => definition({ group, kind, versions })))
    fleet = exampleFleet(tempFolderForFile(), { clusters: ['team-a/web'] })
    await fleet.render()
  })
  afterAll(() => Promise.all(servers().map((server) => server.close())))

  test('comes to both clusters in the documented order', { timeout: 120_000 }, async () => {
    const [here, there] = servers()
    const cluster = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name: 'web', namespace: 'team-a' },
    }
    const done = shell(here, documented())
    await waitFor(here, cluster, { until: (object) => object !== undefined })
    expect(await there.get(daemonSet)).toBeUndefined()
    await here.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'web-kubeconfig', namespace: 'team-a' },
        stringData: { value: there.kubeconfigText },
      },
    ])
    const ready = { type: 'ControlPlaneInitialized', status: 'True', reason: 'Initialized', message: '' }
    await here.applyStatus({
      ...cluster,
      status: { conditions: [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    })
    await done
    expect(await there.get(daemonSet)).toBeDefined()
    expect((await there.list('dns.example.com/v1', 'DNSPolicy')).length).toBe(1)
    expect(await here.get(daemonSet)).toBeUndefined()
  })

  test('loses only what has left the folder, where an inventory prunes', async () => {
    const [, there] = servers()
    const prune = `kubectl apply --server-side -k ${ADDON}/01-dns-cache --prune --applyset=configmaps/dns-cache-set -n kube-system`
    await shell(there, prune)
    await shell(
      there,
      `sed -i.bak '/configmap-dns-cache/d' ${ADDON}/01-dns-cache/kustomization.yaml && rm ${ADDON}/01-dns-cache/kustomization.yaml.bak`,
    )
    expect(await shell(there, prune)).toContain('configmap/dns-cache pruned')
    expect([await there.get(configMap), (await there.get(daemonSet))?.kind]).toEqual([undefined, 'DaemonSet'])
  })

  test('loses what other addons have, where a label prunes', async () => {
    const [, there] = servers()
    const folders = ['01-dns-cache', '02-metrics'].map((name) => `kubectl apply -k ${ADDON}/${name}`)
    const said = await shell(
      there,
      `${folders.join('\n')}\n${folders[1] ?? ''} --prune -l clusterstack.x-k8s.io/instance=owned`,
    )
    expect(said).toContain('daemonset.apps/dns-cache pruned')
  })
})
