import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { servePublishedFleet, publishFrom, runGit } from '../../tools/fleets/published-fleet.ts'
import {
  applicationReference,
  defaultProject,
  hasArgocd,
  isApplicationSynced,
  startArgocd,
} from '../../tools/servers/argocd.ts'
import {
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
} from '../../tools/servers/flux.ts'
import { fieldOf, type KubeReference } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube } from '../../tools/servers/kube.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

const parts = [
  { name: 'stack', path: 'rendered/stacks/team/docker-lab-1-34-v1' },
  { name: 'cluster', path: 'rendered/clusters/team/one/cluster' },
  { name: 'addon', path: 'rendered/clusters/team/one/addons/01-web' },
]
const objects: readonly KubeReference[] = [
  {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'ClusterClass',
    metadata: { name: 'docker-lab-1-34-v1', namespace: 'team' },
  },
  { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', metadata: { name: 'one', namespace: 'team' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'kube-system' } },
]

describe.runIf(hasArgocd() && hasKube('kustomizeController'))('a commit of publish', { timeout: 300_000 }, () => {
  test('is applied by the kustomize-controller and by Argo CD, one commit and the same objects', async () => {
    const root = await tempFolder()
    const fleet = await servePublishedFleet(root, { spec: ['publish: {into: branch}'] })
    const [byFlux, byArgocd] = await Promise.all([startKube(), startKube()])
    const closing: { readonly close: () => Promise<void> }[] = [fleet.server, byFlux, byArgocd]
    try {
      const { commit = '' } = await publishFrom(await fleet.clone('ci'))
      expect(fleet.repository.git(['rev-parse', 'main'])).toBe(commit)
      for (const kube of [byFlux, byArgocd]) {
        await kube.installCrds([join(fleet.author.folder, 'crds')])
        await kube.createNamespaces(['team'])
      }
      const flux = await startKustomizeController(byFlux)
      closing.push(flux)
      await byFlux.createNamespaces(['flux-system'])
      // what source-controller would serve: the commit without what git keeps
      const served = join(root, 'served')
      await runGit(root, ['clone', '--quiet', fleet.repository.path, served])
      const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
      const revision = `main@sha1:${commit}`
      await flux.publish(source, join(served, 'rendered'), revision)
      await byFlux.apply(
        parts.map(({ name, path }) => ({
          ...kustomizationReference('flux-system', name),
          spec: {
            interval: '1h',
            path: path.replace('rendered/', './'),
            prune: true,
            sourceRef: { kind: 'GitRepository', name: 'fleet' },
          },
        })),
      )
      const argocd = await startArgocd(byArgocd)
      closing.push(argocd)
      await byArgocd.apply([
        defaultProject,
        ...parts.map(({ name, path }) => ({
          ...applicationReference(name),
          spec: {
            project: 'default',
            source: { repoURL: fleet.url, targetRevision: 'main', path },
            destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
            syncPolicy: { automated: { prune: true }, syncOptions: ['ServerSideApply=true'] },
          },
        })),
      ])
      for (const { name } of parts) {
        await waitFor(byFlux, kustomizationReference('flux-system', name), {
          until: (unit) => isKustomizationReady(unit, revision),
          timeout: 60_000,
        })
        await waitFor(byArgocd, applicationReference(name), {
          until: (application) => isApplicationSynced(application, commit),
          timeout: 120_000,
        })
      }
      for (const object of objects) {
        const [one, other] = [await byFlux.get(object), await byArgocd.get(object)]
        const stated = one?.['spec'] ?? one?.['data']
        expect(stated).toBeDefined()
        expect(other?.['spec'] ?? other?.['data']).toEqual(stated)
      }
      expect(fieldOf(await byFlux.get(objects[2]!), 'data')).toEqual({ message: 'hello' })
    } finally {
      for (const one of closing.toReversed()) await one.close()
    }
  })
})
