import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { missingTargets, type Reference } from '../references/missing-target.ts'
import type { Target } from '../references/object-index.ts'
import { podOf } from '../../model/pods.ts'
import { type Rule, unitRule } from '../rule.ts'

/** Service accounts, priority classes and runtime classes of pods that nothing brings. */
export const missingPodIdentity: Rule = unitRule(
  {
    code: 'POD_ADMISSION_MISSING',
    severity: 'warning',
    explanation: [
      'The API server refuses to make a pod whose service account, priority class or runtime class is not there, while it takes the Deployment around it: no pod ever appears. All objects that run pods in workload clusters are looked at.',
      'Known are the objects of the same cluster, the service account `default`, and the priority classes of Kubernetes (`system-cluster-critical`, `system-node-critical`).',
      'An error where another namespace or a name nearby shows a mistake, else a warning: it may come from outside of the tree.',
    ],
  },
  (unit) => missingTargets(unit, { referencesOf, isBuiltIn }),
)

const effect = 'the API server makes no pod of it before it is there'

function referencesOf(from: Manifest): readonly Reference[] {
  const pod = podOf(from)
  if (pod === undefined) return []
  const { spec, path } = pod
  const own = from.namespace === undefined ? {} : { namespace: from.namespace }
  const named = (field: string, target: Omit<Target, 'name'>): Reference => ({
    from,
    path: [...path, field],
    target: { ...target, name: textAt(spec, field) },
    effect,
  })
  return [
    named(textAt(spec, 'serviceAccountName') === '' ? 'serviceAccount' : 'serviceAccountName', {
      group: '',
      kind: 'ServiceAccount',
      ...own,
    }),
    named('priorityClassName', { group: 'scheduling.k8s.io', kind: 'PriorityClass' }),
    named('runtimeClassName', { group: 'node.k8s.io', kind: 'RuntimeClass' }),
  ]
}

function isBuiltIn({ kind, name }: Target): boolean {
  if (kind === 'ServiceAccount') return name === 'default'
  return kind === 'PriorityClass' && (name === 'system-cluster-critical' || name === 'system-node-critical')
}
