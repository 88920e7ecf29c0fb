import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import { fieldAt, withField } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import type { Dict } from '../../model/value.ts'
import type { LocatedCluster } from '../explain/cluster-place.ts'
import { tracePatches } from '../explain/trace-patches.ts'
import { toManifest } from './parse-manifests.ts'
import { patchedOrAsIs } from './patch-manifest.ts'

/** The unit of the objects of cluster.yaml. */
export const CLUSTER_UNIT = 'cluster'

/** The origin of the objects of cluster.yaml. */
export function clusterOrigin({ source }: Pick<Cluster, 'source'>): ManifestOrigin {
  return { from: source.name, unit: CLUSTER_UNIT, template: source.name }
}

/** The Cluster that the cluster is at, as patches see it: with its namespace. */
export function ownManifest(cluster: Cluster, object: Dict): Manifest {
  return toManifest(withField(object, ['metadata', 'namespace'], cluster.namespace), clusterOrigin(cluster))
}

/** The Cluster as templates see it, and where its fields are written: in cluster.yaml, or in a patch. */
export function locateInCluster(cluster: Cluster): ReturnType<LocatedCluster['read']> {
  const { document, patches } = cluster
  const written = ownManifest(cluster, document.value)
  return {
    value: patchedOrAsIs(written, patches).object,
    spanOf(path) {
      const field = tracePatches(written, patches, path)
      if ('patch' in field) return field.patch
      return fieldAt(document.value, ...field.path) === undefined ? undefined : spanOf(document, field.path)
    },
  }
}
