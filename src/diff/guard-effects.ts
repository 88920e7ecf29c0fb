import { formatGoJson } from '../codec/json/go-json.ts'
import { formatChangePath } from '../model/change-path.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { EffectReason, FieldChange, TreeObject } from '../model/tree-change.ts'
import type { Dict, Value } from '../model/value.ts'
import { groupKindOf, groupOf } from './object-kind.ts'

/** Kinds that forbid or limit something: without the object it is allowed. */
const guards: ReadonlySet<string> = new Set([
  'networking.k8s.io/NetworkPolicy',
  'cilium.io/CiliumNetworkPolicy',
  'cilium.io/CiliumClusterwideNetworkPolicy',
  'crd.projectcalico.org/NetworkPolicy',
  'crd.projectcalico.org/GlobalNetworkPolicy',
  'projectcalico.org/NetworkPolicy',
  'projectcalico.org/GlobalNetworkPolicy',
  'policy.networking.k8s.io/AdminNetworkPolicy',
  'policy.networking.k8s.io/BaselineAdminNetworkPolicy',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'policy/PodDisruptionBudget',
  '/ResourceQuota',
  '/LimitRange',
  'kyverno.io/ClusterPolicy',
  'kyverno.io/Policy',
])

/** True for kinds of which each object is a guard. */
export function isGuard(object: TreeObject): boolean {
  return guards.has(groupKindOf(object)) || groupOf(object) === 'constraints.gatekeeper.sh'
}

interface Both {
  readonly before: TreeObject
  readonly after: TreeObject
}

/** The guards that a change of an object takes away or weakens. */
export function guardEffects(both: Both, fields: readonly FieldChange[]): readonly EffectReason[] {
  return textsOf(both, fields).map((text) => ({ risk: 'lowers-guard', text }))
}

function textsOf(both: Both, fields: readonly FieldChange[]): readonly string[] {
  const [old, now] = [both.before.object, both.after.object]
  switch (groupKindOf(both.after)) {
    case '/Namespace':
      return ['enforce', 'audit', 'warn'].flatMap((mode) => {
        const [had, has] = [podSecurity(old, mode), podSecurity(now, mode)]
        return has < had ? [`pod security ${mode} ${levels[had] ?? ''} -> ${levels[has] ?? ''}`] : []
      })
    case '/PersistentVolume':
      return keepsData(old, 'spec', 'persistentVolumeReclaimPolicy') &&
        !keepsData(now, 'spec', 'persistentVolumeReclaimPolicy')
        ? ['persistentVolumeReclaimPolicy is no longer Retain']
        : []
    case 'storage.k8s.io/StorageClass':
      return keepsData(old, 'reclaimPolicy') && !keepsData(now, 'reclaimPolicy')
        ? ['reclaimPolicy is no longer Retain']
        : []
    case 'apps/StatefulSet':
      return ['whenDeleted', 'whenScaled'].flatMap((when) => {
        const deletes = (object: Dict): boolean =>
          textAt(object, 'spec', 'persistentVolumeClaimRetentionPolicy', when) === 'Delete'
        return deletes(now) && !deletes(old) ? [`persistentVolumeClaimRetentionPolicy.${when} Delete`] : []
      })
    case 'admissionregistration.k8s.io/ValidatingWebhookConfiguration':
    case 'admissionregistration.k8s.io/MutatingWebhookConfiguration':
      return webhookTexts(old, now)
    case 'networking.k8s.io/NetworkPolicy':
      return networkTexts(old, now)
    case 'argoproj.io/AppProject':
      return lost(itemsAt(old, 'spec', 'syncWindows'), itemsAt(now, 'spec', 'syncWindows')) ? ['syncWindows'] : []
    default:
      return isGuard(both.after) ? policyTexts(fields) : []
  }
}

const levels = ['privileged', 'baseline', 'restricted']

/** What a namespace lets pods do: 0 everything. */
function podSecurity(namespace: Dict, mode: string): number {
  return Math.max(levels.indexOf(textAt(namespace, 'metadata', 'labels', `pod-security.kubernetes.io/${mode}`)), 0)
}

function keepsData(object: Dict, ...path: readonly string[]): boolean {
  return textAt(object, ...path) === 'Retain'
}

const textOf = (value: Value | undefined): string => formatGoJson(value ?? null)

/** True if one of the items is not among the others. */
function lost(items: readonly Value[], others: readonly Value[]): boolean {
  const known = new Set(others.map(textOf))
  return items.some((item) => !known.has(textOf(item)))
}

function webhookTexts(old: Dict, now: Dict): readonly string[] {
  const after = new Map(itemsAt(now, 'webhooks').map((webhook) => [textAt(webhook, 'name'), webhook]))
  return itemsAt(old, 'webhooks').flatMap((webhook): readonly string[] => {
    const name = textAt(webhook, 'name')
    const same = after.get(name)
    if (same === undefined) return [`webhook ${name} gone`]
    const isIgnored = (one: Value): boolean => textAt(one, 'failurePolicy') === 'Ignore'
    return [
      ...(isIgnored(same) && !isIgnored(webhook) ? [`webhook ${name}: failurePolicy Fail -> Ignore`] : []),
      ...(lost(itemsAt(webhook, 'rules'), itemsAt(same, 'rules')) ? [`webhook ${name}: rules`] : []),
      ...['namespaceSelector', 'objectSelector', 'matchConditions', 'clientConfig', 'matchPolicy']
        .filter((field) => textOf(fieldAt(webhook, field)) !== textOf(fieldAt(same, field)))
        // the bundle of authorities is renewed
        .filter((field) => field !== 'clientConfig' || textOf(serverOf(webhook)) !== textOf(serverOf(same)))
        .map((field) => `webhook ${name}: ${field}`),
    ]
  })
}

function serverOf(webhook: Value): Value {
  return [fieldAt(webhook, 'clientConfig', 'url') ?? null, fieldAt(webhook, 'clientConfig', 'service') ?? null]
}

/** A rule of a policy allows: one that is new allows more, and so does a policy for other pods or fewer directions. */
function networkTexts(old: Dict, now: Dict): readonly string[] {
  const types = (policy: Dict): readonly string[] => {
    const own = itemsAt(policy, 'spec', 'policyTypes').filter((type) => typeof type === 'string')
    return own.length > 0 ? own : ['Ingress', ...(itemsAt(policy, 'spec', 'egress').length > 0 ? ['Egress'] : [])]
  }
  const isAbout = new Set(types(now))
  const selector = (policy: Dict): string => textOf(fieldAt(policy, 'spec', 'podSelector'))
  return [
    ...(selector(old) === selector(now) ? [] : ['selects other pods']),
    ...types(old).flatMap((type) => {
      if (!isAbout.has(type)) return [`${type} no longer limited`]
      const field = type.toLowerCase()
      return lost(itemsAt(now, 'spec', field), itemsAt(old, 'spec', field)) ? [`allows more ${field}`] : []
    }),
  ]
}

/** Of a policy in a language of its own all that is known is that it is another one. */
function policyTexts(fields: readonly FieldChange[]): readonly string[] {
  const names = new Set(
    fields.filter(({ path }) => path[0] !== 'metadata').map(({ path }) => formatChangePath(path.slice(0, 2))),
  )
  return [...names]
}
