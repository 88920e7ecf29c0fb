import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import { fieldAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { LocatedCluster } from '../explain/cluster-place.ts'
import { tracePatches } from '../explain/trace-patches.ts'
import { patchedOrAsIs } from './patch-manifest.ts'

/** The Cluster as templates see it, and where its fields are written: in cluster.yaml, or in a patch. */
export function locateInCluster(
  written: Manifest,
  { document, patches }: Pick<Cluster, 'document' | 'patches'>,
): ReturnType<LocatedCluster['read']> {
  return {
    value: patchedOrAsIs(written, patches).object,
    spanOf(path) {
      const field = tracePatches(written, patches, path)
      if ('patch' in field) return field.patch
      return fieldAt(document.value, ...field.path) === undefined ? undefined : spanOf(document, field.path)
    },
  }
}
