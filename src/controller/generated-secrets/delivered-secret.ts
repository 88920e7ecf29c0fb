import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'
import type { GeneratedSecret } from '../../model/binding.ts'
import type { ApplyRequest } from '../objects/apply-object.ts'
import { clusterLabels } from '../objects/ownership.ts'

/** The names of the generators that a Secret has something of: where what is kept of them is lost, they are in it. */
const GENERATORS = 'stackmason.dev/generators'

/** The content of a delivered Secret. */
export interface DeliveredContent {
  /** In base64. */
  readonly data: Readonly<Record<string, string>>
  readonly generators: readonly string[]
}

/** A Secret of a workload cluster, as it should be. */
export function deliveredSecret(
  { type, labels, annotations }: GeneratedSecret,
  { data, generators }: DeliveredContent,
  owner: ObjectKey,
): ApplyRequest['wanted'] {
  return {
    metadata: {
      labels: { ...Object.fromEntries(labels), ...clusterLabels(owner) },
      annotations: { ...Object.fromEntries(annotations), [GENERATORS]: generators.join(' ') },
    },
    ...(type !== undefined && { type }),
    data,
  }
}

/** The generators of which a Secret that we have delivered has something; none where it does not say so. */
export function deliveredGenerators({ annotations }: Pick<KubeObject, 'annotations'>): ReadonlySet<string> {
  return new Set((annotations.get(GENERATORS) ?? '').split(' '))
}

/** Selects all that was delivered for the object. */
export function deliveredSelector(owner: ObjectKey): string {
  return Object.entries(clusterLabels(owner))
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
