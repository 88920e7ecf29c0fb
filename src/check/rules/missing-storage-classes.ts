import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { missingTargets, type Reference } from '../references/missing-target.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type Rule, unitRule } from '../rule.ts'

/** Storage classes that claims name and nothing brings. */
export const missingStorageClasses: Rule = unitRule(
  {
    code: 'STORAGE_CLASS_MISSING',
    severity: 'warning',
    explanation: [
      'A claim for a storage class that is not there waits for ever, and so do its pods. Claims and the claim templates of StatefulSets in workload clusters are looked at; without a class the default one is taken, and an empty name means a volume that is there.',
      'An error where a storage class of the cluster has nearly that name, else a warning: the cloud may bring it.',
    ],
  },
  (unit) => missingTargets(unit, { referencesOf, isBuiltIn: () => false }),
)

const FIELD = ['spec', 'storageClassName'] as const

function referencesOf(from: Manifest): readonly Reference[] {
  const { apiVersion, kind, object } = from
  const target = { group: 'storage.k8s.io', kind: 'StorageClass' }
  const effect = 'its volumes are never made'
  if (apiVersion === 'v1' && kind === 'PersistentVolumeClaim')
    return [{ from, path: FIELD, target: { ...target, name: textAt(object, ...FIELD) }, effect }]
  if (groupOf(apiVersion) !== 'apps' || kind !== 'StatefulSet') return []
  return itemsAt(object, 'spec', 'volumeClaimTemplates').map((template, index) => ({
    from,
    path: ['spec', 'volumeClaimTemplates', index, ...FIELD],
    target: { ...target, name: textAt(template, ...FIELD) },
    effect,
  }))
}
