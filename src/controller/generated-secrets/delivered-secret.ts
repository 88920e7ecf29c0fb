import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'
import type { GeneratedSecret } from '../../model/binding.ts'
import type { ApplyRequest } from '../objects/apply-object.ts'
import { MANAGED_BY, MANAGER } from '../objects/ownership.ts'

/** On Secrets in workload clusters, and on those that describe them: the Cluster, which has a namespace elsewhere. */
const CLUSTER_NAMESPACE = 'stackmason.dev/cluster-namespace'
const CLUSTER_NAME = 'stackmason.dev/cluster-name'

/** A Secret of a workload cluster, as it should be. */
export function deliveredSecret(
  { type, labels, annotations }: GeneratedSecret,
  data: Readonly<Record<string, string>>,
  owner: ObjectKey,
): ApplyRequest['wanted'] {
  return {
    metadata: {
      labels: { ...Object.fromEntries(labels), ...labelsOf(owner) },
      ...(annotations.size > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    ...(type !== undefined && { type }),
    data,
  }
}

/** Whether a Secret of a workload cluster was delivered for the object. */
export function isDeliveredBy(secret: KubeObject, owner: ObjectKey): boolean {
  return Object.entries(labelsOf(owner)).every(([name, value]) => secret.labels.get(name) === value)
}

/** Selects all that was delivered for the object. */
export function deliveredSelector(owner: ObjectKey): string {
  return Object.entries(labelsOf(owner))
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}

function labelsOf({ namespace, name }: ObjectKey): Readonly<Record<string, string>> {
  return { [MANAGED_BY]: MANAGER, [CLUSTER_NAMESPACE]: namespace, [CLUSTER_NAME]: name }
}
