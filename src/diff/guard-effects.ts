import { formatGoJson } from '../codec/json/go-json.ts'
import { formatChangePath } from '../model/change-path.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { EffectReason, FieldChange, TreeObject } from '../model/tree-change.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { gradedFields, MIDDLEWARE_GUARDS } from './access-fields.ts'
import { budgetEffects } from './budget-effects.ts'
import { isNetworkPolicy } from './network-effects.ts'
import { groupKindOf } from './object-kind.ts'
import { isWatch } from './quiet-fields.ts'

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
  'security.istio.io/AuthorizationPolicy',
  'security.istio.io/RequestAuthentication',
  'gateway.networking.k8s.io/BackendTLSPolicy',
  'policy.cert-manager.io/CertificateRequestPolicy',
])

/** The same, of kinds that are named alike. */
const alike = /^(?:constraints\.gatekeeper\.sh\/|policies\.kyverno\.io\/(?!.*(?:Deleting|Exception)))/

/** True for what forbids or limits something, be it by its kind or by what it says. */
export function isGuard(object: TreeObject): boolean {
  const kind = groupKindOf(object)
  return guards.has(kind) || alike.test(kind) || saysGuard(kind, object.object)
}

/** True for a kind that may limit or not, and does. */
function saysGuard(kind: string, object: Dict): boolean {
  if (/^traefik\.(?:io|containo\.us)\/Middleware(?:TCP)?$/.test(kind))
    return MIDDLEWARE_GUARDS.some((field) => fieldAt(object, 'spec', field) !== undefined)
  if (isWatch(kind, object)) return true
  if (kind !== 'security.istio.io/PeerAuthentication') return false
  const ports = fieldAt(object, 'spec', 'portLevelMtls')
  return [fieldAt(object, 'spec', 'mtls') ?? null, ...(ports instanceof Dict ? ports.values() : [])].some(
    (mtls) => textAt(mtls, 'mode') === 'STRICT',
  )
}

/** True for a guard of which no other function knows what it says. */
function isLanguage(object: TreeObject): boolean {
  const kind = groupKindOf(object)
  return (guards.has(kind) && !isNetworkPolicy(kind)) || alike.test(kind)
}

interface Both {
  readonly before: TreeObject
  readonly after: TreeObject
}

/** The guards that a change of an object takes away, weakens, or makes stricter. */
export function guardEffects(both: Both, fields: readonly FieldChange[]): readonly EffectReason[] {
  return [
    ...(budgetEffects(both, fields) ??
      textsOf(both, fields).map((text): EffectReason => ({ risk: 'lowers-guard', text }))),
    ...(groupKindOf(both.after) === '/Namespace' ? podSecurityRaised(both) : []),
    ...authorityEffects(both),
  ]
}

/** The effects of a guard that is new, or of one that applies to more. */
export function newGuardEffects(before: TreeObject | undefined, after: TreeObject): readonly EffectReason[] {
  const isMutating = isHook(after, 'Mutating')
  if (!isMutating && !isHook(after, 'Validating')) return []
  const old = new Map(hooksOf(before?.object ?? new Dict()))
  return hooksOf(after.object).flatMap(([name, webhook]): readonly EffectReason[] => {
    const known = old.get(name)
    const isStrict = !isIgnored(webhook)
    if (known === undefined) {
      if (!isStrict) return isMutating ? [{ risk: 'rewrites', text: `webhook ${name} new` }] : []
      return [{ risk: 'refuses-more', text: `webhook ${name} new` }]
    }
    return [
      ...(isStrict && isIgnored(known)
        ? [{ risk: 'refuses-more' as const, text: `webhook ${name}: failurePolicy Ignore -> Fail` }]
        : []),
      ...timeoutEffects(name, known, webhook),
    ]
  })
}

/** Seconds that the API server waits for an answer where a webhook says nothing. */
const DEFAULT_TIMEOUT = 10

/** Who answers too late is passed over, or refuses what he would have let through. */
function timeoutEffects(name: string, old: Value, now: Value): readonly EffectReason[] {
  const timeOf = (webhook: Value): number => {
    const seconds = fieldAt(webhook, 'timeoutSeconds')
    return seconds instanceof GoInt ? Number(seconds.value) : typeof seconds === 'number' ? seconds : DEFAULT_TIMEOUT
  }
  const [had, has] = [timeOf(old), timeOf(now)]
  if (has >= had) return []
  const text = `webhook ${name}: timeoutSeconds ${String(had)} -> ${String(has)}`
  return [{ risk: isIgnored(now) ? 'lowers-guard' : 'refuses-more', text }]
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
    case 'argoproj.io/AppProject':
      return lost(itemsAt(old, 'spec', 'syncWindows'), itemsAt(now, 'spec', 'syncWindows')) ? ['syncWindows'] : []
    default:
      return isLanguage(both.after) ? policyTexts(groupKindOf(both.after), fields) : []
  }
}

