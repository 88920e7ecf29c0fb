import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownKey, shownObject } from '../../model/shown-name.ts'
import type { Value } from '../../model/value.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { isLate, missingTargets, type Reference } from '../references/missing-target.ts'
import { indexOf, manifestsAt, type Target, workloadsOf } from '../references/object-index.ts'
import { containersOf, podOf } from '../../model/pods.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** ConfigMaps, Secrets and volume claims that pods need and nothing brings, and keys that they do not have. */
export const missingPodConfig: Rule = unitRule(
  {
    code: 'POD_CONFIG_MISSING',
    severity: 'warning',
    explanation: [
      'A pod does not start before the ConfigMaps, Secrets and claims of its volumes and environment are there; the API server takes it all the same. Volumes (also projected ones), `env` and `envFrom` of all objects that run pods in workload clusters are looked at, and the keys that they name. What is `optional` is not.',
      'Known are: the objects of the same cluster; Secrets that the controller generates and delivers, or that addons.yaml says are there; Secrets of Certificates, ExternalSecrets and SealedSecrets; what every cluster has, such as kube-root-ca.crt; and any name that stands in arguments, environment, configuration or rights of the cluster, since a program may make it.',
      'An error where an object of another namespace or of nearly that name shows a mistake, or where an object of the tree lacks the key; else a warning, for the object may come from outside of the tree.',
    ],
  },
  (unit) => [...missingTargets(unit, { referencesOf, isBuiltIn }), ...missingKeys(unit)],
)

const builtInMaps: ReadonlyMap<string, string> = new Map([
  ['extension-apiserver-authentication', 'kube-system'],
  ['kubeadm-config', 'kube-system'],
  ['kubelet-config', 'kube-system'],
  ['kube-proxy', 'kube-system'],
  ['coredns', 'kube-system'],
  ['cluster-info', 'kube-public'],
])

function isBuiltIn({ kind, namespace, name }: Target): boolean {
  return kind === 'ConfigMap' && (name === 'kube-root-ca.crt' || builtInMaps.get(name) === namespace)
}

interface ConfigUse extends Reference {
  /** Keys that the pod asks for, where it names some. */
  readonly keys: readonly { readonly key: string; readonly path: readonly PathStep[] }[]
}

function referencesOf(from: Manifest): readonly ConfigUse[] {
  const pod = podOf(from)
  if (pod === undefined) return []
  const use = (
    kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim',
    source: Value | undefined,
    { path, field = 'name' }: { readonly path: readonly PathStep[]; readonly field?: string },
  ): readonly ConfigUse[] => {
    if (source === undefined || fieldAt(source, 'optional') === true) return []
    const items = itemsAt(source, 'items').map((item, index) => ({
      key: textAt(item, 'key'),
      path: [...path, 'items', index, 'key'],
    }))
    const own = textAt(source, 'key')
    const keys = own === '' ? items : [...items, { key: own, path: [...path, 'key'] }]
    const target = { group: '', kind, name: textAt(source, field), ...namespaceOf(from) }
    return [{ from, path: [...path, field], target, keys, effect: 'its pods do not start before it is there' }]
  }
  const volumes = itemsAt(pod.spec, 'volumes').flatMap((volume, index) => {
    const path = [...pod.path, 'volumes', index]
    return [
      ...use('ConfigMap', dictAt(volume, 'configMap'), { path: [...path, 'configMap'] }),
      ...use('Secret', dictAt(volume, 'secret'), { path: [...path, 'secret'], field: 'secretName' }),
      ...use('PersistentVolumeClaim', dictAt(volume, 'persistentVolumeClaim'), {
        path: [...path, 'persistentVolumeClaim'],
        field: 'claimName',
      }),
      ...itemsAt(volume, 'projected', 'sources').flatMap((source, at) => {
        const below = [...path, 'projected', 'sources', at]
        return [
          ...use('ConfigMap', dictAt(source, 'configMap'), { path: [...below, 'configMap'] }),
          ...use('Secret', dictAt(source, 'secret'), { path: [...below, 'secret'] }),
        ]
      }),
    ]
  })
  const environment = containersOf(pod).flatMap((container) => [
    ...itemsAt(container.spec, 'envFrom').flatMap((source, index) => {
      const path = [...container.path, 'envFrom', index]
      return [
        ...use('ConfigMap', dictAt(source, 'configMapRef'), { path: [...path, 'configMapRef'] }),
        ...use('Secret', dictAt(source, 'secretRef'), { path: [...path, 'secretRef'] }),
      ]
    }),
    ...itemsAt(container.spec, 'env').flatMap((entry, index) => {
      const path = [...container.path, 'env', index, 'valueFrom']
      return [
        ...use('ConfigMap', dictAt(entry, 'valueFrom', 'configMapKeyRef'), { path: [...path, 'configMapKeyRef'] }),
        ...use('Secret', dictAt(entry, 'valueFrom', 'secretKeyRef'), { path: [...path, 'secretKeyRef'] }),
      ]
    }),
  ])
  return [...volumes, ...environment]
}

function namespaceOf({ namespace }: Manifest): Pick<Target, 'namespace'> {
  return namespace === undefined ? {} : { namespace }
}

/** Keys that an object of the tree does not have. */
function missingKeys(unit: CheckedUnit): readonly RuleFinding[] {
  if (unit.isKept) return []
  return workloadsOf(unit).flatMap((destination) => {
    const index = indexOf(unit, destination)
    return manifestsAt(unit, destination)
      .flatMap(referencesOf)
      .flatMap(({ from, target, keys }) => {
        const there = index.find(target)?.keys
        if (there === undefined) return []
        return keys
          .filter(({ key, path }) => !there.has(key) && !isLate(from, path))
          .map(({ key, path }): RuleFinding => ({
            severity: 'error',
            message: `${shownObject({ ...from, namespace: from.namespace })} asks for the key ${shownKey(key)} of ${shownObject({ ...target, namespace: target.namespace })}, which does not have it: its pods do not start`,
            ...placeIn(from, ...path),
            hint: there.size === 0 ? 'Add the key.' : `Its keys are: ${[...there].map(shownKey).join(', ')}.`,
          }))
      })
  })
}
