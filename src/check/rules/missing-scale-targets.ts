import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { missingTargets, type Reference } from '../references/missing-target.ts'
import { type Rule, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Objects that an autoscaler scales and nothing brings. */
export const missingScaleTargets: Rule = unitRule(
  {
    code: 'SCALE_TARGET_MISSING',
    severity: 'warning',
    explanation: [
      'An autoscaler whose target is not there does nothing, and says so in its status only. The targets of HorizontalPodAutoscalers, VerticalPodAutoscalers and ScaledObjects (KEDA) in workload clusters are looked at, by group, kind and name.',
      'An error where one of nearly that name or in another namespace shows a mistake; else a warning: a running program may make it.',
    ],
  },
  (unit) => missingTargets(unit, { referencesOf, isBuiltIn: () => false }),
)

/** Where autoscalers name their target, and what it is where they do not say. */
const fields: ReadonlyMap<string, { readonly field: string; readonly apiVersion: string; readonly kind: string }> =
  new Map([
    ['autoscaling/HorizontalPodAutoscaler', { field: 'scaleTargetRef', apiVersion: '', kind: '' }],
    ['autoscaling.k8s.io/VerticalPodAutoscaler', { field: 'targetRef', apiVersion: '', kind: '' }],
    ['keda.sh/ScaledObject', { field: 'scaleTargetRef', apiVersion: 'apps/v1', kind: 'Deployment' }],
  ])

function referencesOf(from: Manifest): readonly Reference[] {
  const known = fields.get(`${groupOf(from.apiVersion)}/${from.kind}`)
  if (known === undefined) return []
  const path = ['spec', known.field]
  const target = {
    group: groupOf(textAt(from.object, ...path, 'apiVersion') || known.apiVersion),
    kind: textAt(from.object, ...path, 'kind') || known.kind,
    name: textAt(from.object, ...path, 'name'),
    namespace: from.namespace ?? '',
  }
  return target.kind === '' ? [] : [{ from, path: [...path, 'name'], target, effect: 'it scales nothing' }]
}
