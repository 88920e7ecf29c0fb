import type { ObjectKey } from '../../kube/kube-object.ts'
import type { GeneratedSecret } from '../../model/binding.ts'
import type { ApplyRequest } from '../objects/apply-object.ts'
import { clusterLabels } from '../objects/ownership.ts'

/** A Secret of a workload cluster, as it should be. */
export function deliveredSecret(
  { type, labels, annotations }: GeneratedSecret,
  data: Readonly<Record<string, string>>,
  owner: ObjectKey,
): ApplyRequest['wanted'] {
  return {
    metadata: {
      labels: { ...Object.fromEntries(labels), ...clusterLabels(owner) },
      ...(annotations.size > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    ...(type !== undefined && { type }),
    data,
  }
}

/** Selects all that was delivered for the object. */
export function deliveredSelector(owner: ObjectKey): string {
  return Object.entries(clusterLabels(owner))
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
