import { textAt } from '../../model/field.ts'
import { missingTargets } from '../references/missing-target.ts'
import { type Rule, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Services that give the pods of StatefulSets their names, and that nothing brings. */
export const missingGoverningServices: Rule = unitRule(
  {
    code: 'GOVERNING_SERVICE_MISSING',
    severity: 'warning',
    explanation: [
      'The pods of a StatefulSet are found in DNS by `<pod>.<serviceName>`: without that Service they start, and do not find each other. `spec.serviceName` of StatefulSets in workload clusters is looked at.',
      'An error where a Service of nearly that name or in another namespace shows a mistake, else a warning.',
    ],
  },
  (unit) =>
    missingTargets(unit, {
      referencesOf: (from) => {
        const { apiVersion, kind, namespace = '', object } = from
        if (groupOf(apiVersion) !== 'apps' || kind !== 'StatefulSet') return []
        const path = ['spec', 'serviceName']
        const target = { group: '', kind: 'Service', namespace, name: textAt(object, ...path) }
        return [{ from, path, target, effect: 'its pods have no names in DNS' }]
      },
      isBuiltIn: () => false,
    }),
)
