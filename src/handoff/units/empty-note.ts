import type { HandoffCluster } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { noteManifest } from '../note-manifest.ts'

/**
 * The object of a unit that has no other left: neither Flux nor Argo CD prunes the objects of a folder that is empty,
 * or gone.
 */
export function emptyNote(unit: string, { release }: Pick<HandoffCluster, 'release'>): Manifest {
  return noteManifest({
    name: `stackmason-${unit}`,
    namespace: 'kube-system',
    data: { note: `Nothing else is left of ${unit}.` },
    origin: { from: release.origin, unit: 'handoff', template: 'handoff' },
  })
}

/** True if an object is such a note. */
export function isEmptyNote({ kind, namespace, name }: Pick<Manifest, 'kind' | 'namespace' | 'name'>): boolean {
  return (
    kind === 'ConfigMap' &&
    namespace === 'kube-system' &&
    name.startsWith('stackmason-') &&
    !name.startsWith('stackmason-before-')
  )
}