function podSecurityRaised({ before, after }: Both): readonly EffectReason[] {
  const [had, has] = [podSecurity(before.object, 'enforce'), podSecurity(after.object, 'enforce')]
  if (has <= had) return []
  return [{ risk: 'refuses-more', text: `pod security enforce ${levels[had] ?? ''} -> ${levels[has] ?? ''}` }]
}

/** Servers that the API server asks, and the authorities by which it trusts them. */
function authorityEffects({ before, after }: Both): readonly EffectReason[] {
  const [old, now] = [before, after].map((object) => new Map(bundlesOf(object)))
  return [...(now ?? [])].flatMap(([name, bundle]): readonly EffectReason[] =>
    old?.has(name) !== true || old.get(name) === bundle ? [] : [{ risk: 'redirects', text: `${name}caBundle` }],
  )
}

function bundlesOf(asked: TreeObject): readonly (readonly [name: string, bundle: string])[] {
  const { object } = asked
  if (isHook(asked, 'Mutating') || isHook(asked, 'Validating'))
    return hooksOf(object).map(([name, webhook]) => [`webhook ${name}: `, textAt(webhook, 'clientConfig', 'caBundle')])
  const kind = groupKindOf(asked)
  if (kind === 'apiregistration.k8s.io/APIService') return [['', textAt(object, 'spec', 'caBundle')]]
  if (kind !== 'apiextensions.k8s.io/CustomResourceDefinition') return []
  return [['conversion webhook: ', textAt(object, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle')]]
}

const levels = ['privileged', 'baseline', 'restricted']

/** The level of a namespace's rules for pods: 0 allows everything. */
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

const isIgnored = (webhook: Value): boolean => textAt(webhook, 'failurePolicy') === 'Ignore'

function isHook(object: TreeObject, kind: 'Mutating' | 'Validating'): boolean {
  return groupKindOf(object) === `admissionregistration.k8s.io/${kind}WebhookConfiguration`
}

function hooksOf(object: Dict): readonly (readonly [name: string, webhook: Value])[] {
  return itemsAt(object, 'webhooks').map((webhook) => [textAt(webhook, 'name'), webhook])
}

function webhookTexts(old: Dict, now: Dict): readonly string[] {
  const after = new Map(hooksOf(now))
  return hooksOf(old).flatMap(([name, webhook]): readonly string[] => {
    const same = after.get(name)
    if (same === undefined) return [`webhook ${name} gone`]
    return [
      ...(isIgnored(same) && !isIgnored(webhook) ? [`webhook ${name}: failurePolicy Fail -> Ignore`] : []),
      ...(lost(itemsAt(webhook, 'rules'), itemsAt(same, 'rules')) ? [`webhook ${name}: rules`] : []),
      ...['namespaceSelector', 'objectSelector', 'matchConditions', 'clientConfig', 'matchPolicy']
        .filter((field) => textOf(fieldAt(webhook, field)) !== textOf(fieldAt(same, field)))
        // another bundle of authorities is an effect of its own
        .filter((field) => field !== 'clientConfig' || textOf(serverOf(webhook)) !== textOf(serverOf(same)))
        .map((field) => `webhook ${name}: ${field}`),
    ]
  })
}

function serverOf(webhook: Value): Value {
  return [fieldAt(webhook, 'clientConfig', 'url') ?? null, fieldAt(webhook, 'clientConfig', 'service') ?? null]
}

/** Of a policy in a language of its own all that is known is that it is another one. */
function policyTexts(kind: string, fields: readonly FieldChange[]): readonly string[] {
  const graded = gradedFields.flatMap(({ of, paths }) =>
    of.test(kind) ? paths.map((path) => path.replaceAll('.*', '')) : [],
  )
  const isGraded = ({ path }: FieldChange): boolean => {
    const steps = path.filter((step) => typeof step === 'string').join('.')
    return graded.includes(steps)
  }
  const names = new Set(
    fields
      .filter((field) => field.path[0] !== 'metadata' && !isGraded(field))
      .map(({ path }) => formatChangePath(path.slice(0, 2))),
  )
  return [...names]
}
