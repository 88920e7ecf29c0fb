import { dictAt, fieldAt, itemsAt, textAt, type PathStep } from '../../model/field.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** Annotations that give a group of machines to the Kubernetes autoscaler (cluster-api api/core). */
const sizes = [
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size',
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size',
] as const

const groups = [
  ['machineDeployments', 'machine deployment'],
  ['machinePools', 'machine pool'],
] as const

/**
 * Warns of groups of machines whose replicas both cluster.yaml and the autoscaler set: each would undo what the other did. Rule: Cluster API's webhook
 * (core/webhooks/admission/cluster.go), which has it for machine deployments; versions before it took such Clusters.
 */
export function noteAutoscaled(document: ConfigDocument, reading: Reading): void {
  for (const [list, what] of groups) {
    for (const [index, item] of itemsAt(document.value, 'spec', 'topology', 'workers', list).entries()) {
      const path: readonly PathStep[] = ['spec', 'topology', 'workers', list, index]
      const annotations = dictAt(item, 'metadata', 'annotations')
      if (!sizes.some((key) => annotations?.has(key) === true)) continue
      if ((fieldAt(item, 'replicas') ?? null) === null) continue
      reading.findings.push({
        code: 'CLUSTER_AUTOSCALED',
        severity: 'warning',
        message: `the ${what} ${quote(textAt(item, 'name'))} has annotations for the autoscaler and a fixed number of replicas`,
        at: document.spanOf([...path, 'replicas']),
        hint: 'Remove replicas: the engine then never touches the number, and the autoscaler keeps it between its two sizes.',
      })
    }
  }
}
