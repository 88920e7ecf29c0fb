import type { Manifest } from '../../model/manifest.ts'
import { dict } from '../../model/value.ts'

const FLUX = 'kustomize.toolkit.fluxcd.io'

/**
 * A namespace of the management cluster: made where there is none, and from then on nobody's but its owner's. Without
 * `IfNotPresent` Flux would take away labels that people set with kubectl; without `prune` the namespace, and every
 * Cluster in it, would go with its last file.
 */
export function namespaceManifest(name: string): Manifest {
  const annotations = dict([
    [`${FLUX}/prune`, 'disabled'],
    [`${FLUX}/ssa`, 'IfNotPresent'],
  ])
  const object = dict([
    ['apiVersion', 'v1'],
    ['kind', 'Namespace'],
    [
      'metadata',
      dict([
        ['name', name],
        ['annotations', annotations],
      ]),
    ],
  ])
  const origin = { from: 'handoff', unit: 'handoff', template: 'stackmason.yaml' }
  return { apiVersion: 'v1', kind: 'Namespace', name, object, origin }
}
