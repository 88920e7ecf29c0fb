import { baseName } from '../../codec/path.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Source } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'

/**
 * Makes the part of Argo CD's ConfigMap `argocd-cm` that teaches it the health of Cluster API Clusters, node images,
 * our own kinds and Applications, to be applied server-side or merged into what is there. `scripts` are the Lua files,
 * each named `<group>_<kind>.lua`, as the key wants it. Argo CD has one health check per kind for all its Applications:
 * that of a Cluster is the bootstrap gate, unless the Cluster asks for the rollout gate.
 */
export function argoHealthConfig(namespace: string, scripts: readonly Source[]): Manifest {
  const data = new Dict()
  for (const { name, text } of scripts)
    data.set(`resource.customizations.health.${baseName(name).replace(/\.lua$/, '')}`, text)
  const metadata = new Dict([
    ['name', 'argocd-cm'],
    ['namespace', namespace],
    [
      'labels',
      new Dict([
        ['app.kubernetes.io/name', 'argocd-cm'],
        ['app.kubernetes.io/part-of', 'argocd'],
      ]),
    ],
    // The map holds the settings of the whole installation: only these keys are ours.
    ['annotations', new Dict([['argocd.argoproj.io/sync-options', 'ServerSideApply=true,Prune=false,Delete=false']])],
  ])
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'argocd-cm',
    namespace,
    object: new Dict([
      ['apiVersion', 'v1'],
      ['kind', 'ConfigMap'],
      ['metadata', metadata],
      ['data', data],
    ]),
    origin: { from: 'handoff', unit: 'gates', template: 'handoff/argocd/health' },
  }
}
