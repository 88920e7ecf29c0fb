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
 * (core/webhooks/admission/cluster.go), which has it for machine deployments; versions before it took such Clusters. And of groups that nobody sets
 * the number of: with one annotation alone Cluster API gives one machine (calculateMachineDeploymentReplicas), also to a group that had more.
 */
export function noteAutoscaled(document: ConfigDocument, reading: Reading): void {
  for (const [list, what] of groups) {
    for (const [index, item] of itemsAt(document.value, 'spec', 'topology', 'workers', list).entries()) {
      const path: readonly PathStep[] = ['spec', 'topology', 'workers', list, index]
      const annotations = dictAt(item, 'metadata', 'annotations')
      const missing = sizes.filter((key) => annotations?.has(key) !== true)
      if (missing.length === sizes.length) continue
      const name = quote(textAt(item, 'name'))
      if ((fieldAt(item, 'replicas') ?? null) === null) {
        const [other] = missing
        if (other === undefined) continue
        reading.findings.push({
          code: 'CLUSTER_AUTOSCALED',
          severity: 'warning',
          message: `the ${what} ${name} has one of the autoscaler's two annotations and no replicas: Cluster API takes it to one machine`,
          at: document.spanOf([...path, 'metadata', 'annotations'], 'key'),
          hint: `Add ${other}.`,
        })
        continue
      }
      reading.findings.push({
        code: 'CLUSTER_AUTOSCALED',
        severity: 'warning',
        message: `the ${what} ${name} has annotations for the autoscaler and a fixed number of replicas`,
        at: document.spanOf([...path, 'replicas']),
        hint: 'Remove replicas: the engine then never touches the number, and the autoscaler keeps it between its two sizes.',
      })
    }
  }
}
