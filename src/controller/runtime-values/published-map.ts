import { apiVersionOf, configMaps } from '../../kube/resource.ts'
import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'
import type { ApplyRequest } from '../objects/apply-object.ts'
import { MANAGED_BY, MANAGER, OWNER_LABEL } from '../objects/ownership.ts'

/** The Cluster that the values are of: one of the same name that comes later is another. */
const CLUSTER_UID = 'stackmason.dev/cluster-uid'
/** Flux takes a change up at once instead of at its next interval. */
const FLUX_WATCH = 'reconcile.fluxcd.io/watch'

/** The ConfigMap in which values are published, as it should be. */
export function publishedMap(
  owner: KubeObject,
  { data, clusterUid }: { readonly data: Readonly<Record<string, string>>; readonly clusterUid: string },
): ApplyRequest['wanted'] {
  return {
    metadata: {
      labels: { [MANAGED_BY]: MANAGER, [OWNER_LABEL]: owner.name, [FLUX_WATCH]: 'Enabled' },
      annotations: { [CLUSTER_UID]: clusterUid },
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid }],
    },
    data,
  }
}

/** True if a ConfigMap belongs to the object: those of others are never changed. */
export function isOurs(map: KubeObject, owner: KubeObject): boolean {
  return map.labels.get(MANAGED_BY) === MANAGER && map.labels.get(OWNER_LABEL) === owner.name
}

/** The object that a ConfigMap of ours belongs to. */
export function ownerOf({ namespace, labels }: KubeObject): ObjectKey {
  return { namespace, name: labels.get(OWNER_LABEL) ?? '' }
}

/** True if the values in it are of another Cluster, which had the same name. */
export function isOfOtherCluster(map: KubeObject, clusterUid: string): boolean {
  const uid = map.annotations.get(CLUSTER_UID)
  return uid !== undefined && uid !== clusterUid
}

/** A ConfigMap as an inventory has it. */
export function inventoryEntry({ namespace, name }: { readonly namespace: string; readonly name: string }): {
  readonly id: string
  readonly v: string
} {
  return { id: `${namespace}_${name}_${configMaps.group}_${configMaps.kind}`, v: apiVersionOf(configMaps) }
}
