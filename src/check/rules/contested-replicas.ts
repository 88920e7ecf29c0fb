import { dictAt, fieldAt, textAt } from '../../model/field.ts'
import { placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { indexOf, manifestsAt, workloadsOf } from '../references/object-index.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Numbers of replicas that both the tree and an autoscaler set. */
export const contestedReplicas: Rule = unitRule(
  {
    code: 'REPLICAS_CONTESTED',
    severity: 'warning',
    explanation: [
      'A HorizontalPodAutoscaler sets `spec.replicas` of its target, and the GitOps tool sets it back whenever it applies the tree: pods are stopped and started in turns. HorizontalPodAutoscalers of workload clusters are compared with the Deployments, StatefulSets and other objects that they scale.',
    ],
  },
  (unit) => {
    if (unit.isKept) return []
    return workloadsOf(unit).flatMap((destination) => {
      const manifests = manifestsAt(unit, destination)
      const index = indexOf(unit, destination)
      return manifests
        .filter(({ apiVersion, kind }) => groupOf(apiVersion) === 'autoscaling' && kind === 'HorizontalPodAutoscaler')
        .flatMap((scaler): readonly RuleFinding[] => {
          const target = dictAt(scaler.object, 'spec', 'scaleTargetRef') ?? null
          const group = groupOf(textAt(target, 'apiVersion'))
          const { manifest: scaled } =
            index.find({
              group,
              kind: textAt(target, 'kind'),
              name: textAt(target, 'name'),
              namespace: scaler.namespace,
            }) ?? {}
          if (scaled === undefined || (fieldAt(scaled.object, 'spec', 'replicas') ?? null) === null) return []
          return [
            {
              message: `${shownObject({ ...scaled, namespace: scaled.namespace })} has a fixed number of replicas, and a HorizontalPodAutoscaler sets it, too`,
              ...placeIn(scaled, 'spec', 'replicas'),
              hint: 'Remove replicas, in the values of the chart or with a patch: the autoscaler keeps the number.',
            },
          ]
        })
    })
  },
)
