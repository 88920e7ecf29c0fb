import { compareBytes } from '../../codec/text/text-order.ts'
import type { HelmVersion } from './coalesce.ts'

/** Helm's install order (pkg/release/v1/util, kind_sorter.go). */
const installOrder =
  `PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret
SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole ClusterRoleList ClusterRoleBinding
ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet Deployment
HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService`.split(/\s+/)

/** Known to Helm 4 only; Helm 3 sorts them among the unknown kinds. */
const webhooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

const ranks: Readonly<Record<HelmVersion, ReadonlyMap<string, number>>> = {
  3: new Map(installOrder.map((kind, rank) => [kind, rank])),
  4: new Map([...installOrder, ...webhooks].map((kind, rank) => [kind, rank])),
}

/** Returns the items in install order; unknown kinds come last, by name. Items of one kind keep their order. */
export function sortByKind<Item extends { readonly kind: string }>(
  items: readonly Item[],
  helmVersion: HelmVersion,
): readonly Item[] {
  const rankOf = (kind: string): number => ranks[helmVersion].get(kind) ?? ranks[helmVersion].size
  return items.toSorted((a, b) => {
    const order = rankOf(a.kind) - rankOf(b.kind)
    return order === 0 && !ranks[helmVersion].has(a.kind) ? compareBytes(a.kind, b.kind) : order
  })
}
