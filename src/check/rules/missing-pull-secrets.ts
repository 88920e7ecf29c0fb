import { itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { missingTargets, type Reference } from '../references/missing-target.ts'
import { podOf } from '../../model/pods.ts'
import { type Rule, unitRule } from '../rule.ts'

/** Secrets for registries that nothing brings. */
export const missingPullSecrets: Rule = unitRule(
  {
    code: 'PULL_SECRET_MISSING',
    severity: 'warning',
    explanation: [
      'A node pulls without credentials where the Secret that `imagePullSecrets` names is not there: images of private registries fail with ImagePullBackOff, and those of public ones meet the limits of anonymous users. `imagePullSecrets` of pods and of service accounts in workload clusters are looked at.',
      'Known are the objects of the same cluster, Secrets that the controller delivers, and those of ExternalSecrets and SealedSecrets.',
      'An error where a Secret of nearly that name or in another namespace shows a mistake, else a warning.',
    ],
  },
  (unit) => missingTargets(unit, { referencesOf, isBuiltIn: () => false }),
)

const FIELD = 'imagePullSecrets'

function referencesOf(from: Manifest): readonly Reference[] {
  const { apiVersion, kind, object, namespace = '' } = from
  const pod = apiVersion === 'v1' && kind === 'ServiceAccount' ? { spec: object, path: [] } : podOf(from)
  if (pod === undefined) return []
  return itemsAt(pod.spec, FIELD).map((secret, index) => {
    const path: readonly PathStep[] = [...pod.path, FIELD, index, 'name']
    const target = { group: '', kind: 'Secret', namespace, name: textAt(secret, 'name') }
    return { from, path, target, effect: 'images are pulled without its credentials' }
  })
}
