import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readTar } from '../../../src/codec/bytes/tar.ts'
import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { publishFrom, type PublishedFleet, servePublishedFleet } from '../../../tools/fleets/published-fleet.ts'
import { lab } from '../../../tools/fleets/lab-fleet.ts'
import {
  type Flux,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
} from '../../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, refusals } from '../../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../../tools/servers/kube.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { hasRegistry, startRegistry, type TestRegistry } from '../../../tools/servers/registry.ts'
import { plainRegistry } from '../../network/registry/oci-context.ts'
import { setGitIdentity } from '../../support/git-identity.ts'
import { tempFolder } from '../../support/temp-folder.ts'

setGitIdentity()

const shared = sharedFolder()
const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const

/** The Kustomizations that docs/33-oci.md tells people to apply, with times for a test. */
function root(name: string, path: string, more: object = {}): KubeObject {
  const spec = {
    interval: '1h',
    retryInterval: '1s',
    path,
    prune: true,
    deletionPolicy: 'Orphan',
    sourceRef: source,
    ...more,
  }
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace: 'flux-system' },
    spec,
  }
}

describe.runIf(hasKube('kustomizeController') && shared !== undefined && hasRegistry())(
  'artifacts under the real kustomize-controller',
  () => {
    let kube: Kube
    let flux: Flux
    let registry: TestRegistry

    beforeAll(async () => {
      ;[kube, registry] = await Promise.all([startKube(), startRegistry()])
      // as source-controller has it: what we write must be taken
      await kube.installCrds([join(shared ?? '', 'crds/flux/source.toolkit.fluxcd.io_ocirepositories.yaml')])
      flux = await startKustomizeController(kube)
      await kube.createNamespaces(['flux-system'])
    }, 240_000)
    afterAll(async () => {
      await flux.close()
      await Promise.all([kube.close(), registry.close()])
    })

    /** What source-controller does: the branch into the GitRepository, and pinned layers into OCIRepositories. */
    async function fetchSources(fleet: PublishedFleet): Promise<readonly string[]> {
      const names = fleet.repository.git(['ls-tree', '-r', '--name-only', 'main', '--', 'rendered']).split('\n')
      const files = names.map((name) => [name, `${fleet.repository.git(['show', `main:${name}`])}\n`])
      const { revision } = await flux.publish(source, Object.fromEntries(files))
      const isReady = (object: KubeObject | undefined): boolean => isKustomizationReady(object, revision)
      await waitFor(kube, kustomizationReference('flux-system', 'fleet-artifacts'), { until: isReady, timeout: 60_000 })
      const fetched: string[] = []
      for (const name of ['one', 'stack-docker-lab-1-34-v1']) {
        const reference = {
          apiVersion: 'source.toolkit.fluxcd.io/v1',
          kind: 'OCIRepository',
          metadata: { name, namespace: 'team' },
        }
        const object = await kube.get(reference)
        const digest = String(fieldOf(object, 'spec.ref.digest'))
        const [, repository = ''] = String(fieldOf(object, 'spec.url')).split(`oci://${registry.host}/`)
        const from = await plainRegistry(registry.host, { repository })
        const [layer] = (await from.getManifest(digest))?.manifest.layers ?? []
        const entries = readTar(gunzipSync(await from.getBlob(layer?.digest ?? '')), {
          maxEntries: 1000,
          maxFileBytes: 1 << 20,
        })
        const content = Object.fromEntries(entries.map(({ path, bytes }) => [path, decodeUtf8(bytes)]))
        await flux.publish({ kind: 'OCIRepository', name, namespace: 'team' }, content, digest)
        fetched.push(digest)
      }
      return fetched
    }

    async function applied(name: string, revision: string): Promise<void> {
      const until = (object: KubeObject | undefined): boolean => isKustomizationReady(object, revision)
      await waitFor(kube, kustomizationReference('team', name), { until, timeout: 60_000 })
    }

    test(
      'stack, cluster and addons come from what the tree pins, and only what changes is applied anew',
      { timeout: 240_000 },
      async () => {
        const oci = `oci: {repository: "${registry.host}/fleet", plainHttp: true, artifacts: units}`
        const handoff =
          'handoff: {createNamespaces: true, flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered, retryInterval: 1s}}'
        const fleet = await servePublishedFleet(await tempFolder(), {
          spec: [`publish: {into: branch, ${oci}}`, handoff],
        })
        onTestFinished(() => fleet.server.close())
        await kube.installCrds([fleet.author.path('crds')])
        const clone = await fleet.clone('ci')
        const first = await publishFrom(clone)
        const roots = [
          root('fleet', './rendered/handoff'),
          root('fleet-artifacts', './rendered/artifacts', { dependsOn: [{ name: 'fleet' }] }),
        ]
        expect(refusals(await kube.apply(roots))).toEqual([])
        const [cluster = '', stack = ''] = await fetchSources(fleet)
        expect([cluster, stack]).toEqual(first.artifacts.map(({ digest }) => digest))
        await applied('stack-docker-lab-1-34-v1', stack)
        await applied('one', cluster)
        const object = await kube.get({
          apiVersion: 'cluster.x-k8s.io/v1beta1',
          kind: 'Cluster',
          metadata: { name: 'one', namespace: 'team' },
        })
        expect(fieldOf(object, 'spec.topology.class')).toBe('docker-lab-1-34-v1')
        await kube.apply([
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'one-kubeconfig', namespace: 'team' },
            stringData: { value: kube.kubeconfigText },
          },
        ])
        await applied('one-addons', cluster)
        const web = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'kube-system' } }
        expect(fieldOf(await kube.get(web), 'data.message')).toBe('hello')

        fleet.author.git('pull', '--quiet', 'origin', 'main')
        fleet.author.write(lab.values, 'message: from the registry\n')
        await fleet.push()
        await publishFrom(clone)
        const [next = '', same] = await fetchSources(fleet)
        expect(same).toBe(stack)
        expect(next).not.toBe(cluster)
        await applied('one-addons', next)
        expect(fieldOf(await kube.get(web), 'data.message')).toBe('from the registry')
        await applied('stack-docker-lab-1-34-v1', stack)
      },
    )
  },
)
